import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/index.ts';
import { loopDelayDuring, loopLimit } from '../support/loop-delay.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let root: string;
beforeEach(() => {
  root = temporaryFolder('limits');
  mkdirSync(join(root, 'home'));
});

const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const json = (hooks: object): string => JSON.stringify({ hooks });

const CLAUDE = ['claude-code', '.claude/settings.json'] as const;
const CODEX = ['codex', '.codex/config.toml'] as const;

const files: readonly (readonly [what: string, dialect: string, file: string, text: string, said: RegExp])[] = [
  ['nothing but brackets', ...CLAUDE, '['.repeat(1_000_000), /nests deeper/],
  [
    'as many events',
    ...CLAUDE,
    json(Object.fromEntries(numbered(4_000, (n) => [`PreToolUs${n}`, []]))),
    /100 unknown events/,
  ],
  ['as many groups', ...CLAUDE, json({ PreToolUse: numbered(4_000, () => 1) }), /1000 groups and hooks/],
  ['as many keys', ...CLAUDE, JSON.stringify(Object.fromEntries(numbered(60_000, (n) => [n, 1]))), /10000 values/],
  ['as many tables', ...CODEX, '[[hooks.PreToolUse]]\n'.repeat(30_000), /10000 values/],
  ['one key of as many names', ...CODEX, `${'a.'.repeat(300_000)}b = 1\n`, /nests deeper/],
];

describe('R816 a file of another agent of at most a megabyte is told to be too much, and holds up nobody', () => {
  test.each(files)('with %s', { retry: 2, timeout: 30_000 }, async (_what, dialect, file, text, said) => {
    const path = join(root, 'project', file);
    mkdirSync(dirname(path), { recursive: true });
    const place = { cwd: join(root, 'project'), home: join(root, 'home'), env: {}, dialects: { [dialect]: true } };
    writeFileSync(path, '');
    await loadConfig(place);
    writeFileSync(path, text);
    const limit = loopLimit(60);
    let problems: readonly { readonly message: string }[] = [];
    const delay = await loopDelayDuring(async () => {
      ({ problems } = await loadConfig(place));
    });
    expect(problems.map(({ message }) => message).join('\n')).toMatch(said);
    expect(delay).toBeLessThanOrEqual(limit);
  });
});
