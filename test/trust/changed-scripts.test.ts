import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { HookConfig } from '../../src/index.ts';
import { one, trustBench } from './support.ts';

describe('F62 the script of an approved command', () => {
  const named: [string, HookConfig][] = [
    ['as the program', { command: './hooks/check.sh' }],
    ['as the program, with arguments', { command: './hooks/check.sh --all', timeout: 1_000 }],
    ['with an option that needs a shell', { command: './hooks/check.sh --level=2' }],
    ['by a known variable', { command: '"$CLAUDE_PROJECT_DIR"/hooks/check.sh' }],
    ['behind an interpreter', { command: 'sh hooks/check.sh' }],
    ['behind an interpreter and its options', { command: 'node --no-warnings hooks/check.sh' }],
    ['behind an interpreter with a path', { command: '/usr/bin/env sh hooks/check.sh' }],
    ['in argv', { command: 'bash', args: ['hooks/check.sh'] }],
    ['in argv by a variable', { command: 'bash', args: ['$HOOKWRIGHT_PROJECT_DIR/hooks/check.sh'] }],
    ['in the second command of a line', { command: 'true && ./hooks/check.sh | cat' }],
    ['after a change of directory', { command: 'cd hooks && ./check.sh' }],
    ['in a line for a shell', { command: `sh -c './hooks/check.sh; true'` }],
    ['behind an assignment and a redirection', { command: 'LEVEL=2 ./hooks/check.sh 2>&1' }],
    ['seen from its own directory', { command: './check.sh', cwd: 'hooks' }],
    ['as what another option loads', { command: 'node --import ./hooks/check.sh other.mjs' }],
    ['as the shell', { command: 'true; true', shell: './hooks/check.sh' }],
    ['before an option of its own that looks like one of the interpreter', { command: 'node hooks/check.sh -e prod' }],
    ['as an input', { command: 'true; sh < hooks/check.sh' }],
    ['within a condition', { command: 'if true; then ./hooks/check.sh; fi' }],
    ['behind a runner', { command: 'npx -y tsx hooks/check.sh' }],
    ['behind a jar option', { command: 'java -jar hooks/check.sh' }],
    ['after a change of directory that fails', { command: 'cd nowhere; ./hooks/check.sh' }],
    ['in quotes', { command: `"./hooks/check.sh" a 'b c' "$(date)"` }],
    ['to be sourced', { command: '. ./hooks/check.sh; true' }],
    ['behind a redirection', { command: 'true; >out ./hooks/check.sh' }],
    ['behind an input', { command: 'true; 0</dev/null ./hooks/check.sh' }],
    ['behind an assignment that appends', { command: 'A+=b.sh ./hooks/check.sh' }],
    ['behind an option with a value', { command: 'env -u ./other.sh ./hooks/check.sh' }],
    ['behind another name for it', { command: 'true; exec -a ./other.sh ./hooks/check.sh' }],
    ['in a text that env takes apart', { command: 'env', args: ['-S', './hooks/check.sh --all'] }],
    ['in a text right behind its option', { command: `true; env -S'./hooks/check.sh --all'` }],
    ['in a text that is evaluated', { command: `eval './hooks/check.sh --all'` }],
    ['among the options of a shell', { command: `bash -cx 'true && ./hooks/check.sh'` }],
    ['behind a switch of a shell', { command: 'true; bash +x ./hooks/check.sh' }],
    ['behind where modules are', { command: 'perl -I ./other.sh ./hooks/check.sh' }],
    ['for every line of a file', { command: 'xargs -a other.sh ./hooks/check.sh' }],
    ['in a group', { command: 'true; { ./hooks/check.sh; }' }],
    ['by a variable of its own', { command: '$TOOL; true', env: { TOOL: './hooks/check.sh' } }],
  ];

  test.each(named)('F62 named %s: a change of its content is a change', async (_how, hook) => {
    const bench = trustBench();
    bench.write('hooks/check.sh', '#!/bin/sh\nexit 0\n');
    await bench.approveAll(one(hook));
    expect(await bench.verdicts(one(hook))).toEqual(['run']);
    bench.write('hooks/check.sh', '#!/bin/sh\nexit 1\n');
    expect(await bench.verdicts(one(hook))).toEqual(['changed-since-trusted']);
    bench.write('hooks/check.sh', '#!/bin/sh\nexit 0\n');
    expect(await bench.verdicts(one(hook))).toEqual(['run']);
  });

  test('F62 a script that appears where none was is a change', async () => {
    const bench = trustBench();
    await bench.approveAll(one({ command: './late.sh' }));
    bench.write('late.sh', '#!/bin/sh\n');
    expect(await bench.verdicts(one({ command: './late.sh' }))).toEqual(['changed-since-trusted']);
  });

  test('F62 a link that leads elsewhere than before is a change', async () => {
    const bench = trustBench();
    bench.write('a.sh', '#!/bin/sh\n');
    bench.write('b.sh', '#!/bin/sh\n');
    symlinkSync('a.sh', join(bench.project, 'check.sh'));
    await bench.approveAll(one({ command: './check.sh' }));
    rmSync(join(bench.project, 'check.sh'));
    symlinkSync('b.sh', join(bench.project, 'check.sh'));
    expect(await bench.verdicts(one({ command: './check.sh' }))).toEqual(['changed-since-trusted']);
  });

  test('F62 a change between loading and running keeps it from running', async () => {
    const bench = trustBench();
    bench.write('check.sh', '#!/bin/sh\necho good >> ran\n');
    const hooks = one({ command: './check.sh', name: 'check' });
    await bench.approveAll(hooks);
    const handler = await (async () => {
      const system = bench.configOf(hooks).getHookSystem();
      await system?.initialize();
      return system?.getEventHandler();
    })();
    const fire = () => handler?.fireBeforeToolEvent('Bash', {});
    const first = await fire();
    expect(first?.errors).toEqual([]);
    bench.write('check.sh', '#!/bin/sh\necho bad >> ran\n');
    const second = await fire();
    expect(second?.errors[0]?.message).toContain('changed after it was approved');
    bench.write('check.sh', '#!/bin/sh\necho good >> ran\n');
    const third = await fire();
    expect(third?.errors).toEqual([]);
    expect(readFileSync(join(bench.project, 'ran'), 'utf8')).toBe('good\ngood\n');
  });

  test('F62 what is not covered is said before it is approved', async () => {
    const bench = trustBench();
    bench.write('check.sh', '#!/bin/sh\n');
    mkdirSync(join(bench.project, 'dir.sh'));
    symlinkSync('/bin/sh', join(bench.project, 'link.sh'));
    const lines = ['./check.sh', 'npm run check', './link.sh', './dir.sh', './check.sh $(date)', `node -e '1'`];
    const { hooks } = await bench.review({ BeforeTool: [{ hooks: lines.map((command) => ({ command })) }] });
    expect(hooks.map(({ name, script }) => [name, script.covered])).toEqual(
      lines.map((line) => [line, line === './check.sh']),
    );
    const notes = hooks.map(({ script }) => script.notes.join('; '));
    expect(notes[0]).toContain('files that these scripts read or start');
    expect(notes[1]).toContain('npm decides what it starts');
    expect(notes[2]).toContain('leads out of the project');
    expect(notes[3]).toContain('not a regular file');
    expect(notes[4]).toContain('a shell reads it');
    expect(notes[5]).toContain('node is given -e where its script should be');
    for (const index of [1, 2, 3, 4, 5]) {
      expect(notes[index]).toContain('approving this line means trusting whatever it starts, now and later');
    }
    for (const index of [1, 4, 5]) expect(notes[index]).toContain('to have it covered, write one command');
    for (const index of [1, 5]) expect(notes[index]).toContain('no script of the project is named');
  });

  test.each([
    ['a path of the project', './check.sh --all'],
    ['a path by our variable', '"$CLAUDE_PROJECT_DIR"/check.sh a b'],
    ['an interpreter by its name', 'sh check.sh'],
    ['an interpreter by its path', '/bin/sh ./check.sh a'],
    ['a script whose first line leaves the interpreter to PATH', './env.sh'],
  ])('F62 %s and plain words are covered', async (_what, command) => {
    const bench = trustBench();
    bench.write('check.sh', '#!/bin/sh\n');
    bench.write('env.sh', '#!/usr/bin/env sh\n');
    const { hooks } = await bench.review(one({ command, env: { HOOK_LEVEL: '1' } }));
    expect(hooks[0]?.script).toMatchObject({ covered: true, files: [{ state: 'covered' }] });
  });

  test.each([
    ['an escape', './ch\\eck.sh; ./check.sh'],
    ['a loose quote', "./check.sh; echo it's"],
    ['a redirection', 'sh ./check.sh 2>&1'],
    ['a redirection of both', './check.sh >&2'],
    ['a pipe into a shell', './check.sh; cat x | sh'],
    ['a script that is written first', 'cat ./check.sh > x; sh x'],
    ['a variable of steering', 'NODE_OPTIONS=--require=./x.cjs node check.sh'],
    ['an exported one', 'export PATH=.; node check.sh'],
    ['an assembled one', 'A=LD_; export "$A"PRELOAD=./x.so; ./check.sh'],
    ['a variable of its own', '$X/check.sh; sh check.sh'],
    ['a module', './check.sh; python3 -m check'],
    ['an option before the script', 'node -r ./x.cjs ./check.sh'],
    ['env', '/usr/bin/env sh ./check.sh'],
    ['env a hundred times', `${"env -S '".repeat(100)}./check.sh${"'".repeat(100)}`],
    ['a runner of packages', 'npx tsx ./check.sh'],
    ['a change of directory', 'cd -P . && ./check.sh'],
    ['a substitution', './check.sh; `./x.sh`'],
    ['a script outside of the project', './check.sh; ../other/x.sh'],
    ['a word that is a command of the interpreter', 'node inspect ./check.sh'],
    ['a program on the input', 'cat x | bash -s ./check.sh'],
    ['a module right behind its option', 'perl -I. -Mx ./check.sh'],
    ['a program that starts others', 'sort --compress-program=./check.sh a'],
    ['an option of its own that needs a shell', './check.sh --level=2'],
    [
      'more files than are looked at',
      `./check.sh ${Array.from({ length: 100 }, (_, index) => `./f${index}.sh`).join(' ')}`,
    ],
  ])(
    'F62 %s keeps a command from counting as covered, and its script is hashed all the same',
    async (_what, command) => {
      const bench = trustBench();
      bench.write('check.sh', '#!/bin/sh\n');
      const { hooks } = await bench.review(one({ command, env: { HOOK_X: '.' } }));
      if (!command.includes('\\') && !command.startsWith('env -S')) {
        expect(hooks[0]?.script.files).toContainEqual(expect.objectContaining({ path: 'check.sh', state: 'covered' }));
      }
      expect(hooks[0]?.script.covered).toBe(false);
    },
  );

  test.each([
    ['one of the project', '#!{}/evil'],
    ['one of the project by a relative path', '#!evil'],
    ['one that a link of the project leads to', '#!{}/link'],
    ['one with options', '#!/bin/sh -x'],
    ['one that env is to find, with options', '#!/usr/bin/env -S sh'],
    ['one that is none of those that read one script', '#!/usr/bin/make -f'],
    ['one with a carriage return', '#!/bin/sh\r'],
    ['none', 'echo'],
  ])('F62 a script whose interpreter is %s does not count as covered', async (_what, line) => {
    const bench = trustBench();
    bench.write('evil', '#!/bin/sh\n');
    symlinkSync('/bin/sh', join(bench.project, 'link'));
    bench.write('check.sh', `${line.replace('{}', bench.project)}\n`);
    const { hooks } = await bench.review(one({ command: './check.sh' }));
    expect(hooks[0]?.script).toMatchObject({ covered: false, files: [{ path: 'check.sh', state: 'covered' }] });
  });

  test.each([
    ['behind a blank', ' #!./evil.sh\n'],
    ['behind a mark of byte order', '\ufeff#!./evil.sh\n'],
    ['in a line that is said to be the first', '# line 1\n#!./evil.sh\n'],
  ])('F62 perl is not covered: it starts what a script names %s', async (_where, text) => {
    const bench = trustBench();
    bench.write('check.pl', `${text}print "{}";\n`);
    bench.write('direct.pl', `#!/usr/bin/perl\n${text}print "{}";\n`);
    for (const command of ['perl ./check.pl', '/usr/bin/perl ./check.pl', './direct.pl']) {
      expect((await bench.review(one({ command }))).hooks[0]?.script.covered).toBe(false);
    }
  });

  test.runIf(process.platform === 'linux')('F62 what leads each process elsewhere is not covered', async () => {
    const bench = trustBench();
    const up = `/proc/self/cwd${'/..'.repeat(20)}`;
    bench.write('check.sh', '#!/bin/sh\n');
    bench.write('evil.sh', `#!${up}/bin/sh\n`);
    symlinkSync(`${up}${bench.project}`, join(bench.project, 'link'));
    const lines = [`sh ${up}${bench.project}/check.sh`, `${up}/bin/sh ./check.sh`, './evil.sh', './link/check.sh'];
    for (const command of lines) {
      expect((await bench.review(one({ command }))).hooks[0]?.script.covered, command).toBe(false);
    }
    expect((await bench.review(one({ command: 'sh ./check.sh' }))).hooks[0]?.script.covered).toBe(true);
  });

  test('F62 R1042 an interpreter that PATH finds in the project is not the one that a covered hook is run by', async () => {
    const bench = trustBench();
    bench.write('check.sh', '#!/usr/bin/env node\n');
    bench.write('bin/node', '#!/bin/sh\n');
    vi.stubEnv('PATH', `${join(bench.project, 'bin')}:${process.env.PATH}`);
    try {
      const { hooks } = await bench.review({
        BeforeTool: [{ hooks: [{ command: 'node check.sh' }, { command: './check.sh' }] }],
      });
      expect(hooks.map(({ script }) => script.covered)).toEqual([true, true]);
      expect(hooks[0]?.script.files.map(({ path }) => path)).toEqual(['check.sh']);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test.each([
    ['the project itself', (project: string) => project],
    ['a link to the project', (project: string) => join(project, '../link')],
  ])('F62 an interpreter that PATH finds by %s is one of the project', async (_what, entryOf) => {
    const bench = trustBench();
    bench.write('check.sh', 'true\n');
    bench.write('node', '#!/bin/sh\n');
    mkdirSync(join(bench.project, 'sub'));
    symlinkSync(bench.project, join(bench.project, '../link'));
    vi.stubEnv('PATH', `${entryOf(bench.project)}:${process.env.PATH}`);
    try {
      // The first is covered and run by the machine's; the second is a word of a line that only a shell understands.
      const cwd = join(bench.project, 'sub');
      const lines = [{ command: 'node check.sh' }, { command: 'true; node check.sh', cwd }];
      const { hooks } = await bench.review({ BeforeTool: [{ hooks: lines }] });
      expect(hooks.map(({ script }) => script.covered)).toEqual([true, false]);
      expect(hooks.map(({ script }) => script.files.some(({ path }) => path === 'node'))).toEqual([false, true]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('F62 a file that cannot be executed is not the interpreter, wherever PATH finds it', async () => {
    const bench = trustBench();
    bench.write('check.sh', 'true\n');
    const folder = join(bench.home, 'bin');
    mkdirSync(folder);
    writeFileSync(join(folder, 'node'), '#!/bin/sh\n', { mode: 0o644 });
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
    try {
      const { hooks } = await bench.review(one({ command: 'node check.sh' }));
      expect(hooks[0]?.script.covered).toBe(true);
      expect(hooks[0]?.script.notes.join()).not.toContain(folder);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('F62 variables of an entry need the prefix of hooks, or nothing is covered', async () => {
    const bench = trustBench();
    bench.write('check.sh', '#!/bin/sh\n');
    const { hooks } = await bench.review(one({ command: './check.sh', env: { GCC_EXEC_PREFIX: './x/' } }));
    expect(hooks[0]?.script.covered).toBe(false);
    expect(hooks[0]?.script.notes.join()).toContain('it sets GCC_EXEC_PREFIX');
  });

  test('F62 what a path leads to through links is what is hashed, as the kernel opens it', async () => {
    const bench = trustBench();
    bench.write('check.sh', '#!/bin/sh\n# not this one\n');
    bench.write('a/check.sh', '#!/bin/sh\n# this one\n');
    mkdirSync(join(bench.project, 'a/b'));
    symlinkSync('a/b', join(bench.project, 'link'));
    const { hooks } = await bench.review(one({ command: 'link/../check.sh' }));
    expect(hooks[0]?.script).toMatchObject({ covered: true, files: [{ path: 'a/check.sh', state: 'covered' }] });
  });

  test('F62 the language of another shell than sh keeps a line from counting as covered', async () => {
    const bench = trustBench();
    bench.write('check.sh', '#!/bin/sh\n');
    const { hooks } = await bench.review(one({ command: './check.sh', shell: 'python3' }));
    expect(hooks[0]?.script.covered).toBe(false);
    expect(hooks[0]?.script.notes.join()).toContain('python3 decides what the line starts');
  });

  test('F62 a script outside of the project is not covered; the interpreter of one inside is shown', async () => {
    const bench = trustBench();
    bench.write('check.sh', '');
    const { hooks } = await bench.review(one({ command: '/bin/sh ../x.sh' }));
    expect(hooks[0]?.script.covered).toBe(false);
    expect(hooks[0]?.script.notes.join('; ')).toContain('../x.sh is outside the project');
    const { hooks: clean } = await bench.review(one({ command: '/bin/sh ./check.sh' }));
    expect(clean[0]?.script.covered).toBe(true);
    expect(clean[0]?.script.notes).toContain(`${realpathSync('/bin/sh')} reads it`);
  });

  test.each(['env -u ', './a;', 'cd a;', '"a ', 'eval ', '>', "sh -c '"])(
    'F62 a command made of %j over and over is taken apart, and never said to be covered',
    async (part) => {
      const bench = trustBench();
      const startedAt = performance.now();
      const { hooks } = await bench.review(one({ command: part.repeat(16_000 / part.length) }));
      expect(hooks[0]?.script.covered).toBe(false);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    },
  );

  test.each(['\u00a0', '\u2003', '\r', '\v'])(
    'F62 a space that is none to a shell does not part a name: %j',
    async (space) => {
      const bench = trustBench();
      bench.write('check.sh', '1');
      bench.write(`check.sh${space}x`, '1');
      const hooks = one({ command: `true; ./check.sh${space}x` });
      await bench.approveAll(hooks);
      bench.write(`check.sh${space}x`, '2');
      expect(await bench.verdicts(hooks)).toEqual(['changed-since-trusted']);
    },
  );

  test('F62 a script that is named without its ending is found', async () => {
    const bench = trustBench();
    bench.write('check.js', '1');
    await bench.approveAll(one({ command: 'node ./check' }));
    bench.write('check.js', '2');
    expect(await bench.verdicts(one({ command: 'node ./check' }))).toEqual(['changed-since-trusted']);
  });

  test('F62 a file that is too large to be read is not covered, and its size is no reason to wait', async () => {
    const bench = trustBench();
    truncateSync(bench.write('huge.sh', ''), 3 * 2 ** 30);
    const { hooks } = await bench.review(one({ command: './huge.sh' }));
    expect(hooks[0]?.script).toMatchObject({ covered: false, files: [{ path: 'huge.sh', state: 'too-large' }] });
  });

  test('what a hook writes into by a redirection is no change; a file of the project that is a word of the line is', async () => {
    const bench = trustBench();
    bench.write('check.sh', '#!/bin/sh\n');
    writeFileSync(join(bench.project, 'data.json'), '1');
    const hooks = one({ command: './check.sh data.json > out.log 2>> "err.log"' });
    await bench.approveAll(hooks);
    writeFileSync(join(bench.project, 'out.log'), '2');
    writeFileSync(join(bench.project, 'err.log'), '2');
    expect(await bench.verdicts(hooks)).toEqual(['run']);
    writeFileSync(join(bench.project, 'data.json'), '2');
    expect(await bench.verdicts(hooks)).toEqual(['changed-since-trusted']);
  });
});

test.each([
  ['more than 16,384 characters', `./check.sh ${'x'.repeat(16_374)}`],
  ['more than 1,000 words', `./check.sh ${Array.from({ length: 1_000 }, (_, index) => `w${index}`).join(' ')}`],
])('R820 a line of %s is too large to look at, and is never called covered', async (_what, command) => {
  const bench = trustBench();
  bench.write('check.sh', '#!/bin/sh\n');
  const { hooks } = await bench.review(one({ command }));
  expect(hooks[0]?.script.covered).toBe(false);
  expect(hooks[0]?.script.notes.join('; ')).toMatch(/which is too large to look at.*put it into a script/);
});
