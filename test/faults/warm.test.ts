import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HookConfig, HookExecutionResult, HookSystemDeps } from '../../src/index.ts';
import { HookRunner } from '../../src/runners/index.ts';
import { G } from '../support/commands.ts';
import { sleep } from '../support/engine.ts';
import { hostWith } from '../support/host.ts';
import {
  atMost,
  expectNothingLeft,
  type Holdings,
  holdings,
  isAlive,
  processesWith,
  until,
  watchTroubles,
} from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untyped } from '../support/untyped.ts';

let directory: string;
let cwd: string;
let before: Holdings;
let runner: HookRunner;
let count = 0;

const marker = (): string => `${process.pid}-warm-${count}`;
const entry = (): string => `HOOKWRIGHT_WARM=${marker()}`;

const newRunner = (deps: HookSystemDeps = {}): HookRunner =>
  new HookRunner(hostWith({ getWorkingDir: () => cwd }), { ...deps, limits: { killGraceMs: G, ...deps.limits } });

beforeEach(() => {
  watchTroubles();
  count += 1;
  directory = temporaryFolder('warm');
  cwd = directory;
  before = holdings();
  runner = newRunner();
});

afterEach(async () => {
  await runner.dispose();
  expect(processesWith(entry())).toEqual([]);
  await expectNothingLeft({ before, runIds: [], withinMs: 1_000 });
  rmSync(directory, { recursive: true });
});

const script = (name: string, text: string): string => {
  const file = join(directory, name);
  writeFileSync(file, text, { mode: 0o755 });
  return file;
};

const warm = (command: string, more: HookConfig = {}): HookConfig => ({
  type: 'command',
  name: 'it',
  command,
  warm: true,
  timeout: 10_000,
  env: { HOOKWRIGHT_WARM: marker() },
  ...more,
});

const ask = (hook: HookConfig, signal?: AbortSignal): Promise<HookExecutionResult> =>
  runner.executeHook(hook, 'BeforeTool', untyped({ tool_name: 'Bash', tool_input: { command: 'ls' } }), signal);

/** As long as it takes until the next process waits. */
const spareOf = async (howMany = 1): Promise<number[]> => {
  await until('a spare waits', 5_000, () => processesWith(entry()).length >= howMany);
  await sleep(50);
  return processesWith(entry());
};

const denies = '#!/bin/sh\ncat >/dev/null\necho "$$" >&2\nexit 2\n';

describe.skipIf(process.platform !== 'linux')('a warm hook', () => {
  test('R790 is served by a process that was started ahead, and answers as ever', async () => {
    const hook = warm(script('deny.sh', denies));
    const first = await ask(hook);
    expect(first).toMatchObject({ warm: 'miss', exitCode: 2, output: { decision: 'block' } });
    const [spare] = await spareOf();
    const second = await ask(hook);
    expect(second).toMatchObject({ warm: 'hit', exitCode: 2, output: { decision: 'block', reason: String(spare) } });
    await spareOf();
    expect(await ask(hook)).toMatchObject({ warm: 'hit' });
  });

  test('R790 gets the input of its event, whichever language it is written in', async () => {
    const answer = "{decision: 'deny', reason: JSON.parse(text).tool_name}";
    const node = script(
      'it.mjs',
      `let text = ''; for await (const part of process.stdin) text += part; console.log(JSON.stringify(${answer}));`,
    );
    const python = script(
      'it.py',
      'import json, sys\nprint(json.dumps({"decision": "deny", "reason": json.load(sys.stdin)["tool_name"]}))\n',
    );
    for (const command of [
      `node ${node}`,
      `python3 ${python}`,
      `cat | tr A-Z A-Z | grep -q Bash && echo '{"decision":"deny","reason":"Bash"}'`,
    ]) {
      const hook = warm(command);
      expect(await ask(hook)).toMatchObject({ warm: 'miss', output: { decision: 'deny', reason: 'Bash' } });
      await spareOf();
      await sleep(200);
      expect(await ask(hook)).toMatchObject({ warm: 'hit', output: { decision: 'deny', reason: 'Bash' } });
      runner.retain([]);
      await until('the spare is gone', 2_000, () => processesWith(entry()).length === 0);
    }
  });

  test.each<[string, (file: string) => void]>([
    ['its script', (file) => appendFileSync(file, '# changed\n')],
    ['a file of its watch list', () => writeFileSync(join(directory, 'rules.json'), '[1]')],
    [
      'the working directory',
      () => {
        cwd = tmpdir();
      },
    ],
  ])('R791 a spare is not used when %s changed since', async (_what, change) => {
    writeFileSync(join(directory, 'rules.json'), '[]');
    const file = script('deny.sh', denies);
    const hook = warm(file, { watch: [join(directory, 'rules.json')] });
    await ask(hook);
    const [spare = 0] = await spareOf();
    change(file);
    expect(await ask(hook)).toMatchObject({ warm: 'miss', output: { decision: 'block' } });
    await until('the old spare is gone', G + 500, () => !isAlive(spare));
  });

  test('R791 a spare of other settings is not used', async () => {
    const file = script('deny.sh', denies);
    await ask(warm(file));
    await spareOf();
    expect(await ask(warm(file, { env: { HOOKWRIGHT_WARM: marker(), MORE: '1' } }))).toMatchObject({ warm: 'miss' });
  });

  test('R792 a spare that died is replaced, and the event does not notice', async () => {
    const hook = warm(script('deny.sh', denies));
    await ask(hook);
    const [spare = 0] = await spareOf();
    process.kill(spare, 'SIGKILL');
    await until('it is gone', 1_000, () => !isAlive(spare));
    expect(await ask(hook)).toMatchObject({ warm: 'miss', exitCode: 2, output: { decision: 'block' } });
    await spareOf();
    expect(await ask(hook)).toMatchObject({ warm: 'hit' });
  });

  const computes = 'i=0\nwhile [ $i -lt 60000 ]; do i=$((i+1)); done';

  test.each([
    ['writes', 'echo early\ntouch done\ncat >/dev/null'],
    ['ends', 'touch done\nexit 0'],
    ['goes on computing', `sleep 1\n${computes}\ntouch done\ncat >/dev/null`],
    ['lets another go on computing', 'sh ./another.sh\nexit 0'],
  ])('R793 one that %s before it reads is started cold from then on, and it is said', async (_what, body) => {
    script('another.sh', `sleep 1\n${computes}\ntouch done\ncat >/dev/null\n`);
    const hook = warm(script('early.sh', `#!/bin/sh\n${body}\n`));
    await ask(hook);
    rmSync(join(directory, 'done'));
    await until('the spare has done it', 10_000, () => existsSync(join(directory, 'done')));
    await sleep(100);
    const second = await ask(hook);
    expect(second).toMatchObject({ warm: 'miss', success: true });
    expect(second.warnings).toMatchObject([{ code: 'acts-early' }]);
    await sleep(200);
    expect(processesWith(entry())).toEqual([]);
  });

  test('R793 one whose start is the work of others may take its time to begin to wait', async () => {
    const begins = "sh -c 'i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done'";
    const hook = warm(
      script('slow.sh', `#!/bin/sh\n${begins}\nhead -c 2000 /dev/zero >/dev/null\ntouch waits\ncat >/dev/null\n`),
    );
    await ask(hook);
    rmSync(join(directory, 'waits'));
    await until('the spare waits', 10_000, () => existsSync(join(directory, 'waits')));
    await sleep(300);
    const second = await ask(hook);
    expect(second.warnings).toBeUndefined();
    expect(second).toMatchObject({ warm: 'hit', success: true });
  });

  test('R794 more than one of a hook waits when the host says so, and events at once are all served', async () => {
    runner = newRunner({ limits: { sparesPerHook: 3 } });
    const hook = warm(script('deny.sh', '#!/bin/sh\nread -r line\necho "$$" >&2\nexit 2\n'));
    expect(await ask(hook)).toMatchObject({ warm: 'miss' });
    const waiting = await spareOf(3);
    const answers = await Promise.all([ask(hook), ask(hook), ask(hook), ask(hook)]);
    expect(answers.map(({ warm }) => warm).sort()).toEqual(['hit', 'hit', 'hit', 'miss']);
    const served = answers.map(({ output }) => Number(output?.reason)).filter((pid) => waiting.includes(pid));
    expect(served.sort()).toEqual([...waiting].sort());
    await spareOf(3);
    await sleep(100);
    expect(processesWith(entry())).toHaveLength(3);
  });

  test('R794 one that cannot be started is not tried again and again', async () => {
    const file = script('deny.sh', denies);
    const hook = warm(file);
    await ask(hook);
    const [spare = 0] = await spareOf();
    rmSync(file);
    const started: string[] = [];
    const listen = (message: unknown): void => {
      started.push(String(message));
    };
    subscribe('child_process', listen);
    expect(await ask(hook)).toMatchObject({ warm: 'miss', code: 'spawn-failed' });
    await sleep(100);
    unsubscribe('child_process', listen);
    expect(started.length).toBeLessThanOrEqual(2);
    await until('the old spare is gone', G + 500, () => !isAlive(spare));
  });

  test('R794 of a thousand that are asked for eight wait', async () => {
    const file = script('deny.sh', '#!/bin/sh\nread -r line\nexit 2\n');
    const hooks = Array.from({ length: 1_000 }, (_, at) => warm(file, { name: `hook ${at}` }));
    await Promise.all(hooks.map((hook) => ask(hook)));
    await spareOf(8);
    await sleep(200);
    expect(processesWith(entry())).toHaveLength(8);
  }, 60_000);

  test('F01 F74 a spare obeys timeout and cancellation like any other process', async () => {
    const hook = warm(script('hang.sh', '#!/bin/sh\ncat >/dev/null\nsleep 30\n'), { timeout: 300 });
    expect(await ask(hook)).toMatchObject({ warm: 'miss', code: 'timeout' });
    await spareOf();
    const startedAt = performance.now();
    expect(await ask(hook)).toMatchObject({ warm: 'hit', code: 'timeout' });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(295);
    expect(performance.now() - startedAt).toBeLessThan(300 + atMost(100));
    await spareOf();
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect(await ask(hook, controller.signal)).toMatchObject({ warm: 'hit', code: 'cancelled' });
  });

  test('deps.executor starts processes elsewhere: nothing waits here', async () => {
    runner = newRunner({ executor: async () => ({ exitCode: 0, stdout: '', stderr: '' }) });
    const result = await ask(warm('cat'));
    expect(result).toMatchObject({ success: true });
    expect(result.warm).toBeUndefined();
    await sleep(100);
    expect(processesWith(entry())).toEqual([]);
  });
});
