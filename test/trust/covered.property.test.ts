import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bench, one, trustBench } from './support.ts';

/** Says that it ran, whichever of the interpreters reads it as which language. */
const canaries: Readonly<Record<string, string>> = {
  sh: 'echo "$CANARY_NAME" >> "$CANARIES"',
  js: 'require("fs").appendFileSync(process.env.CANARIES, "$CANARY_NAME\\n");',
  pl: 'open(my $f, ">>", $ENV{CANARIES}); print $f "$CANARY_NAME\\n"; close($f);',
};

const firstLines = [
  ...['', '#!/bin/sh\n', '#!/usr/bin/env node\n', '#!/usr/bin/perl\n', '#!bin/evil\n', '#!/bin/sh -x\n'],
  ...[' #!bin/evil\n', '\ufeff#!bin/evil\n', '# line 1\n#!bin/evil\n'],
];

const scripts = ['a.sh', 'b.js', 'c.pl', 'sub/a.sh', 'sub/inner/d.js', 'bin/evil', 'bin/node', 'node', 'inspect', 'e'];

const languageOf = (path: string): string => /\.(sh|js|pl)$/.exec(path)?.[1] ?? 'sh';

const canary = (path: string, firstLine: string): string =>
  `${firstLine}${(canaries[languageOf(path)] ?? '').replaceAll('$CANARY_NAME', path)}\n`;

const prepare = (bench: Bench, lines: readonly string[]): void => {
  for (const [index, path] of scripts.entries()) bench.write(path, canary(path, lines[index] ?? ''));
  mkdirSync(join(bench.project, 'deep/er'), { recursive: true });
  symlinkSync('deep/er', join(bench.project, 'link'));
  symlinkSync('../sub/a.sh', join(bench.project, 'deep/a.sh'));
  symlinkSync('a.sh', join(bench.project, 'alias.sh'));
};

const words = [
  ...scripts.flatMap((path) => [path, `./${path}`]),
  ...['link/../a.sh', './alias.sh', 'sub/../a.sh', '"$CLAUDE_PROJECT_DIR"/a.sh', '$CLAUDE_PROJECT_DIR/b.js'],
  ...[
    'sh',
    'bash',
    'node',
    'perl',
    '/bin/sh',
    '/usr/bin/perl',
    'env',
    '/usr/bin/env',
    'npx',
    'exec',
    '.',
    'cd',
    'eval',
  ],
  ...['-c', '-r', '-S', '-e', '--', '-x', '-I.', '--require=./b.js', '-r./b.js', 'X=1', 'PATH=bin', '2>&1', '>&2', '<'],
  ...[';', '&&', '|', '$(', ')', '`', '"./a.sh"', "'./b.js'", '\\', 'sub', 'cat', '>', 'x', '$X', '~', '*.sh', 'true'],
] as const;

const line = fc.oneof(
  fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' ')),
  fc
    .tuple(
      fc.constantFrom('', 'sh ', 'node ', 'perl ', '/bin/sh ', 'bash '),
      fc.constantFrom(...words),
      fc.constantFrom('', ' a', ' -c ./a.sh'),
    )
    .map((parts) => parts.join('')),
);

/** What ran when a shell, another one, or nobody reads the line. */
const ranBy = (start: readonly string[], bench: Bench, log: string): string[] => {
  rmSync(log, { force: true });
  const [file = '', ...args] = start;
  const env = { PATH: process.env.PATH, CANARIES: log, CLAUDE_PROJECT_DIR: bench.project };
  spawnSync(file, args, { cwd: bench.project, env, input: '{}', timeout: 5_000 });
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
};

test('R670 whatever a line is said to be covered for runs only bytes that were hashed', {
  timeout: 120_000,
}, async () => {
  let covered = 0;
  await fc.assert(
    fc.asyncProperty(
      line,
      fc.array(fc.constantFrom(...firstLines), { minLength: 10, maxLength: 10 }),
      async (command, lines) => {
        const bench = trustBench();
        prepare(bench, lines);
        const { hooks } = await bench.review(one({ command }));
        const { script } = hooks[0] ?? { script: undefined };
        if (script?.covered !== true) return;
        covered += 1;
        const hashed = script.files.filter(({ state }) => state === 'covered').map(({ path }) => path);
        const log = join(bench.home, 'ran');
        for (const start of [
          ['sh', '-c', command],
          ['bash', '--norc', '-c', command],
        ]) {
          expect(hashed).toEqual(expect.arrayContaining(ranBy(start, bench, log)));
        }
      },
    ),
    { numRuns: 400, seed: 670 },
  );
  // A property of nothing would hold too.
  expect(covered).toBeGreaterThan(20);
});
