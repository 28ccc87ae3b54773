import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Config, type HookConfig, MessageBus } from '../../src/index.ts';
import { type RaceEvent, races } from '../../src/sessions/backtest/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untyped } from '../support/untyped.ts';
import { answering, configOf, denying, group, setting, speaking, throwing } from './support.ts';

const event: RaceEvent<'BeforeTool'> = {
  eventName: 'BeforeTool',
  payload: { tool_name: 'run_shell', tool_input: { path: 'README.md' } },
};
const atOnce = { latencies: [0] };

const newDirectory = (): string => temporaryFolder('races');

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('hooks whose order counts', () => {
  test.each([false, true])(
    'two that set the same member are named with the field (sequential: %s)',
    async (sequential) => {
      const hooks = [setting('a', { path: 'from a' }), setting('other', { mode: 1 }), setting('b', { path: 'from b' })];
      const { findings } = await races(configOf([group(hooks, { sequential })]), event, atOnce);
      expect(findings).toEqual([
        { hooks: ['a', 'b'], field: 'tool_input.path', results: ['from b', 'from a'], how: 'order' },
      ]);
    },
  );

  test('each pair of three is named, though only the last one shows in the answer', async () => {
    const hooks = ['a', 'b', 'c'].map((name) => setting(name, { path: name }));
    const { findings } = await races(configOf([group(hooks)]), event, atOnce);
    expect(findings.map(({ hooks: pair }) => pair.join())).toEqual(['a,b', 'a,c', 'b,c']);
  });

  test('context in another order is another answer', async () => {
    const { findings } = await races(configOf([group([speaking('a', 'A'), speaking('b', 'B')])]), event, atOnce);
    expect(findings).toEqual([
      { hooks: ['a', 'b'], field: 'additionalContext', results: ['A\nB', 'B\nA'], how: 'order' },
    ]);
  });

  test('a hook of a sequence that decides by what another one changed is named with it', async () => {
    const rewrite = setting('rewrite', { command: 'ls' });
    const guard = answering('guard', ({ tool_input }: { tool_input: Record<string, unknown> }) =>
      tool_input.command === 'ls' ? undefined : { decision: 'deny' },
    );
    const hooks = [group([rewrite, answering('audit', undefined), guard], { sequential: true })];
    const { findings } = await races(configOf(hooks), event, atOnce);
    expect(findings).toEqual([
      { hooks: ['rewrite', 'guard'], field: 'decision', results: [undefined, 'deny'], how: 'order' },
    ]);
  });

  test('more hooks than can be tried in every order are still told apart', async () => {
    const hooks = Array.from({ length: 7 }, (_, at) =>
      setting(`h${at}`, at === 2 || at === 5 ? { path: at } : { [at]: at }),
    );
    const { findings, runs } = await races(configOf([group(hooks)]), event, atOnce);
    expect(findings).toEqual([{ hooks: ['h2', 'h5'], field: 'tool_input.path', results: [5, 2], how: 'order' }]);
    expect(runs).toBeLessThan(60);
  });
});

describe('hooks whose timing counts', () => {
  const sharing = (): { hooks: HookConfig[]; reset: () => void } => {
    let last = '';
    const writer = (name: string): HookConfig =>
      answering(name, async () => {
        last = name;
        await pause(60);
        return { hookSpecificOutput: { tool_input: { last } } };
      });
    const reset = (): void => {
      last = '';
    };
    return { hooks: [writer('a'), setting('other', { mode: 1 }), writer('b')], reset };
  };

  test('two that share something outside are named by their starts, and not by their order', async () => {
    const { hooks } = sharing();
    const { findings } = await races(configOf([group(hooks)]), event, { latencies: [0, 15] });
    expect(findings).toEqual([{ hooks: ['a', 'b'], field: 'tool_input.last', results: ['b', 'a'], how: 'latency' }]);
  });

  test('one after another they do not overlap, and only their order counts', async () => {
    const { hooks, reset } = sharing();
    const config = configOf([group(hooks, { sequential: true })]);
    const { findings } = await races(config, event, { latencies: [0, 15], reset });
    expect(findings.map(({ how }) => how)).toEqual(['order']);
  });

  test.skipIf(process.platform === 'win32')(
    'two scripts that share a file are named',
    { timeout: 30_000 },
    async () => {
      const directory = newDirectory();
      const shared = join(directory, 'owner');
      const claiming = (name: string): HookConfig => {
        const command = join(directory, `${name}.sh`);
        const answer = `'{"hookSpecificOutput":{"tool_input":{"owner":"%s"}}}'`;
        writeFileSync(command, `#!/bin/sh\necho ${name} > ${shared}\nsleep 0.4\nprintf ${answer} "$(cat ${shared})"\n`);
        chmodSync(command, 0o755);
        return { type: 'command', name, command };
      };
      const hooks = [group([claiming('first'), claiming('second')])];
      const report = await races(configOf(hooks), event, { latencies: [100] });
      expect(report.findings).toEqual([
        { hooks: ['first', 'second'], field: 'tool_input.owner', results: ['second', 'first'], how: 'latency' },
      ]);
      expect(report.toText()).toContain('first and second: tool_input.owner, by start');
    },
  );

  test.skipIf(process.platform === 'win32')(
    'a script that looks at what another one leaves behind is named, when the world is put back before each run',
    { timeout: 30_000 },
    async () => {
      const directory = newDirectory();
      const flag = join(directory, 'flag');
      const reset = (): void => rmSync(flag, { force: true });
      const hooks: HookConfig[] = [
        { type: 'command', name: 'raises', command: `touch '${flag}'` },
        { type: 'command', name: 'looks', command: `if [ -e '${flag}' ]; then echo '{"decision":"deny"}'; fi` },
      ];
      const { findings } = await races(configOf([group(hooks)]), event, { latencies: [150], reset });
      expect(findings).toEqual([
        { hooks: ['raises', 'looks'], field: 'decision', results: ['deny', undefined], how: 'latency' },
      ]);
    },
  );
});

describe('hooks that do not race', () => {
  test('that each do their own are not named', async () => {
    const hooks = [setting('a', { a: 1 }), setting('b', { b: 2 }), denying('c'), throwing('d')];
    const report = await races(configOf([group(hooks)]), event, { latencies: [0, 5] });
    expect(report).toMatchObject({ findings: [], unsteady: [] });
    expect(report.toText()).toContain('No races were found.');
  });

  test('are none in any set that commutes', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const aHook = (name: string): fc.Arbitrary<HookConfig> =>
      fc.constantFrom(
        setting(name, { [name]: name }),
        setting(name, { path: 'the same' }),
        answering(name, { decision: 'deny' }),
        answering(name, { suppressOutput: true }),
        answering(name, undefined),
        throwing(name),
      );
    await fc.assert(
      fc.asyncProperty(fc.tuple(...names.map(aHook)), fc.boolean(), async (hooks, sequential) => {
        const { findings } = await races(configOf([group(hooks, { sequential })]), event, atOnce);
        expect(findings).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test('but vary by themselves are left out, with a word about it', async () => {
    let count = 0;
    const counter = answering('counter', () => {
      count += 1;
      return { systemMessage: `call ${count}` };
    });
    const { findings, notice } = await races(configOf([group([counter, setting('a', { a: 1 })])]), event);
    expect(findings).toEqual([]);
    expect(notice).toContain('Not compared: systemMessage, which counter varies by itself.');
  });

  test('and the same question has the same answer', async () => {
    const config = configOf([group(['a', 'b', 'c'].map((name) => setting(name, { path: name, [name]: 1 })))]);
    const { toText: _first, ...first } = await races(config, event, atOnce);
    const { toText: _second, ...second } = await races(config, event, atOnce);
    expect(second).toEqual(first);
  });
});

describe('a search for races', () => {
  test('runs nothing where fewer than two hooks would run', async () => {
    const one = await races(configOf([group([setting('a', { a: 1 })])]), event);
    const off = await races(new Config(), event);
    expect([one.runs, off.runs]).toEqual([0, 0]);
    expect(one.notice).toContain('only one hook would run');
    expect(off.notice).toContain('no hook would run');
  });

  test('says that it is real, tells nobody else, and counts its runs', async () => {
    const bus = new MessageBus();
    const heard: string[] = [];
    bus.stream().subscribe(({ type }) => heard.push(type));
    let runs = 0;
    const counted = answering('counted', () => {
      runs += 1;
    });
    const config = configOf([group([{ ...counted, recheck: false }, setting('a', { a: 1 })])], { bus });
    const report = await races(config, event, { ...atOnce, orders: 2 });
    expect(report.runs).toBe(runs);
    expect(report.notice).toContain(`counted, a were run ${runs} times`);
    expect(report.notice).toContain('real side effects');
    expect(heard).toEqual([]);
  });

  test('ends when it is cancelled', async () => {
    const controller = new AbortController();
    const slow = answering('slow', () => pause(5));
    const running = races(configOf([group([slow, setting('a', { a: 1 })])]), event, { signal: controller.signal });
    setTimeout(() => controller.abort(), 30);
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('tells a deadline that is met in one order only', async () => {
    const slow = answering('slow', () => pause(400));
    const config = configOf([group([slow, setting('a', { a: 1 })], { sequential: true })]);
    const { findings } = await races(config, event, { ...atOnce, timeoutMs: 100 });
    expect(findings.map(({ field }) => field)).toContain('tool_input.a');
  });

  test.each<[string, unknown, unknown, string]>([
    ['no event', undefined, {}, 'races needs an event'],
    ['an event nobody knows', { ...event, eventName: 'BeforeTol' }, {}, 'did you mean "BeforeTool"?'],
    ['a payload of another event', { ...event, payload: { prompt: 'hi' } }, {}, 'tool_name'],
    ['no orders', event, { orders: 0 }, 'orders must be a whole number over 0'],
    ['negative latencies', event, { latencies: [-1] }, 'latencies must be a list of milliseconds'],
    ['no time', event, { timeoutMs: 0 }, 'timeoutMs must be milliseconds over 0'],
  ])('refuses %s', async (_what, given, options, message) => {
    await expect(races(configOf([]), untyped<RaceEvent>(given), untyped(options))).rejects.toThrow(message);
  });

  test('a reset that fails is said to have failed', async () => {
    const reset = (): never => {
      throw new Error('disk is full');
    };
    const config = configOf([group([setting('a', { a: 1 }), setting('b', { b: 1 })])]);
    await expect(races(config, event, { reset })).rejects.toThrow('reset failed: disk is full');
  });
});
