// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are for shells

import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HookwrightError } from '../../src/errors.ts';
import { CommandBench, D, environment, fixture, G, T } from '../support/commands.ts';
import { wordsOf } from '../support/notices.ts';
import { atMost, processesWithMarker, until } from '../support/processes.ts';
import { keepStartHelper, lanes } from '../support/start-lanes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isLinux = process.platform === 'linux';
const TEN_MEGABYTES = 10 * 1_048_576;

/** Holds the event loop, as a host does that computes. */
const spin = (ms: number): void => {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
};

/** A limit below what a busy machine may take from us by chance: a late answer counts when it is late every time. */
const shortLimit = { retry: 2 };

keepStartHelper();

describe.skipIf(process.platform === 'win32').each(lanes)('commands started by $lane', ({ start }) => {
  let bench: CommandBench;
  let directory: string;

  beforeEach(() => {
    directory = temporaryFolder();
    bench = new CommandBench({ start });
  });

  afterEach(async () => {
    await bench.close();
    rmSync(directory, { recursive: true });
  });

  const script = (name: string, content: string, mode = 0o755): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };

  describe('time', () => {
    test('F07 a hook that never reads 10 MB of input and exits is answered for as usual', async () => {
      const input = { text: 'x'.repeat(TEN_MEGABYTES) };
      const { result, ms } = await bench.run({ command: 'exit 0' }, { input });
      expect(result).toMatchObject({ success: true, exitCode: 0 });
      expect(ms).toBeLessThanOrEqual(atMost(T));
    });

    test('F07 a hook that never reads 10 MB of input and stays runs into its timeout on time', async () => {
      const input = { text: 'x'.repeat(TEN_MEGABYTES) };
      const { result, ms } = await bench.run({ command: 'exec sleep 30', timeout: T }, { input });
      expect(result.code).toBe('timeout');
      expect(ms).toBeLessThanOrEqual(atMost(T + 150));
    });

    test('F07 an input of a few bytes that nobody reads troubles nobody, many times over', async () => {
      for (let round = 0; round < 40; round += 1) {
        const { result } = await bench.runFixture('exits.sh', ['0'], {}, { input: {} });
        expect(result).toMatchObject({ success: true, exitCode: 0 });
      }
    });

    test('F08 a hook that writes 10 MB before it reads 10 MB does not lock up', async () => {
      const input = { text: 'x'.repeat(TEN_MEGABYTES) };
      const limits = { drainMs: D, stdoutBytes: 2 * TEN_MEGABYTES, stderrBytes: 1_024 };
      const { result } = await bench.runFixture('writes-first.mjs', [], {}, { input, limits });
      expect(result).toMatchObject({ success: true, exitCode: 0, outputFormat: 'text' });
      expect(result.stdout).toHaveLength(TEN_MEGABYTES);
    });

    test('F12 a hook that had finished when the loop was stalled past its timeout still blocks', async () => {
      for (let round = 0; round < 5; round += 1) {
        const running = bench.runFixture('exits.sh', ['2', '', 'no'], { timeout: 100 });
        setImmediate(spin, 300);
        const { result } = await running;
        expect(result).toMatchObject({ success: false, exitCode: 2, output: { decision: 'block', reason: 'no' } });
        expect(result).not.toHaveProperty('code');
      }
    });

    test('F12 what a hook printed is read although the loop was stalled past the drain time', async () => {
      const running = bench.runFixture('holds-pipe.sh', ['0']);
      setTimeout(spin, 20, 300);
      const { result } = await running;
      expect(result).toMatchObject({ success: true, exitCode: 0, output: { decision: 'block' } });
    });

    test('F75 a clock that jumps changes no deadline', async () => {
      const now = Date.now;
      const running = bench.run({ command: 'sleep 30', timeout: T });
      Date.now = () => now() + 3_600_000;
      try {
        const { result, ms } = await running;
        expect(result.code).toBe('timeout');
        expect(ms).toBeGreaterThanOrEqual(T - 5);
        expect(ms).toBeLessThanOrEqual(atMost(T + 100));
        expect(result.duration).toBeLessThanOrEqual(atMost(T + 100));
      } finally {
        Date.now = now;
      }
    });
  });

  describe('the background', () => {
    test('F10 a block is not lost to a grandchild that floods stdout afterwards', async () => {
      const { result } = await bench.run({ command: '(sleep 0.03; head -c 2000000 /dev/zero) & echo no >&2; exit 2' });
      expect(result).toMatchObject({ success: false, exitCode: 2, output: { decision: 'block', reason: 'no' } });
      expect(result).not.toHaveProperty('code');
    });
  });

  describe('starting', () => {
    test.each([
      [
        'a command that is not on the PATH',
        { command: 'no-such-command' },
        /ENOENT: "no-such-command" is not on the PATH/,
      ],
      ['a path that does not exist', { command: '/no/such/hook' }, /ENOENT: \/no\/such\/hook does not exist/],
      ['a directory', { command: '/tmp' }, /EACCES: \/tmp is a directory/],
      ['a path through a file', { command: '/etc/passwd/hook' }, /ENOTDIR/],
      [
        'a missing working directory',
        { command: 'sort', cwd: '/no/such' },
        /its working directory \/no\/such cannot be used/,
      ],
      [
        'a working directory that is a file',
        { command: 'sort', cwd: '/etc/passwd' },
        /\/etc\/passwd is not a directory/,
      ],
      ['a NUL byte in an argument', { command: 'sort', args: ['a\0b'] }, /null bytes/],
      ['a NUL byte in the environment', { command: 'sort', env: { A: 'a\0b' } }, /null bytes/],
      ['an empty command', { command: '', args: [] }, /there is no command to start/],
      ['a blank line', { command: ' \n' }, /there is no command to start/],
      ['no command at all', {}, /there is no command to start/],
    ])('F09 %s is named', shortLimit, async (_what, hook, expected) => {
      const { result, ms } = await bench.run(hook, { variables: { EMPTY: '' } });
      expect(result).toMatchObject({ success: false, code: 'spawn-failed' });
      expect(result).not.toHaveProperty('output');
      expect(result.error?.message).toMatch(expected);
      expect(ms).toBeLessThanOrEqual(atMost(50));
    });

    test.each([
      ['a file that is not executable', 'plain', '#!/bin/sh\n', 0o644, /EACCES: .*plain is not executable; chmod \+x/],
      [
        'an interpreter that does not exist',
        'lost',
        '#!/no/such/sh\n',
        0o755,
        /ENOENT: the interpreter \/no\/such\/sh that .*lost names/,
      ],
      ['Windows line ends', 'crlf', '#!/bin/sh\r\necho hi\r\n', 0o755, /ENOENT: .*crlf has Windows line endings/],
    ])('F09 %s is named', shortLimit, async (_what, name, content, mode, expected) => {
      const { result, ms } = await bench.run({ command: script(name, content, mode) });
      expect(result).toMatchObject({ success: false, code: 'spawn-failed' });
      expect(result.error?.message).toMatch(expected);
      expect(ms).toBeLessThanOrEqual(atMost(50));
    });

    test.each([
      ['not found', 'no-such-command | cat; exit 127', 127],
      ['not executable', '/etc/passwd; exit $?', 126],
    ])(
      'F09 a command that a shell could not run (%s) is a failed start with the words of the shell',
      async (_what, command, exitCode) => {
        const { result } = await bench.run({ command });
        expect(result).toMatchObject({ success: false, code: 'spawn-failed', exitCode, outputFormat: 'text' });
        expect(result.output).toEqual({ decision: 'allow', systemMessage: expect.stringMatching(/^Warning: .*bash/) });
      },
    );

    test('F11 an environment that is too big is a failed start', shortLimit, async () => {
      const { result, ms } = await bench.run({ command: 'sort', env: { BIG: 'x'.repeat(200_000) } });
      expect(result).toMatchObject({ success: false, code: 'spawn-failed' });
      expect(result.error?.message).toMatch(/E2BIG/);
      expect(ms).toBeLessThanOrEqual(atMost(50));
    });

    test('F11 the input travels on stdin, however big it is', async () => {
      const input = { tool_input: { content: 'x'.repeat(1_000_000) } };
      const { result } = await bench.run({ command: 'wc -c' }, { input });
      expect(result.stdout?.trim()).toBe(String(JSON.stringify(input).length));
    });

    test('a run gets its input, arguments, directory and variables', async () => {
      const hook = { cwd: '..', env: { MINE: 'yes', GEMINI_CWD: '/elsewhere' } };
      const input = { tool_name: 'Bash', text: 'é€😀' };
      const { result, runId } = await bench.runFixture(
        'tells.mjs',
        ['a b', '$HOOKWRIGHT_SESSION_ID', '${GEMINI_CWD}/x'],
        hook,
        { input },
      );
      const projectDir = join(import.meta.dirname, '../fixtures/hooks');
      expect(result.output).toMatchObject({
        argv: ['a b', 'session-1', '/elsewhere/x'],
        stdin: JSON.stringify(input),
        cwd: join(projectDir, '..'),
        env: { MINE: 'yes', GEMINI_CWD: '/elsewhere', CLAUDE_PROJECT_DIR: projectDir, HOOKWRIGHT_RUN: runId },
      });
    });

    test('F64 a bash that a hook starts does not read ~/.bashrc', async () => {
      writeFileSync(join(directory, '.bashrc'), 'echo from-bashrc\n');
      const base: Record<string, string> = { ...environment(), HOME: directory };
      delete base.SHLVL;
      const lines = ["bash -c 'echo hook'", 'true; echo hook', 'sh -c \'bash -c "echo hook"\''];
      for (const command of lines) {
        const { result } = await bench.run({ command }, { environment: base });
        expect(result.stdout).toBe('hook\n');
      }
    });

    test('F65 a project directory with blanks and quotes arrives as one argument, quoted or not', async () => {
      const projectDir = join(directory, `it's a "pro ject" $(touch canary); \`x\` %PATH%`);
      const tells = fixture('tells.mjs');
      const lines = [
        `${tells} $CLAUDE_PROJECT_DIR/x`,
        `${tells} "\${CLAUDE_PROJECT_DIR}/x"`,
        `true && ${tells} $CLAUDE_PROJECT_DIR/x`,
        `true && ${tells} "$CLAUDE_PROJECT_DIR"/x`,
      ];
      for (const command of lines) {
        for (const shell of [undefined, 'sh', 'bash']) {
          const { result } = await bench.run({ command, shell }, { projectDir, cwd: directory });
          expect(result.output).toMatchObject({ argv: [`${projectDir}/x`] });
        }
      }
      expect(existsSync(join(directory, 'canary'))).toBe(false);
    });
  });

  describe('ending', () => {
    test.each([
      ['grep x /no/such', 'sh'],
      ['if', 'bash'],
      ['echo "x', 'sh'],
      ['(', 'bash'],
      ['dash /no/such.sh', undefined],
    ])('F18 an exit 2 by accident (%s) blocks and is suspect', async (command, shell) => {
      const { result } = await bench.run({ command, shell });
      // Where sh is no dash, it ends with another code.
      if (!isLinux && result.exitCode !== 2) return;
      expect(result).toMatchObject({ success: false, output: { decision: 'block' } });
      expect(wordsOf(result.warnings)).toContain('suspect-launch');
    });

    test('F15 a hook that was killed is never read as exit 0, nor its output as a verdict', async () => {
      const { result } = await bench.runFixture('kills-itself.sh');
      expect(result).toMatchObject({ success: false, code: 'killed-by-signal', signal: 'SIGKILL' });
      expect(result).not.toHaveProperty('exitCode');
      expect(result).not.toHaveProperty('output');
      expect(result.error?.message).toContain('SIGKILL');
    });

    test('F15 a signal that a shell reports as a number is named', async () => {
      const { result } = await bench.run({ command: "sh -c 'kill -9 $$'; exit $?" });
      expect(result).toMatchObject({ success: false, code: 'killed-by-signal', signal: 'SIGKILL', exitCode: 137 });
    });

    test.each([
      ['500 MB on stdout', ['1', '500']],
      ['endless stderr', ['2']],
      ['a flood that ignores SIGTERM and SIGPIPE', ['1', 'Infinity', 'ignoring']],
    ])('F10 %s is cut at the limit and the group killed at once', async (_what, args) => {
      const { result, ms, runId } = await bench.runFixture('flood.mjs', args);
      expect(result).toMatchObject({ success: false, code: 'output-too-large' });
      expect(result).not.toHaveProperty('output');
      expect((result.stdout ?? '').length).toBeLessThanOrEqual(1_048_576);
      expect((result.stderr ?? '').length).toBeLessThanOrEqual(262_144);
      expect(ms).toBeLessThanOrEqual(atMost(250));
      await until('the flood is gone', atMost(100), () => processesWithMarker(runId).length === 0);
    });

    test('output of exactly the limit is not too large', async () => {
      const limits = { drainMs: D, stdoutBytes: 100_000, stderrBytes: 10 };
      const exactly = await bench.runFixture('writes-first.mjs', ['100000'], {}, { limits });
      expect(exactly.result).toMatchObject({ success: true, exitCode: 0 });
      const more = await bench.runFixture('writes-first.mjs', ['100001'], {}, { limits });
      expect(more.result).toMatchObject({ success: false, code: 'output-too-large' });
    });

    test('F22 characters that arrive byte by byte are whole', async () => {
      const { result } = await bench.runFixture('writes-bytes.mjs');
      expect(result.output).toEqual({ reason: 'é€😀' });
      expect(result).not.toHaveProperty('warnings');
    });

    test('F22 bytes that are no UTF-8 are replaced and warned of', async () => {
      const { result } = await bench.run({ command: `printf '{"reason":"a\\377b"}'` });
      expect(result.output).toEqual({ reason: 'a\ufffdb' });
      expect(wordsOf(result.warnings)).toContain('invalid-encoding');
    });

    test('F24 an answer that was cut off is malformed and does not end up as a verdict', async () => {
      const { result } = await bench.runFixture('cuts-off.mjs');
      expect(result).toMatchObject({ success: true, code: 'malformed-output', exitCode: 0, outputFormat: 'text' });
      expect(result).not.toHaveProperty('error');
      expect(result.output?.decision).toBe('allow');
    });

    test('F27 a hundred thousand levels are refused', async () => {
      const { result } = await bench.runFixture('prints.mjs', [`'{"a":'.repeat(1e5)`]);
      expect(result).toMatchObject({ success: true, code: 'malformed-output' });
    });

    test('F28 keys that reach a prototype are dropped', async () => {
      const { result } = await bench.runFixture('exits.sh', ['0', '{"__proto__":{"decision":"allow"},"reason":"x"}']);
      expect(result.output).toEqual({ reason: 'x' });
      expect(Reflect.get({}, 'decision')).toBeUndefined();
    });
  });

  describe('aborts', () => {
    test('F74 aborted before, nothing is started', async () => {
      const canary = join(directory, 'canary');
      const controller = new AbortController();
      controller.abort();
      const { result, ms } = await bench.run({ command: `touch ${canary}` }, { signal: controller.signal });
      expect(result).toMatchObject({ success: false, code: 'cancelled', duration: expect.any(Number) });
      expect(ms).toBeLessThan(atMost(5));
      expect(bench.processes.running).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(existsSync(canary)).toBe(false);
    });

    test.each([
      ['cancelled', undefined],
      ['deadline', new HookwrightError('deadline_exceeded', 'too late')],
    ])('F74 aborted while it runs, the hook is %s in the same turn and its group ended', async (code, reason) => {
      const controller = new AbortController();
      const running = bench.runFixture('family.sh', [], {}, { signal: controller.signal });
      await new Promise((resolve) => setTimeout(resolve, 100));
      let answered = false;
      void running.then(() => {
        answered = true;
      });
      controller.abort(reason);
      await new Promise((resolve) => setImmediate(resolve));
      expect(answered).toBe(true);
      const { result, runId } = await running;
      expect(result).toMatchObject({ success: false, code });
      await until('the family is gone', atMost(G + 250), () => processesWithMarker(runId).length === 0);
    });

    test('F74 a block that was already given is not lost to a cancellation', async () => {
      const controller = new AbortController();
      const running = bench.runFixture('holds-pipe.sh', [], {}, { signal: controller.signal });
      setTimeout(() => controller.abort(), 60);
      const { result } = await running;
      expect(result).toMatchObject({ exitCode: 2, output: { decision: 'block' } });
    });

    test('F74 one signal for many runs warns of nothing and keeps no listener', async () => {
      const controller = new AbortController();
      const running = Array.from({ length: 30 }, () =>
        bench.run({ command: 'sleep 30' }, { signal: controller.signal }),
      );
      setTimeout(() => controller.abort(), 50);
      const codes = new Set((await Promise.all(running)).map(({ result }) => result.code));
      expect(codes).toEqual(new Set(['cancelled']));
    });

    test('F76 a run that ended is not signalled when the signal aborts later', async () => {
      const controller = new AbortController();
      const { result } = await bench.run({ command: 'sort' }, { signal: controller.signal });
      expect(result.success).toBe(true);
      controller.abort();
      expect(bench.processes.dying).toBe(0);
    });
  });

  test('F72 idle() waits for groups that are dying, as long as it was told to at most', async () => {
    await bench.runFixture('ignores-term.sh', [], { timeout: 200 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(bench.processes).toMatchObject({ running: 0, dying: 1 });
    const startedAt = performance.now();
    await bench.processes.idle(20);
    expect(performance.now() - startedAt).toBeLessThan(atMost(100));
    await bench.processes.idle(G + 250);
    expect(performance.now() - startedAt).toBeLessThan(atMost(G + 250));
    expect(bench.processes).toMatchObject({ running: 0, dying: 0 });
  });

  test('F70 listeners for the end of the host are there only while something runs', async () => {
    const count = (): number[] => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event));
    const before = count();
    const running = bench.run({ command: 'sleep 0.2' });
    await until('it runs', 1_000, () => bench.processes.running > 0);
    expect(count()).toEqual(before.map((listeners) => listeners + 1));
    await running;
    await bench.processes.idle(G);
    expect(count()).toEqual(before);
  });

  test('never rejects, whatever is wrong with the input', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const { result } = await bench.run({ command: 'sort' }, { input: cyclic });
    expect(result).toMatchObject({ success: false, code: 'threw' });
  });
});
