// A project with a hook of its own, as somebody may have cloned it, and a home in which nothing was approved yet.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const cloneProject = () => {
  const directory = mkdtempSync(join(tmpdir(), 'hookwright-'));
  const project = join(directory, 'project');
  const home = join(directory, 'home');
  mkdirSync(join(project, '.hookwright'), { recursive: true });
  mkdirSync(home);
  const writeScript = (answer) => {
    const text = `#!/bin/sh\ncat >/dev/null\necho '${JSON.stringify(answer)}'\n`;
    writeFileSync(join(project, 'no-force.sh'), text, { mode: 0o755 });
  };
  const hook = { name: 'no-force', command: './no-force.sh', timeout: 5000 };
  const settings = { hooks: { BeforeTool: [{ matcher: 'run_shell', hooks: [hook] }] } };
  writeFileSync(join(project, '.hookwright', 'settings.json'), JSON.stringify(settings, undefined, 2));
  writeScript({ decision: 'deny', reason: 'no --force here' });
  return { project, home, writeScript, remove: () => rmSync(directory, { recursive: true }) };
};
