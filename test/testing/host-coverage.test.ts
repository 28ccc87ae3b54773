import { describe, expect, test } from 'vitest';
import { Config, createHooks, type Hooks, MessageBus, requestHooks } from '../../src/index.ts';
import {
  type CoverageReport,
  captureTraffic,
  fixtureHook,
  type HostDriver,
  hostCoverage,
} from '../../src/testing/index.ts';
import { untyped } from '../support/untyped.ts';
import * as broken from './broken-agents.ts';
import { driverOf, SmallAgent } from './small-agent.ts';

const newConfig = () => new Config({ enableHooks: true, bus: new MessageBus() });

/** Its system was made before anybody offered a bus. */
const withoutBus = () => {
  const config = new Config({ enableHooks: true });
  config.getHookSystem();
  return config;
};

const problemsOf = ({ paths }: CoverageReport): readonly string[] => paths.flatMap(({ problems }) => problems);

/** Short, because whatever a broken agent does not do is waited for. */
const impatient = { patienceMs: 40, timeoutMs: 300 };

const check = (Agent: typeof SmallAgent) => hostCoverage(driverOf(new Agent(newConfig())), impatient);

describe('an agent that does what it must', () => {
  test('passes every path, and the report says what was seen', async () => {
    const report = await hostCoverage(driverOf(new SmallAgent(newConfig())));
    expect(problemsOf(report)).toEqual([]);
    expect(report.ok).toBe(true);
    expect(report.uncovered).toEqual([]);
    expect(report.paths.length).toBeGreaterThan(25);
    expect(report.paths).toContainEqual({
      path: 'parallel tool calls',
      expected: ['BeforeTool', 'BeforeTool', 'AfterTool', 'AfterTool'],
      seen: ['BeforeTool', 'BeforeTool', 'AfterTool', 'AfterTool'],
      ok: true,
      problems: [],
    });
    expect(report.toText()).toMatch(/^Host coverage: (\d+) of \1 paths produce the events they must\.\n/);
    expect(report.toText()).toMatch(/plain model call +ok +BeforeToolSelection, BeforeModel, AfterModel\n/);
  });

  test('sees on every path exactly the events that are expected there, as far as tools and models go', async () => {
    const { paths } = await hostCoverage(driverOf(new SmallAgent(newConfig())));
    const differing = paths.filter(({ seen, expected }) => `${seen}` !== `${expected}`).map(({ path }) => path);
    // A turn has a model call in it.
    expect(differing).toEqual(['prompt', 'prompt with context of a hook', 'answer that is sent back']);
  });

  test('is left as it was: no hook, no listener', async () => {
    const config = newConfig();
    const bus = config.getMessageBus();
    await hostCoverage(driverOf(new SmallAgent(config)));
    expect(config.getHookSystem()?.getAllHooks()).toEqual([]);
    expect(bus?.listenerCount('*')).toBe(0);
  });

  test('passes with hooks of its own in place', async () => {
    const looks = fixtureHook.answers(undefined, { name: 'looks' });
    const config = new Config({
      enableHooks: true,
      bus: new MessageBus(),
      hooks: { BeforeTool: [{ hooks: [looks] }], SessionEnd: [{ hooks: [fixtureHook.throws()] }] },
    });
    expect(problemsOf(await hostCoverage(driverOf(new SmallAgent(config))))).toEqual([]);
    expect(looks.received.length).toBeGreaterThan(10);
  });
});

describe.concurrent('a broken agent is told what is wrong, and nothing else', () => {
  test.each<[string, typeof SmallAgent, string[]]>([
    [
      'skips AfterTool on parallel calls',
      broken.SkipsAfterToolInParallel,
      [
        'parallel tool calls: AfterTool never fired for read_file',
        'parallel tool calls: AfterTool never fired for list_files',
        'parallel tool calls, one blocked: AfterTool never fired for list_files',
      ],
    ],
    [
      'retries blocked calls',
      broken.RetriesBlockedCalls,
      [
        'parallel tool calls, one blocked: read_file was called 3 times: a refused call must not be tried again',
        'blocked tool call: read_file was called 3 times: a refused call must not be tried again',
      ],
    ],
    [
      'ignores changes of tool_input',
      broken.IgnoresChangedInput,
      [
        "changed tool input: read_file ran with { path: 'coverage.txt' }; a hook had changed its input to { path: 'changed-by-a-hook.txt' }",
      ],
    ],
    [
      'goes on although a hook ended its work, and shows what is not to be shown',
      broken.GoesOnWhenStopped,
      [
        'agent stopped before a tool: the model was asked again although a hook of BeforeTool had stopped the agent',
        'agent stopped after a tool: the model was asked again although a hook of AfterTool had stopped the agent',
        'result that is not shown: the user was shown a result that a hook keeps off the display',
      ],
    ],
    ['forgets SessionEnd', broken.ForgetsSessionEnd, ['session end: SessionEnd never fired']],
    [
      'calls the model although a hook blocked it',
      broken.CallsBlockedModel,
      ['blocked model call: the model was called although a hook had blocked the call'],
    ],
    [
      'discards what AfterModel hooks made of the response',
      broken.DiscardsAfterModel,
      [
        'changed model response: the response that an AfterModel hook changed is not what the agent keeps: "coverage: the model has answered"',
      ],
    ],
    [
      'throws when a call is blocked',
      broken.ThrowsWhenBlocked,
      [
        'parallel tool calls, one blocked: the calls threw an exception: Tool call blocked by hook: coverage: a hook says no',
        'parallel tool calls, one blocked: the model does not learn why read_file was blocked: it is given undefined',
        'blocked tool call: the call of read_file ended with an exception (Tool call blocked by hook: coverage: a hook says no); a refused call ends with a result',
      ],
    ],
    [
      'leaves before its SessionEnd hooks have answered',
      broken.LeavesAtOnce,
      ['session end: the end was over before its SessionEnd hooks had answered; wait for them'],
    ],
    [
      'never comes to an end',
      broken.NeverEnds,
      ['session end: the end did not come to an end within 300 ms', 'session end: SessionEnd never fired'],
    ],
  ])('%s', async (_what, Agent, problems) => {
    const report = await check(Agent);
    expect(problemsOf(report)).toEqual(problems);
    expect(report.ok).toBe(false);
    const wrong = report.paths.filter(({ ok }) => !ok);
    expect(wrong.flatMap((path) => path.problems)).toEqual(problems);
    for (const problem of problemsOf(report)) expect(report.toText()).toContain(`\n  ${problem}`);
  });

  test.each<[string, typeof SmallAgent, string[]]>([
    [
      'runs a tool before its hooks have answered',
      broken.RunsWithoutWaiting,
      [
        'plain tool call: read_file ran before its BeforeTool hooks had answered',
        "changed tool result: the model does not learn what an AfterTool hook added to the result: it is given { llmContent: 'coverage: output of read_file' }",
        'tool call aborted before it runs: read_file ran although the call had been aborted while its hooks were asked',
        'blocked tool call: read_file ran although a hook had blocked it',
        'stopped tool call: read_file ran although a hook had stopped the agent',
      ],
    ],
    [
      'tells AfterModel of every piece of a stream',
      broken.FiresAfterModelForEveryPiece,
      [
        'streamed model call: AfterModel fired 2 times; it belongs to the complete response',
        'streamed model call: AfterModel fired before the model had answered',
        'streamed model call: AfterModel was told that the model said "coverage: the model ", not "coverage: the model has answered"',
      ],
    ],
    [
      'opens a stream although a hook blocked it',
      broken.OpensBlockedStream,
      [
        'blocked stream: a stream was opened although a hook had blocked the call',
        'blocked stream with a synthetic response: a stream was opened although a hook had blocked the call and answered it',
      ],
    ],
    [
      'does not heed what hooks say about a turn',
      broken.AnswersOnce,
      [
        'prompt: AfterAgent never fired',
        'prompt with context of a hook: the model was not told what a BeforeAgent hook added to the prompt',
        'blocked prompt: the model was called although a hook had blocked the prompt',
        'answer that is sent back: AfterAgent never fired',
      ],
    ],
  ])('%s, which shows on several paths', async (_what, Agent, problems) => {
    expect(problemsOf(await check(Agent))).toEqual(expect.arrayContaining(problems));
  });
});

describe('a driver', () => {
  test('says what it can do by what it has; the rest is uncovered', async () => {
    const agent = new SmallAgent(newConfig());
    const report = await hostCoverage({ config: agent.config, endSession: (reason) => agent.endSession(reason) });
    expect(report.paths.map(({ path }) => path)).toEqual(['session end']);
    expect(report.ok).toBe(true);
    expect(report.uncovered).toEqual(expect.arrayContaining(['plain tool call', 'blocked model call', 'compression']));
    expect(report.toText()).toMatch(/\n {2}the driver has no callTool: plain tool call; .*parallel tool calls; /);
    expect(report.toText()).toMatch(/\n {2}the driver has no streamModel: streamed model call; /);
  });

  test('that can do nothing is not good, it is unknown', async () => {
    const report = await hostCoverage({ config: newConfig() });
    expect(report).toMatchObject({ ok: false, paths: [] });
    expect(report.toText()).toContain('no path was walked, so nothing is known about this agent');
  });

  test('without parallelTools is called twice at once', async () => {
    const { parallelTools: _none, ...driver } = driverOf(new SmallAgent(newConfig()));
    const report = await hostCoverage(driver);
    expect(report.ok).toBe(true);
    expect(report.uncovered).toEqual([]);
  });

  test('may leave paths out by name', async () => {
    const driver = driverOf(new broken.ForgetsSessionEnd(newConfig()));
    const report = await hostCoverage(driver, { ...impatient, skip: ['session end'] });
    expect(report).toMatchObject({ ok: true, uncovered: ['session end'] });
    expect(report.toText()).toContain('\n  skipped on demand: session end');
    const mistyped = hostCoverage(driver, { skip: ['sesion end'] });
    await expect(mistyped).rejects.toThrow('no path "sesion end" to skip; did you mean "session end"?');
  });

  test('may name the tools that are called', async () => {
    const agent = new SmallAgent(newConfig());
    const traffic = captureTraffic(agent.config.getMessageBus() ?? new MessageBus());
    const tools = [
      { name: 'grep', input: { pattern: 'a' }, change: { pattern: 'b' } },
      { name: 'ls', input: { all: true }, change: { all: false } },
    ] as const;
    const report = await hostCoverage(driverOf(agent), { tools: [tools[0], tools[1]] });
    expect(problemsOf(report)).toEqual([]);
    expect(new Set(traffic.of('BeforeTool').requests.map(({ payload }) => payload?.tool_name))).toEqual(
      new Set(['grep', 'ls']),
    );
  });

  test('may be an object with a class of its own', async () => {
    class Driver {
      readonly #agent = new SmallAgent(newConfig());
      readonly config = this.#agent.config;
      endSession() {
        return this.#agent.endSession('exit');
      }
    }
    expect((await hostCoverage(new Driver())).ok).toBe(true);
  });
});

describe('an agent reaches its hooks in one of three ways', () => {
  const driverWith = (hooks: Hooks): HostDriver => ({
    hooks,
    async callTool(tool, input, { run }) {
      const before = await hooks.beforeTool({ tool, input });
      if (!['none', 'allow'].includes(before.verdict)) return `Not run: ${before.reason}`;
      const output = await run(before.input);
      return (await hooks.afterTool({ tool, input: before.input, output })).output;
    },
  });

  test('by the facade', async () => {
    const hooks = await createHooks();
    const report = await hostCoverage(driverWith(hooks), impatient);
    // The ten lines of the README know nothing of a signal, and the kit says so.
    expect(problemsOf(report)).toEqual([
      'tool call aborted before it runs: read_file ran although the call had been aborted while its hooks were asked',
    ]);
    await hooks.close();
  });

  const askOver = (bus: MessageBus): HostDriver => ({
    bus,
    async callTool(tool_name, tool_input, { run, signal }) {
      const before = await requestHooks(bus, 'BeforeTool', { tool_name, tool_input }, { signal });
      const { finalOutput } = before;
      if (signal.aborted) return 'cancelled';
      if (finalOutput?.isBlockingDecision() || finalOutput?.shouldStopExecution()) {
        return finalOutput.getEffectiveReason();
      }
      const input = { ...tool_input, ...finalOutput?.getModifiedToolInput() };
      const tool_response = await run(input);
      const after = await requestHooks(bus, 'AfterTool', { tool_name, tool_input: input, tool_response });
      return [tool_response, after.finalOutput?.getAdditionalContext()];
    },
  });

  test('by a bus on which the kit answers, because nobody else does', async () => {
    const bus = new MessageBus();
    const report = await hostCoverage(askOver(bus), impatient);
    expect(problemsOf(report)).toEqual([]);
    expect(report.paths.length).toBeGreaterThan(10);
  });

  test('by a bus on which somebody answers: what takes a hook of the kit is uncovered', async () => {
    const bus = new MessageBus();
    const config = new Config({ enableHooks: true, bus });
    const report = await hostCoverage(askOver(bus), impatient);
    expect(report.ok).toBe(true);
    expect(report.paths.map(({ path }) => path)).toContain('plain tool call');
    expect(report.toText()).toMatch(/no config and no hooks, so that no hook can be added: .*; blocked tool call; /);
    await config.getHookSystem()?.dispose();
  });

  test('an agent whose requests nobody answers is told so', async () => {
    const bus = new MessageBus();
    bus.subscribe('hook-execution-request', () => {});
    const driver: HostDriver = {
      bus,
      startSession: (source) => {
        requestHooks(bus, 'SessionStart', { source }).catch(() => {});
      },
    };
    expect(problemsOf(await hostCoverage(driver, impatient))).toContain(
      'session start: SessionStart was never answered',
    );
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'hostCoverage needs a driver, got nothing'],
    ['a driver that does not say where its hooks are', {}, 'the driver needs `config`, `hooks` or `bus`'],
    ['hooks that are switched off', { config: new Config() }, 'hooks are switched off in the given config'],
    ['hooks that nobody can watch', { config: withoutBus() }, 'has no bus to watch; give the config one'],
  ])('%s is refused', async (_what, driver, message) => {
    await expect(hostCoverage(untyped<HostDriver>(driver))).rejects.toThrow(message);
  });
});

test('tools of other kinds and sub-agents that go round the hooks are told what is wrong', async () => {
  const driver: HostDriver = {
    ...driverOf(new SmallAgent(newConfig())),
    callOwnTool: (_name, input, { run }) => run(input),
    callElsewhere: (_name, input, { run }) => run(input),
    startAgent: (_type, { run }) => run({}),
  };
  const wrong = problemsOf(await hostCoverage(driver, impatient)).map((problem) => problem.split(': ')[0]);
  expect([...new Set(wrong)]).toEqual([
    'tool of another kind',
    'blocked tool of another kind',
    'tool that runs elsewhere',
    'blocked tool that runs elsewhere',
    'sub-agent',
    'blocked sub-agent',
  ]);
});
