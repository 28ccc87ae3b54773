import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commands, runCli } from '../../../src/cli/index.ts';
import { createHooks, defineHook } from '../../../src/index.ts';
import { record } from '../../../src/sessions/index.ts';
import { temporaryDirectory } from './support.ts';

const binary = join(import.meta.dirname, '../../../dist/cli.js');

const start = (cwd: string, ...words: string[]): ChildProcess => {
  const child = spawn(process.execPath, [binary, 'inspect', ...words], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

/** What it says until it says this. */
const until = async (child: ChildProcess, wanted: RegExp): Promise<string> => {
  let said = '';
  for await (const piece of child.stderr ?? []) {
    said += String(piece);
    const [, found = ''] = wanted.exec(said) ?? [];
    if (found !== '') return found;
  }
  throw new Error(`it ended, and said: ${said}`);
};

const project = async (): Promise<string> => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, '.hookwright/sessions'), { recursive: true });
  const run = () => ({ decision: 'deny' as const, reason: 'not here' });
  const hooks = await createHooks({ hooks: [defineHook({ event: 'BeforeTool', name: 'no', run })] });
  const recording = record(hooks.bus, { file: join(cwd, '.hookwright/sessions/one.jsonl') });
  await hooks.beforeTool({ tool: 'sh', input: {} });
  await recording.close();
  await hooks.close();
  return cwd;
};

describe.skipIf(process.platform === 'win32')('R940 hookwright inspect', () => {
  test('shows the newest session until Ctrl-C, and ends with 0', async () => {
    const child = start(await project());
    const url = await until(child, /(http:\/\/127\.0\.0\.1:\d+\/\?token=\S+)/);
    expect((await fetch(url)).status).toBe(200);
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('shows what the settings here would decide otherwise', async () => {
    const child = start(await project(), '--backtest');
    const url = new URL(await until(child, /(http:\/\/127\.0\.0\.1:\d+\/\?token=\S+)/));
    const report = await (await fetch(`${url.origin}/backtest${url.search}`)).json();
    expect(report).toMatchObject({ total: 1, counts: { 'newly-allowed': 1 } });
  });

  test('says what to do where nothing was recorded', async () => {
    const child = start(temporaryDirectory());
    expect(await until(child, /(nothing has been recorded[\s\S]*hookwright record)/)).toContain('.hookwright/sessions');
    expect(await once(child, 'exit')).toEqual([1, null]);
  });

  test.each([
    [['--pid', '1'], /(use it with --live)/],
    [['--answer'], /(a recorded session is over)/],
    [['--live', '--nats', 'nats://127.0.0.1'], /(--live and --nats cannot be combined)/],
    [['--nats', 'nats://127.0.0.1', '--backtest'], /(--nats shows what is running)/],
    [['--stream', 'one', '--live'], /(--stream cannot be combined)/],
  ])('refuses flags that say nothing together: %j', async (words, wanted) => {
    const said: string[] = [];
    const exit = await runCli(
      {
        argv: ['node', 'hookwright', 'inspect', ...words],
        env: {},
        stdin: Readable.from([]),
        stdout: Object.assign(new PassThrough(), { isTTY: false, columns: 200 }),
        stderr: Object.assign(
          new PassThrough().on('data', (piece) => said.push(String(piece))),
          {
            isTTY: false,
            columns: 200,
          },
        ),
        cwd: () => temporaryDirectory(),
        exit: () => {},
        on: () => {},
      },
      commands,
    );
    expect([exit, said.join('')]).toEqual([64, expect.stringMatching(wanted)]);
  });
});
