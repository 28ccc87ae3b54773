import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigSource, type HookConfig, noticeText, withOrigin } from '../../../src/protocol/index.ts';
import { inspectLaunch } from '../../../src/runners/preflight/inspect-launch.ts';
import { type createLaunch, selectKnownVariables } from '../../../src/runners/process-api.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let cwd = '';
let home = '';

beforeEach(() => {
  const directory = temporaryFolder('inspect');
  cwd = join(directory, 'work');
  home = join(directory, 'a home');
  for (const made of [cwd, join(home, 'bin')]) mkdirSync(made, { recursive: true });
});

afterEach(() => rmSync(join(cwd, '..'), { recursive: true, force: true }));

const inspect = (hook: HookConfig, machine: Partial<Parameters<typeof createLaunch>[2]> = {}): string[] =>
  inspectLaunch(hook, {
    cwd,
    variables: selectKnownVariables({ projectDir: cwd, cwd, sessionId: 's1' }),
    machine: {
      platform: 'linux',
      environment: { PATH: '/usr/bin:/bin', HOME: home },
      bash: '/bin/bash',
      ...machine,
    },
  }).map(noticeText);

const script = (text: string, path = join(cwd, 'check.sh')): string => {
  writeFileSync(path, text, { mode: 0o755 });
  return path;
};

describe('a script that is there, and yet would not run', () => {
  test.each([
    ['a good one', '#!/bin/sh\ntrue\n', []],
    ['one without a first line of its own', 'true\n', []],
    ['what env finds', '#!/usr/bin/env -S sh -e\ntrue\n', []],
    [
      'line ends of Windows',
      '#!/bin/sh\r\ntrue\r\n',
      [
        "bad-script: ./check.sh has Windows line endings (CRLF); run sed -i 's/\\r$//' ./check.sh, and write *.sh text eol=lf into .gitattributes",
      ],
    ],
    [
      'a byte order mark',
      '\ufeff#!/bin/sh\n',
      ['bad-script: ./check.sh begins with a byte order mark; store it as UTF-8 without a byte order mark'],
    ],
    [
      'an interpreter that is not there',
      '#!/no/such/sh\n',
      [
        'bad-script: the first line of ./check.sh names /no/such/sh, which does not exist; install sh, or name another program',
      ],
    ],
    [
      'an interpreter that env does not find',
      '#!/usr/bin/env none-such\n',
      [
        'bad-script: the first line of ./check.sh names none-such, which is not in PATH; install none-such, or name another program',
      ],
    ],
  ])('F09 %s', (_title, text, expected) => {
    script(text);
    expect(inspect({ command: './check.sh' })).toEqual(expected);
    expect(inspect({ command: './check.sh | cat' })).toEqual(expected);
    expect(inspect({ command: './check.sh', args: [] }, { platform: 'win32' })).toEqual([]);
  });

  test('F09 CRLF matters to the shell that reads a script, and not to node', () => {
    script('true\r\n');
    script('process.exit(0);\r\n', join(cwd, 'check.mjs'));
    expect(inspect({ command: 'bash check.sh' }).join()).toContain('bad-script: check.sh has Windows line endings');
    expect(inspect({ command: 'node check.mjs' }, { environment: { PATH: process.env.PATH ?? '' } })).toEqual([]);
  });

  test('what is no text is not looked into', () => {
    script('#!/no/such\0\r\n');
    expect(inspect({ command: './check.sh' })).toEqual([]);
  });
});

describe('~/ at the beginning of a word', () => {
  test('is the home directory, also when that has a blank', () => {
    const path = join(home, 'bin/x.sh');
    expect(inspect({ command: '~/bin/x.sh --fast' })).toEqual([
      `executable-not-found: ${path} does not exist; correct the command, or create the program`,
    ]);
    expect(inspect({ command: 'sh ~/bin/x.sh' })[0]).toContain(`runs ${path}, which does not exist`);
    script('#!/bin/sh\n', path);
    expect(inspect({ command: '~/bin/x.sh --fast' })).toEqual([]);
    expect(inspect({ command: 'sh ~/bin/x.sh' })).toEqual([]);
  });

  test('is the one the hook sets for itself', () => {
    const path = join(cwd, 'bin/x.sh');
    expect(inspect({ command: '~/bin/x.sh', env: { HOME: cwd } })[0]).toContain(`${path} does not exist`);
  });

  test('means nothing where no shell reads the command', () => {
    script('#!/bin/sh\n', join(home, 'bin/x.sh'));
    expect(inspect({ command: '~/bin/x.sh', args: [] })[0]).toContain(
      'no shell replaces ~ in a command with args; write "command": "$HOME/bin/x.sh"',
    );
  });
});

describe('R1634 a path that is written for another shell', () => {
  beforeEach(() => {
    mkdirSync(join(cwd, 'my hooks'));
    script('#!/bin/sh\n', join(cwd, 'my hooks/check.sh'));
    mkdirSync(join(cwd, 'hooks'));
    script('#!/bin/sh\n', join(cwd, 'hooks/check.sh'));
    script('#!/bin/sh\n', join(home, 'bin/x.sh'));
  });

  test.each([
    ['./my hooks/check.sh --all', `write "command": "'./my hooks/check.sh' --all"`],
    ['python3 my hooks/check.sh', `write "command": "python3 'my hooks/check.sh'"`],
    ['hooks\\check.sh --all', 'write "command": "./hooks/check.sh --all"'],
    ['"~/bin/x.sh"', 'write "command": "\\"$HOME/bin/x.sh\\""'],
  ])('R1634 %j has the right line to write', (command, line) => {
    expect(inspect({ command }).join('\n')).toContain(line);
  });

  test.each(["'./my hooks/check.sh' --all", './hooks/check.sh my hooks', 'printf "a\\nb"', '~/bin/x.sh'])(
    'R1634 %j is left alone',
    (command) => {
      expect(inspect({ command })).toEqual([]);
    },
  );

  test.each<[HookConfig, string]>([
    [
      { command: "bash '$HOOKWRIGHT_PROJECT_DIR/hooks/check.sh'" },
      'in single quotes a variable is not replaced; write "command": "bash \\"$HOOKWRIGHT_PROJECT_DIR/hooks/check.sh\\""',
    ],
    [
      { command: 'sh', args: ['~/bin/x.sh', '~/data'] },
      'no shell replaces ~ in a command with args; write "args": ["$HOME/bin/x.sh","~/data"]',
    ],
  ])('R1782 %j has the right line to write', (hook, line) => {
    expect(inspect(hook).join('\n')).toContain(line);
  });

  test('R1782 a script beside the settings that name it is found there', () => {
    mkdirSync(join(cwd, '.hookwright'));
    script('#!/bin/sh\n', join(cwd, '.hookwright/guard.sh'));
    const position = { file: join(cwd, '.hookwright/settings.json'), line: 1, column: 1 };
    const hook = withOrigin({ command: './guard.sh' }, { source: ConfigSource.Project, position });
    expect(inspect(hook).join('\n')).toContain('write "command": "$HOOKWRIGHT_PROJECT_DIR/.hookwright/guard.sh"');
    const other = withOrigin({ command: './none.sh' }, { source: ConfigSource.Project, position });
    expect(inspect(other).join('\n')).not.toContain('HOOKWRIGHT_PROJECT_DIR');
  });

  test('R1634 backslashes separate directories on Windows', () => {
    expect(inspect({ command: 'hooks\\check.sh' }, { platform: 'win32' }).join('\n')).not.toContain('backslashes');
  });
});

describe('R1783 a script that looks for a field of the input under another name', () => {
  test.each([
    ['echo "$CLAUDE_TOOL_INPUT" | grep rm', 'CLAUDE_TOOL_INPUT', 'tool_input'],
    ['const { toolResponse } = event;', 'toolResponse', 'tool_response'],
  ])('R1783 %j', (text, other, field) => {
    script(text);
    expect(inspect({ command: './check.sh' })).toEqual([
      `unknown-name: ./check.sh names ${other} and never ${field}; read ${field} from the JSON that the hook gets on stdin`,
    ]);
  });

  test('R1783 and none that names the field too, or neither', () => {
    script('const toolInput = event.tool_input;');
    expect(inspect({ command: './check.sh' })).toEqual([]);
    script('grep -q rm && exit 2');
    expect(inspect({ command: './check.sh' })).toEqual([]);
  });
});
