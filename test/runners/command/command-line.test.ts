// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are for shells
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLaunch, findShells, selectKnownVariables, splitPlainWords } from '../../../src/runners/process-api.ts';

type CommandLaunch = ReturnType<typeof createLaunch>;
type Machine = Parameters<typeof createLaunch>[2];

const project = "/pro ject/it's";
const variables = selectKnownVariables({ projectDir: project, cwd: '/work', sessionId: 's1' });
const linux: Machine = { platform: 'linux', environment: {}, bash: '/bin/bash' };
const windows: Machine = { platform: 'win32', environment: { SystemRoot: 'C:\\Windows' } };

const launch = (
  command: string,
  hook: { args?: string[]; shell?: string } = {},
  machine: Machine = linux,
): CommandLaunch => createLaunch({ command, ...hook }, variables, machine);

/** The line that a shell is given. */
const lineOf = ({ args }: CommandLaunch): string | undefined => args.at(-1);

describe('a line without shell syntax is started directly', () => {
  test.each([
    ['./check.sh', ['./check.sh']],
    ['  node  hooks/check.js --fast\t-v ', ['node', 'hooks/check.js', '--fast', '-v']],
    [`node 'it is' "so what" a"b c"d ''`, ['node', 'it is', 'so what', 'ab cd', '']],
    [`"/path with blanks/hook" x`, ['/path with blanks/hook', 'x']],
    [`hook 'a;b|c$d*' "a;b|c*?#~=%{}"`, ['hook', 'a;b|c$d*', 'a;b|c*?#~=%{}']],
    ['hook $GEMINI_PROJECT_DIR/x.sh', ['hook', `${project}/x.sh`]],
    ['$CLAUDE_PROJECT_DIR/x.sh', [`${project}/x.sh`]],
    ['"$CLAUDE_PROJECT_DIR"/x.sh', [`${project}/x.sh`]],
    ['"${HOOKWRIGHT_PROJECT_DIR}/x.sh" ${CLAUDE_SESSION_ID}', [`${project}/x.sh`, 's1']],
    ['übung ./é', ['übung', './é']],
  ])('%s', (line, [file, ...args]) => {
    expect(launch(line)).toEqual({ file, args, by: 'direct' });
  });
});

describe('anything that could mean more goes through the shell as it stands', () => {
  test.each([
    'a | b',
    'a && b',
    'a; b',
    'a > b',
    'a < b',
    '(a)',
    'a $(b)',
    'a `b`',
    'a \\b',
    'a *.ts',
    'a ?',
    'a [bc]',
    '# a',
    'a ~/b',
    'A=1 b',
    'a --b=c',
    'a %1',
    '{ a; }',
    '! a',
    'a\nb',
    'a $HOME',
    'a ${HOME}',
    'a "$HOME"',
    'a "`b`"',
    'a "\\b"',
    'a "!b"',
    "a 'b",
    'a "b',
    'a\rb',
    '$OTHER',
    'a ${CLAUDE_PROJECT_DIR:-x}',
    '',
    '   ',
    '""',
    'cd /tmp',
    'export',
    'source x',
    '. x',
    'test -f x',
    '[',
    'exec x',
    'if',
    'for',
    'echo hi',
    'true',
    '"cd" x',
    'time x',
    'alias',
    'ulimit',
    'printf x',
    'kill 1',
    'function',
    '[[',
    ':',
  ])('%s', (line) => {
    expect(launch(line)).toEqual({
      file: '/bin/bash',
      args: ['--norc', '--noprofile', '-c', line],
      by: 'shell',
    });
  });

  test('so does a command that bash would find as a function, or behind a start-up file', () => {
    const environments = [{ 'BASH_FUNC_check%%': '() { :; }' }, { BASH_ENV: '/etc/start-up' }];
    for (const environment of environments) {
      expect(launch('check', {}, { ...linux, environment })).toMatchObject({ by: 'shell' });
    }
    expect(launch('check', {}, { ...linux, environment: { BASH_ENV: '' } })).toMatchObject({ by: 'direct' });
  });
});

describe('the shell', () => {
  test.each([
    [undefined, '/bin/bash', ['--norc', '--noprofile', '-c', 'a|b']],
    ['bash', '/bin/bash', ['--norc', '--noprofile', '-c', 'a|b']],
    ['/opt/bash/bin/bash', '/opt/bash/bin/bash', ['--norc', '--noprofile', '-c', 'a|b']],
    ['sh', 'sh', ['-c', 'a|b']],
    ['dash', 'dash', ['-c', 'a|b']],
    ['zsh', 'zsh', ['-c', 'a|b']],
    ['/usr/bin/fish', '/usr/bin/fish', ['-c', 'a|b']],
    ['pwsh', 'pwsh', ['-NoProfile', '-Command', 'a|b\nif ($LASTEXITCODE) { exit $LASTEXITCODE }']],
  ])('%s is called its way', (shell, file, args) => {
    expect(launch('a|b', shell === undefined ? {} : { shell })).toEqual({ file, args, by: 'shell' });
  });

  test('sh takes over where there is no bash', () => {
    expect(launch('a|b', {}, { platform: 'linux', environment: {} })).toMatchObject({
      file: 'sh',
      args: ['-c', 'a|b'],
    });
  });

  test('zsh and shells we do not know are never left out: they read files of their own first', () => {
    expect(launch('./check.sh', { shell: 'zsh' })).toMatchObject({ by: 'shell', file: 'zsh' });
    expect(launch('./check.sh', { shell: 'fish' })).toMatchObject({ by: 'shell', file: 'fish' });
    expect(launch('./check.sh', { shell: 'dash' })).toMatchObject({ by: 'direct' });
  });

  test('a line that looks like an option is not one', () => {
    expect(lineOf(launch('-x | y'))).toBe(' -x | y');
  });

  test('Windows: PowerShell and cmd by their full paths, with the exit code and the quotes as they were', () => {
    expect(launch('./check.ps1', {}, windows)).toEqual({
      file: 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe',
      args: ['-NoProfile', '-Command', './check.ps1\nif ($LASTEXITCODE) { exit $LASTEXITCODE }'],
      by: 'shell',
    });
    expect(launch('check "a b"', { shell: 'cmd' }, windows)).toEqual({
      file: 'C:\\Windows\\System32\\cmd.exe',
      args: ['/d', '/s', '/c', '"check "a b""'],
      by: 'shell',
      verbatim: true,
    });
  });
});

describe('args are argv', () => {
  test('no shell reads them; known variables are filled in', () => {
    const args = ['a b', '$(x)', '*', '${CLAUDE_PROJECT_DIR}/x', '$GEMINI_SESSION_ID', '$HOME'];
    expect(launch('$CLAUDE_PROJECT_DIR/hook', { args })).toEqual({
      file: `${project}/hook`,
      args: ['a b', '$(x)', '*', `${project}/x`, 's1', '$HOME'],
      by: 'direct',
    });
  });

  test('Windows: a batch file goes through cmd, with arguments that survive being read twice', () => {
    expect(launch('npm.cmd', { args: ['a b', '%PATH%'] }, windows)).toEqual({
      file: 'C:\\Windows\\System32\\cmd.exe',
      args: ['/d', '/s', '/c', '"^"npm.cmd^" ^^^"a^^^ b^^^" ^^^"^^^%PATH^^^%^^^""'],
      by: 'direct',
      verbatim: true,
    });
  });
});

describe('known variables in a line for a shell', () => {
  const quoted = "'/pro ject/it'\\''s'";

  test.each([
    ['a | b $CLAUDE_PROJECT_DIR/*.ts', `a | b ${quoted}/*.ts`],
    ['a | b ${CLAUDE_PROJECT_DIR}x', `a | b ${quoted}x`],
    ['a | b "$CLAUDE_PROJECT_DIR"', 'a | b "$CLAUDE_PROJECT_DIR"'],
    ["a | b '$CLAUDE_PROJECT_DIR'", "a | b '$CLAUDE_PROJECT_DIR'"],
    ['a | b \\$CLAUDE_PROJECT_DIR', 'a | b \\$CLAUDE_PROJECT_DIR'],
    ['a | b $CLAUDE_PROJECT_DIRECTORY $HOME', 'a | b $CLAUDE_PROJECT_DIRECTORY $HOME'],
    [`a "it's" | b $CLAUDE_CWD`, `a "it's" | b '/work'`],
    [`a "\\"" | b $CLAUDE_CWD`, `a "\\"" | b '/work'`],
    ['cat <<E\n$CLAUDE_PROJECT_DIR\nE', 'cat <<E\n$CLAUDE_PROJECT_DIR\nE'],
    ['a `b $CLAUDE_PROJECT_DIR`', 'a `b $CLAUDE_PROJECT_DIR`'],
  ])('%s becomes %s', (line, expected) => expect(lineOf(launch(line))).toBe(expected));

  test('F65 PowerShell gets a reference, which is one argument wherever it stands', () => {
    const line = '& $CLAUDE_PROJECT_DIR/x.ps1 "$CLAUDE_CWD\\y" \'$CLAUDE_CWD\' `$CLAUDE_CWD';
    expect(lineOf(launch(line, { shell: 'pwsh' }))).toMatch(
      /^& \$\{env:CLAUDE_PROJECT_DIR\}\/x\.ps1 "\$\{env:CLAUDE_CWD\}\\y" '\$CLAUDE_CWD' `\$CLAUDE_CWD\n/,
    );
  });

  test('F65 cmd gets a quoted value', () => {
    expect(lineOf(launch('x $CLAUDE_CWD', { shell: 'cmd' }, windows))).toBe('"x ^"/work^""');
  });

  test('a shell we do not know finds them in its environment', () => {
    expect(lineOf(launch('a | $CLAUDE_CWD', { shell: 'fish' }))).toBe('a | $CLAUDE_CWD');
  });
});

describe.skipIf(process.platform === 'win32').each(['sh', 'bash'])(
  'started directly or by %s, a line means the same',
  (shell) => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'bc',
        '-d',
        'é',
        ' ',
        '  ',
        '\t',
        "'",
        '"',
        '$X',
        '${X}',
        '$Y',
        '\\',
        '*',
        '|',
        ';',
        '=',
        '~',
        '/',
        '.',
        ',',
        '@',
        '^',
        ':',
        '+',
      ],
    );
    const line = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
    const values = { X: `it's a "value" $HOME`, Y: '' };

    test('whenever it is started directly at all', { timeout: 60_000 }, () => {
      let direct = 0;
      fc.assert(
        fc.property(line, (text) => {
          const words = splitPlainWords(text, values);
          if (words === undefined) return;
          direct += 1;
          // Unquoted, our variables are one argument; in a shell they are so only in quotes.
          const asShell = text.replace(/\$X|\$Y|\$\{X\}/g, (reference, at: number) =>
            quoteAt(text, at) === '' ? `"${reference}"` : reference,
          );
          const { stdout } = spawnSync(shell, ['-c', `printf '%s\\0' x ${asShell}`], {
            encoding: 'utf8',
            env: { ...process.env, ...values },
          });
          expect(stdout.split('\0').slice(1, -1)).toEqual(words);
        }),
        { numRuns: 400 },
      );
      expect(direct).toBeGreaterThan(20);
    });
  },
);

/** The quotes a place of the text is within. */
const quoteAt = (text: string, at: number): string => {
  let quote = '';
  for (const character of text.slice(0, at)) {
    if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
  }
  return quote;
};

describe.skipIf(process.platform === 'win32').each(['sh', 'bash', 'dash'])('F65 through %s', (shell) => {
  test('any value of a variable arrives as one literal argument and nothing of it runs', () => {
    const value = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\0', ''));
    const hostile = fc.constantFrom(
      '; rm -rf x',
      '$(touch x)',
      '`x`',
      '%PATH%',
      `'"`,
      'a\nb',
      '-n',
      '*',
      '~',
      '',
      '\\',
    );
    fc.assert(
      fc.property(fc.oneof(value, hostile), (text) => {
        const known = { X: text };
        const line = `true; printf '%s\\0' $X "$X" a\${X}b`;
        const started = createLaunch({ command: line, shell }, known, {
          ...linux,
          ...findShells({ PATH: process.env.PATH ?? '' }, '/nowhere'),
        });
        const { stdout } = spawnSync(started.file, started.args, {
          encoding: 'utf8',
          env: { ...process.env, X: text },
        });
        expect(stdout.split('\0').slice(0, -1)).toEqual([text, text, `a${text}b`]);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
