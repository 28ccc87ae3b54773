import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type HookConfig, HookSystem, type HooksByEvent } from '../../../../src/index.ts';
import { HookRunner } from '../../../../src/runners/index.ts';
import { sleep } from '../../../support/engine.ts';
import { hostWith } from '../../../support/host.ts';
import { buildHost } from '../../../support/hosts.ts';
import { isAlive, until } from '../../../support/processes.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { untyped } from '../../../support/untyped.ts';

const examples = join(import.meta.dirname, '../../../../examples/workers');
let served: string;

beforeAll(async () => {
  served = await buildHost('serves');
}, 60_000);

const commands: Record<string, () => string> = {
  Python: () => `python3 ${join(examples, 'no-rm.py')}`,
  bash: () => join(examples, 'no-rm.sh'),
  'Node that exports a function': () => join(examples, 'no-rm.mjs'),
  'Node that calls serveHook': () => `node ${served}`,
};

describe.skipIf(process.platform === 'win32')('a worker in ten lines', () => {
  test.each(Object.keys(commands))('%s', async (name) => {
    const runner = new HookRunner(hostWith({ getWorkingDir: () => tmpdir() }));
    onTestFinished(() => runner.dispose());
    const hook = { type: 'worker', command: commands[name]?.() ?? '', timeout: 20_000 };
    const ask = (command: string) =>
      runner.executeHook(untyped(hook), 'BeforeTool', untyped({ tool_name: 'Bash', tool_input: { command } }));
    const answers = await Promise.all(['ls', 'rm -rf /', 'echo "\u2028"', 'rm -rf .'].map(ask));
    expect(answers.map(({ success, code, warnings }) => ({ success, code, warnings }))).toEqual(
      Array.from({ length: 4 }, () => ({ success: true, code: undefined, warnings: undefined })),
    );
    expect(answers.map(({ output }) => output?.decision)).toEqual([undefined, 'deny', undefined, 'deny']);
  });

  const answerOf = "({ id }) => console.log(JSON.stringify({ id, output: { decision: 'deny', reason: 'no' } }))";
  const lines = "require('node:readline').createInterface({ input: process.stdin })";
  test.each([
    ['in a listener', 'cjs', `${lines}.on('line', (line) => (${answerOf})(JSON.parse(line)));`],
    [
      'in a loop at the top of a module',
      'mjs',
      `import { createRequire } from 'node:module';
       const require = createRequire(import.meta.url);
       for await (const line of ${lines}) (${answerOf})(JSON.parse(line));`,
    ],
  ])('R2015 one in Node may print its answers with console.log, %s', async (_where, ending, text) => {
    const directory = temporaryFolder('worker');
    const script = join(directory, `guard.${ending}`);
    writeFileSync(script, `console.log('ready');\n${text}\n`);
    const runner = new HookRunner(hostWith({ getWorkingDir: () => directory }));
    onTestFinished(() => runner.dispose());
    const hook = { type: 'worker', command: `node ${script}`, timeout: 20_000 } as const;
    const answer = await runner.executeHook(hook, 'BeforeTool', untyped({ tool_name: 'Bash', tool_input: {} }));
    expect(answer).toMatchObject({ output: { decision: 'deny', reason: 'no' } });
  });

  test('R2016 one that ends with exit code 0 instead of an answer is told how to stay', async () => {
    const directory = temporaryFolder('worker');
    const script = join(directory, 'named.mjs');
    writeFileSync(script, `export const guard = () => ({ decision: 'deny' });\n`);
    const runner = new HookRunner(hostWith({ getWorkingDir: () => directory }));
    onTestFinished(() => runner.dispose());
    const hook = { type: 'worker', command: script, timeout: 20_000 } as const;
    const result = await runner.executeHook(hook, 'BeforeTool', untyped({ tool_name: 'Bash', tool_input: {} }));
    expect(result.error?.message).toContain(
      'the worker ended (exit code 0); read stdin until its end, or export the function as the default of the script',
    );
  });

  test('what serveHook cannot answer is an error, and the next one is answered', async () => {
    const runner = new HookRunner(hostWith({ getWorkingDir: () => tmpdir() }));
    onTestFinished(() => runner.dispose());
    const hook = { type: 'worker', command: `node ${served}`, timeout: 20_000 } as const;
    const ask = (wish: object) =>
      runner.executeHook(hook, 'BeforeTool', untyped({ tool_name: 'Bash', tool_input: wish }));
    expect(await ask({ do: 'throw' })).toMatchObject({
      code: 'threw',
      error: { message: expect.stringContaining('broken') },
    });
    expect((await ask({ do: 'cycle' })).error?.message).toContain('cannot be written as JSON');
    expect(await ask({ command: 'rm -rf /' })).toMatchObject({ output: { decision: 'deny' } });
  });
});

describe.skipIf(process.platform === 'win32')('a worker whose script is edited', () => {
  test('is replaced within a second or so, without a reload', async () => {
    const directory = temporaryFolder('worker');
    const script = join(directory, 'says.mjs');
    const say = (reason: string): void => writeFileSync(script, `export default () => ({ reason: '${reason}' });\n`);
    const runner = new HookRunner(hostWith({ getWorkingDir: () => directory }));
    onTestFinished(() => runner.dispose());
    const hook = { type: 'worker', command: script, timeout: 20_000 } as const;
    const ask = async () =>
      (await runner.executeHook(hook, 'BeforeTool', untyped({ tool_name: 'Bash', tool_input: {} }))).output?.reason;
    say('before');
    expect(await ask()).toBe('before');
    say('after, and longer');
    await sleep(1_100);
    expect(await ask()).toBe('after, and longer');
  });
});

describe.skipIf(process.platform === 'win32')('a reload', () => {
  test('F73 ends the worker of a hook that is gone, after its last request', async () => {
    const odd = join(import.meta.dirname, '../../../fixtures/workers/odd.mjs');
    const worker = (name: string): HookConfig => ({
      type: 'worker',
      name,
      command: 'node',
      args: [odd, name],
      timeout: 20_000,
    });
    let hooks: HooksByEvent = { BeforeTool: [{ hooks: [worker('stays'), worker('goes')] }] };
    const system = new HookSystem(hostWith({ getWorkingDir: () => tmpdir(), getHooks: () => hooks }));
    onTestFinished(() => system.dispose());
    await system.initialize();
    const fire = (wish: object) => system.getEventHandler().fireBeforeToolEvent('Bash', untyped(wish));
    const pids = async (): Promise<number[]> => (await fire({})).allOutputs.map(({ reason }) => Number(reason));
    const [stays = 0, goes = 0] = await pids();
    const slow = fire({ do: 'late', ms: 500 });
    await sleep(100);
    hooks = { BeforeTool: [{ hooks: [worker('stays')] }] };
    await system.reload();
    expect(isAlive(goes)).toBe(true);
    expect((await slow).allOutputs.map(({ reason }) => Number(reason))).toEqual([stays, goes]);
    await until('the worker is gone', 3_000, () => !isAlive(goes));
    expect(await pids()).toEqual([stays]);
  });
});
