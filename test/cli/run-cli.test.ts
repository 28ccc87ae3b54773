import { EventEmitter } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type commands as ours, runCli } from '../../src/cli/index.ts';
import { HookwrightError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runForJson } from './support/run-command.ts';

type CliHost = Parameters<typeof runCli>[0];
type Command = (typeof ours)[number];
type Prepared = ReturnType<Command['prepare']>;
type Context = Parameters<Prepared['run']>[0];

const spec = { name: 'try', summary: 'try it', examples: [], exit: { ok: 'fine', findings: 'not' } };

/** A process that is none: its streams are read here, its signals are sent from here. */
const hostFor = (words: readonly string[], env: Record<string, string> = {}, isTTY = false) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const written = { stdout: '', stderr: '' };
  stdout.setEncoding('utf8').on('data', (text) => {
    written.stdout += String(text);
  });
  stderr.setEncoding('utf8').on('data', (text) => {
    written.stderr += String(text);
  });
  const events = new EventEmitter();
  const exits: number[] = [];
  const host: CliHost = {
    argv: ['node', 'hookwright', ...words],
    env,
    stdin: Readable.from([]),
    stdout: Object.assign(stdout, { isTTY, columns: 80 }),
    stderr: Object.assign(stderr, { isTTY, columns: 80 }),
    cwd: () => import.meta.dirname,
    exit: (code) => exits.push(code),
    on: (event: string, listener: (error: Error) => void) => events.on(event, listener),
  };
  return { host, written, exits, events };
};

const commandsWith = (run: (context: Context) => ReturnType<Prepared['run']>): Command[] => [
  {
    spec,
    prepare: (words) => ({ global: { json: words.includes('--json'), cwd: undefined, help: false, renamed: [] }, run }),
  },
];

const failing = (error: unknown) => commandsWith(() => Promise.reject(error));

describe('a command that fails', () => {
  test('for a reason of ours ends with 70 and no stack, and with the stack where it is asked for', async () => {
    const quiet = hostFor(['try']);
    expect(await runCli(quiet.host, failing(new TypeError('oh no')))).toBe(70);
    expect(quiet.written.stderr).toMatch(/^hookwright try: oh no\n {2}this should not happen/);
    expect(quiet.written.stderr).not.toContain('    at ');
    const debug = hostFor(['try'], { HOOKWRIGHT_DEBUG: '1' });
    await runCli(debug.host, failing(new TypeError('oh no')));
    expect(debug.written.stderr).toContain('    at ');
  });

  test.each([
    [new HookwrightError('invalid_argument', 'wrong'), 64, 'usage'],
    [new HookwrightError('cancelled', 'stopped'), 130, 'interrupted'],
    [new HookwrightError('internal_error', 'broken'), 70, 'internal'],
    ['thrown text', 70, 'internal'],
  ])('with %s ends with %i', async (error, code, kind) => {
    const { host, written } = hostFor(['try', '--json']);
    expect(await runCli(host, failing(error))).toBe(code);
    const envelope: unknown = JSON.parse(written.stdout);
    expect(envelope).toMatchObject({ hookwright: 1, command: 'try', ok: false, error: { code: kind }, problems: [] });
    expect(written.stderr).toBe('');
  });

  test.each([
    [['list', '--nope'], 64, 'usage', 'hookwright list --help'],
    [['why'], 1, 'nothing-there', 'hookwright record'],
  ])('because of what %j names ends with %i, and with how to go on', async (words, code, kind, hint) => {
    expect(await runForJson(temporaryFolder(), ...words)).toMatchObject({
      code,
      ok: false,
      error: { code: kind, hint: expect.stringContaining(hint) },
      problems: [],
    });
  });

  test('R2002 because of files that the user can mend ends with 1, and is no internal error', async () => {
    const { host, written } = hostFor(['try']);
    const error = new HookwrightError('invalid_config', 'the home directory is read-only');
    expect(await runCli(host, failing(error))).toBe(1);
    expect(written.stderr).toBe('hookwright try: the home directory is read-only\n');
  });

  test('R2003 because its working directory was removed ends with 64, and with how to go on', async () => {
    const { host, written } = hostFor(['try']);
    host.cwd = () => {
      throw new Error('ENOENT: no such file or directory, uv_cwd');
    };
    expect(await runCli(host, failing('not reached'))).toBe(64);
    expect(written.stderr).toMatch(/^hookwright try: the working directory no longer exists\n.*--cwd/);
  });

  test('in a callback that nobody waits for ends the process with 70', async () => {
    const { host, written, exits, events } = hostFor(['try']);
    const commands = commandsWith(async () => {
      events.emit('uncaughtException', new Error('late'));
      return { data: {}, text: () => [] };
    });
    await runCli(host, commands);
    expect(exits).toEqual([70]);
    expect(written.stderr).toContain('hookwright try: late');
  });
});

describe('an answer', () => {
  test.each([
    [{}, 0, true],
    [{ findings: true }, 1, false],
    [{ findings: true, interrupted: true }, 130, false],
  ])('with %j ends with %i', async (outcome, code, ok) => {
    const commands = commandsWith(() => Promise.resolve({ ...outcome, data: { a: 1 }, text: () => ['said'] }));
    const json = hostFor(['try', '--json']);
    expect(await runCli(json.host, commands)).toBe(code);
    expect(JSON.parse(json.written.stdout)).toEqual({
      hookwright: 1,
      command: 'try',
      ok,
      data: { a: 1 },
      problems: [],
    });
    const text = hostFor(['try']);
    expect(await runCli(text.host, commands)).toBe(code);
    expect(text.written.stdout).toBe('said\n');
  });

  test('has no control characters of others, as JSON neither, and is the same data', async () => {
    const data = { name: 'a\u009b2J\u202eb\u0007' };
    const { host, written } = hostFor(['try', '--json']);
    await runCli(
      host,
      commandsWith(() => Promise.resolve({ data, text: () => [] })),
    );
    expect(written.stdout).toMatch(/^[\x20-\x7e\n]*$/);
    expect(JSON.parse(written.stdout)).toMatchObject({ data });
  });
});

describe('on the way', () => {
  const busy = commandsWith(async (context) => {
    context.progress('half of it');
    context.note(['by the way']);
    return { data: {}, text: () => ['done'] };
  });

  test('progress is silent where nobody looks, and notes go to stderr', async () => {
    const { host, written } = hostFor(['try']);
    await runCli(host, busy);
    expect(written).toEqual({ stdout: 'done\n', stderr: 'by the way\n' });
  });

  test('progress is taken away before anything else is shown', async () => {
    const { host, written } = hostFor(['try'], {}, true);
    await runCli(host, busy);
    expect(written.stderr).toBe('\r\u001b[2Khalf of it\r\u001b[2Kby the way\n');
  });

  test('the first Ctrl-C asks for an end, the second one does not wait for it', async () => {
    const { host, exits, events } = hostFor(['try']);
    const commands = commandsWith(async ({ signal }) => {
      events.emit('SIGINT');
      expect(signal.aborted).toBe(true);
      expect(exits).toEqual([]);
      events.emit('SIGINT');
      return { data: {}, text: () => ['so far'] };
    });
    await runCli(host, commands);
    expect(exits).toEqual([130]);
  });

  test('a reader that goes away stops the command, and nothing is said about it', async () => {
    const { host, written } = hostFor(['try']);
    const commands = commandsWith(async (context) => {
      host.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      expect(context.signal.aborted).toBe(true);
      context.item({}, () => ['nobody reads this']);
      return { data: {}, text: () => ['nor this'] };
    });
    expect(await runCli(host, commands)).toBe(0);
    expect(written).toEqual({ stdout: '', stderr: '' });
  });
});
