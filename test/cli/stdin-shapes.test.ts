import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runForJson, startCommand } from './support/run-command.ts';

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

/** Codex fires Stop, and what it sends is recorded. */
const recordStop = (document: object) =>
  startCommand(cwd, ['run', 'Stop', '--as-hook', '--agent', 'codex', '--record'], { stdin: JSON.stringify(document) })
    .ended;

const driftOf = () => runForJson(cwd, 'doctor', '--drift');

describe.skipIf(process.platform === 'win32')('R684 the shapes of what agents sent', () => {
  test('are kept in a new file, with nothing raw that cannot be seen, and read again', async () => {
    await recordStop({ 'a\u202eb': 'secret' });
    const [file = ''] = readdirSync(sessions).filter((name) => name.endsWith('.stdin.json'));
    const text = readFileSync(join(sessions, file), 'utf8');
    expect(JSON.parse(text)).toEqual({ agent: 'codex', event: 'Stop', shape: { 'a\u202eb': 'string' } });
    expect(text).toContain('a\\u202eb');
    expect(await driftOf()).toMatchObject({
      data: { drifts: expect.arrayContaining([expect.objectContaining({ key: 'a\u202eb', kind: 'unknown' })]) },
      problems: [],
    });
  });

  test('are not written through what lies there already', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-02T03:04:05.678Z') });
    onTestFinished(() => void vi.useRealTimers());
    const file = join(sessions, '2026-01-02T03-04-05-678Z.stdin.json');
    await recordStop({});
    expect(readFileSync(file, 'utf8')).toContain('"event":"Stop"');
    for (const name of readdirSync(sessions)) rmSync(join(sessions, name));
    symlinkSync(join(root, 'elsewhere'), file);
    await recordStop({});
    expect(existsSync(join(root, 'elsewhere'))).toBe(false);
  });

  test.each<[what: string, make: (file: string) => void, said: string]>([
    ['a pipe', (file) => execFileSync('mkfifo', [file]), 'is not a regular file'],
    ['a device', (file) => symlinkSync('/dev/zero', file), 'leads out of this directory'],
    ['two gigabytes', makeLarge, 'at most'],
    ['a link out of the directory', linkOut, 'leads out of this directory'],
    ['a link to itself', (file) => symlinkSync(file, file), 'is a symbolic link to itself'],
  ])('are no shapes where there is %s, which is said and not waited for', async (_what, make, said) => {
    make(join(sessions, 'a.stdin.json'));
    expect(await driftOf()).toMatchObject({
      data: { compared: [] },
      problems: [{ message: expect.stringContaining(said) }],
    });
  });
});
