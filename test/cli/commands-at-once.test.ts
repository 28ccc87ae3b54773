/** Commands that change one file at the same time lose nothing of each other, or say that they wrote nothing. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../examples/support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hookwright } from './support/built-cli.ts';

beforeAll(buildPackage, 120_000);

const grouped = (command: string) => ({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } });

test.skipIf(process.platform === 'win32')(
  'R558 of imports at once, each either writes its hooks or ends with 1 and says that it wrote nothing',
  async () => {
    const root = temporaryFolder('at-once');
    const files = {
      '.git/HEAD': 'ref: refs/heads/main\n',
      'home/.keep': '',
      '.claude/settings.json': JSON.stringify(grouped('true claude-code')),
      '.qwen/settings.json': JSON.stringify(grouped('true qwen-code')),
      '.cursor/hooks.json': JSON.stringify({ version: 1, hooks: { preToolUse: [{ command: 'true cursor' }] } }),
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const settings = join(root, '.hookwright/settings.json');
    const agents = ['claude-code', 'qwen-code', 'cursor'];
    let left = agents;
    while (left.length > 0) {
      const ended = await Promise.all(left.map((name) => hookwright(root, 'import', '--from', name)));
      const text = readFileSync(settings, 'utf8');
      for (const [at, { code, said }] of ended.entries()) {
        if (code === 0) expect(text).toContain(`true ${left[at]}`);
        else expect(said).toContain('changed in the meantime; nothing was written, run it again');
      }
      expect(ended.some(({ code }) => code === 0)).toBe(true);
      left = left.filter((_name, at) => ended[at]?.code !== 0);
    }
    for (const name of agents) expect(readFileSync(settings, 'utf8')).toContain(`true ${name}`);
  },
);
