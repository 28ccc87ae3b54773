import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { linkTargetOutside } from '../../src/cli/sources/sessions.ts';
import { readRecordedShapes, writeShape } from '../../src/cli/sources/stdin-shapes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let root: string;
let cwd: string;
let sessions: string;
beforeEach(() => {
  root = temporaryFolder('shapes');
  cwd = join(root, 'project');
  sessions = join(cwd, '.hookwright/sessions');
  mkdirSync(sessions, { recursive: true });
});

const shape = '{"agent":"codex","event":"PreToolUse","shape":{"a":"string"}}';

const makeLarge = (file: string): void => {
  writeFileSync(file, '');
  truncateSync(file, 2 ** 31);
};

const linkOut = (file: string): void => {
  writeFileSync(join(root, 'x'), shape);
  symlinkSync(join(root, 'x'), file);
};

describe.skipIf(process.platform === 'win32')('R684 the shapes of what agents sent', () => {
  test('are kept in a new file, with nothing raw that cannot be seen, and read again', () => {
    writeShape(join(sessions, 'a.jsonl'), { agent: 'codex', event: 'Stop', document: { 'a\u202eb': 1 } });
    expect(readFileSync(join(sessions, 'a.stdin.json'), 'utf8')).toContain('a\\u202eb');
    expect(readRecordedShapes(cwd)).toMatchObject({ recorded: [{ document: { 'a\u202eb': 'number' } }], problems: [] });
  });

  test('are not written through what lies there already', () => {
    symlinkSync(join(root, 'elsewhere'), join(sessions, 'a.stdin.json'));
    expect(() => writeShape(join(sessions, 'a.jsonl'), { agent: 'codex', event: 'Stop', document: {} })).toThrow(
      'EEXIST',
    );
  });

  test.each<[what: string, make: (file: string) => void, said: string]>([
    ['a pipe', (file) => execFileSync('mkfifo', [file]), 'is not a regular file'],
    ['a device', (file) => symlinkSync('/dev/zero', file), 'leads out of this directory'],
    ['two gigabytes', makeLarge, 'at most'],
    ['a link out of the directory', linkOut, 'leads out of this directory'],
    ['a link to itself', (file) => symlinkSync(file, file), 'is a symbolic link to itself'],
  ])('are no shapes where there is %s, which is said and not waited for', (_what, make, said) => {
    make(join(sessions, 'a.stdin.json'));
    expect(readRecordedShapes(cwd)).toMatchObject({
      recorded: [],
      problems: [{ message: expect.stringContaining(said) }],
    });
  });
});

test.skipIf(process.platform === 'win32')('a link that leads to itself leads nowhere else', () => {
  symlinkSync(join(cwd, 'loop'), join(cwd, 'loop'));
  expect(linkTargetOutside(cwd, join(cwd, 'loop'))).toBeUndefined();
});
