import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A project with these files and a home directory beside it, gone when the test ends. */
export const project = (files: Readonly<Record<string, unknown>>): { cwd: string; home: string } => {
  const root = temporaryFolder('dialects');
  const all = { 'project/.git/HEAD': 'ref: refs/heads/main\n', 'home/.keep': '', ...files };
  for (const [path, content] of Object.entries(all)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    if (file.endsWith('.sh')) chmodSync(file, 0o755);
  }
  return { cwd: join(root, 'project'), home: join(root, 'home') };
};
