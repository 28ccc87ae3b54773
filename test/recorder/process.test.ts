import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readSession } from '../../src/sessions/index.ts';
import { buildHost, startHost } from '../support/hosts.ts';
import { collect, createSampleRequest, createSampleResponse, header, linesOf, newFile } from './support.ts';

let host = '';

beforeAll(async () => {
  host = await buildHost('records');
}, 30_000);

const MB = 1_000_000;

const run = async (what: string, file: string, args: readonly string[] = [], prefix: readonly string[] = []) =>
  startHost(host, [what, file, ...args], prefix).ended;

const idsOf = async (file: string): Promise<string[]> =>
  (await collect(readSession(file))).map(({ message }) => message.correlationId);

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `call-${index}`);

describe('when the host ends', () => {
  test.each(['return', 'exit', 'throw', 'in a promise'])(
    'everything that was published is in the file, also by what listens to the exit: %s',
    async (how) => {
      const file = newFile();
      const { exitCode } = await run('ends', file, [how]);
      expect(exitCode).toBe(how === 'throw' || how === 'in a promise' ? 1 : 0);
      expect(await idsOf(file)).toEqual(ids(1_001));
    },
  );

  test('a recorder does not keep it alive', async () => {
    const file = newFile();
    const { exitCode, ms } = await run('idle', file);
    expect(exitCode).toBe(0);
    expect(ms).toBeLessThan(5_000);
    expect(linesOf(file)).toHaveLength(1);
  });

  test('by SIGKILL in the middle of everything, what it leaves is a session', async () => {
    for (let round = 0; round < 3; round += 1) {
      const file = newFile();
      const { child, says, ended } = startHost(host, ['forever', file]);
      await says('going');
      await new Promise((resolve) => setTimeout(resolve, round * 7));
      child.kill('SIGKILL');
      expect(await ended).toMatchObject({ signal: 'SIGKILL' });
      const session = readSession(file);
      const entries = await collect(session);
      expect(entries.length).toBeGreaterThan(1_000);
      expect(entries.map(({ message }) => message.correlationId)).toEqual(ids(entries.length));
      // A line may be torn, and only the last.
      for (const { line, code } of session.problems) {
        expect({ line, code }).toEqual({ line: entries.length + 2, code: 'torn-line' });
      }
    }
  });
});

/** A limit on the size of files stands for a full disk: a write is cut short, and the next one fails. */
const withFullDisk = (kilobytes: number): string[] => ['bash', '-c', `ulimit -f ${kilobytes}; exec "$@"`, 'bash'];

describe.skipIf(process.platform === 'win32')('when the disk is full', () => {
  test('it is told once, recording stops, the host goes on, and no line is torn', async () => {
    const file = newFile();
    const { exitCode, stdout, stderr } = await run('many', file, ['2000'], withFullDisk(300));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { problems, bytes, messages } = JSON.parse(stdout);
    expect(problems).toMatchObject([{ code: 'recording-stopped', message: expect.stringMatching(/stopped: EFBIG/) }]);
    expect(statSync(file).size).toBe(bytes);
    const session = readSession(file);
    const entries = await collect(session);
    expect(entries.length).toBeGreaterThan(100);
    expect(entries).toHaveLength(messages);
    expect(session.problems).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('R2046 a recording that is lost', () => {
  const reasons: Record<string, { prefix: string[]; message: RegExp }> = {
    full: { prefix: withFullDisk(300), message: /recording to .* stopped: EFBIG/ },
    removed: { prefix: [], message: /recording to .* stopped: the file was removed/ },
  };

  test.each([
    ['full', 'onProblem'],
    ['full', 'none'],
    ['full', 'error'],
    ['removed', 'onProblem'],
    ['removed', 'none'],
  ])('while the host ends is reported: %s, with the listener %s', async (why, listener) => {
    const { prefix = [], message = /$^/ } = reasons[why] ?? {};
    const { exitCode, stderr } = await run('lost', newFile(), [why, listener], prefix);
    expect(exitCode).toBe(0);
    expect(stderr.match(/recording to .* stopped/g)).toHaveLength(1);
    expect(stderr).toMatch(message);
    expect(/HOOKWRIGHT_RECORDING/.test(stderr)).toBe(listener !== 'onProblem');
  });

  test('is a process warning if the host listens to nothing, and else is not', async () => {
    const file = join(newFile(), 'below-a-file.jsonl');
    writeFileSync(dirname(file), '');
    const silent = await run('blocked', file);
    expect(silent.stderr).toMatch(/HOOKWRIGHT_RECORDING.*recording to .* stopped: E/);
    const listening = await run('blocked', file, ['error']);
    expect(listening).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(/recording to .* stopped/),
    });
  });
});

describe('memory', () => {
  test('stays flat over 100,000 messages', { timeout: 60_000 }, async () => {
    const file = newFile();
    const { stdout } = await run('many', file, ['100000']);
    const { messages, files, problems, grown, kept } = JSON.parse(stdout);
    expect({ messages, files, problems }).toEqual({ messages: 120_000, files: 2, problems: [] });
    expect(grown).toBeLessThan(48 * MB);
    expect(kept).toBeLessThan(5 * MB);
  });

  // Within one turn a collector lets much garbage stand, newer ones more than older ones, but not ever more of it.
  test('stays flat over 300,000 messages in one go', { timeout: 60_000 }, async () => {
    const file = newFile();
    const { stdout } = await run('flood', file, ['300000']);
    const { messages, bytes, problems, grown, kept } = JSON.parse(stdout);
    expect({ messages, problems }).toEqual({ messages: 320_000, problems: [] });
    expect(bytes).toBeGreaterThan(290 * MB);
    expect(grown).toBeLessThan(220 * MB);
    expect(kept).toBeLessThan(5 * MB);
  });

  /** A session of this many bytes and more. */
  const writeSession = (file: string, bytes: number): void => {
    const descriptor = openSync(file, 'w');
    let written = writeSync(descriptor, `${JSON.stringify(header)}\n`);
    for (let count = 0; written < bytes; count += 200) {
      const lines = Array.from({ length: 200 }, (_, index) => {
        const [at, id] = [count + index, `call-${count + index}`];
        const payload = { tool_name: 'write_file', tool_input: { path: id, content: 'x'.repeat(800) } };
        const exchange = [{ ...createSampleRequest(id), payload }, createSampleResponse(id)];
        return exchange.map((message) => `${JSON.stringify({ at, message })}\n`).join('');
      });
      written += writeSync(descriptor, lines.join(''));
    }
    closeSync(descriptor);
  };

  test.each(['iterate', 'filter', 'observe'])(
    'stays flat while 64 MB are read: %s',
    { timeout: 60_000 },
    async (way) => {
      const file = newFile();
      writeSession(file, 64 * MB);
      const { stdout } = await run('read', file, [way]);
      const { grown, problems } = JSON.parse(stdout);
      expect(problems).toEqual([]);
      expect(grown).toBeLessThan(48 * MB);
    },
  );
});
