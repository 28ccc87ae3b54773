/** Coverage tests of tool calls: plain, changed, failing, refused, aborted, parallel, and within a turn. */
import { isDeepStrictEqual } from 'node:util';
import type { HookEventName } from '../../events/index.ts';
import { describeThrown, onAbort } from '../../kit/index.ts';
import { type HookOutput, readPayload } from '../../protocol/index.ts';
import type { ToolResult } from '../../triggers/index.ts';
import type { CoveragePath, HostAbilities, PathContext, SampleTool, ToolCallContext, ToolInput } from './driver.ts';
import { createModelProbe, createToolProbe, type ToolProbe, type ToolRun } from './probes.ts';
import {
  type CoverageHookAnswer,
  containsText,
  type DriverEnding,
  formatTimes,
  inspectBriefly,
  isMarkedCancelled,
  sleep,
  type Walk,
} from './walk.ts';

const DENY_REASON = 'coverage: a hook says no';
const HOOK_CONTEXT = 'coverage: context of a hook';
const FAILURE_TEXT = 'coverage: the tool failed';
const SUBAGENT_NAME = 'helper';

type ToolCallKind = 'callTool' | 'callOwnTool' | 'callElsewhere';

interface ToolScenario {
  readonly name: string;
  readonly expected: readonly HookEventName[];
  readonly ability?: ToolCallKind;
  readonly hook?: readonly [HookEventName, (tool: SampleTool, abort: AbortController) => CoverageHookAnswer];
  readonly act?: (tool: SampleTool, abort: AbortController) => ToolResult | Promise<ToolResult>;
  readonly mayThrow?: boolean;
  readonly check: (walk: Walk, call: ProbedCall, ending: DriverEnding) => void;
}

interface ProbedCall {
  readonly tool: SampleTool;
  readonly probe: ToolProbe;
}

const getSampleOutput = ({ name }: SampleTool): string => `coverage: output of ${name}`;

const toSampleResult = (tool: SampleTool): ToolResult => ({ llmContent: getSampleOutput(tool) });

const createProbedCall = (
  walk: Walk,
  tool: SampleTool,
  act: ToolScenario['act'] = toSampleResult,
  abort = new AbortController(),
) => ({
  tool,
  probe: createToolProbe(walk, () => act(tool, abort)),
});

const unabortedSignal = new AbortController().signal;

const createCallContext = ({ probe: { run } }: ProbedCall, signal: AbortSignal): ToolCallContext => ({ run, signal });

const callSampleTool = (
  driver: HostAbilities<object, object>,
  call: ProbedCall,
  signal = unabortedSignal,
  ability: ToolCallKind = 'callTool',
): unknown => driver[ability]?.(call.tool.name, { ...call.tool.input }, createCallContext(call, signal));

const haveEventsFired = (walk: Walk, { tool: { name } }: ProbedCall, isAfterToo = true): boolean =>
  walk.requests('BeforeTool', name).length > 0 && (!isAfterToo || walk.requests('AfterTool', name).length > 0);

const createToolPath = ({
  name,
  expected,
  ability = 'callTool',
  hook,
  check,
  ...scenario
}: ToolScenario): CoveragePath => ({
  name,
  needs: [ability],
  needsHook: hook !== undefined,
  expected,
  run: async ({ walk, driver, tools: [tool] }) => {
    const { act, mayThrow = false } = scenario;
    const abort = new AbortController();
    const call = createProbedCall(walk, tool, act, abort);
    if (hook !== undefined) walk.hook(hook[0], () => hook[1](tool, abort), tool.name);
    const ending = await walk.drive('the call', () => callSampleTool(driver, call, abort.signal, ability));
    if (!mayThrow) walk.expectNoThrow('the call', ending);
    await walk.settle(() => haveEventsFired(walk, call, expected.includes('AfterTool')));
    check(walk, call, ending);
  },
});

const denyOutput: HookOutput = { decision: 'deny', reason: DENY_REASON };

const createRefusedPath = (
  name: string,
  ability: ToolCallKind,
  answer = denyOutput,
  why = 'a hook had blocked it',
): CoveragePath =>
  createToolPath({
    name,
    ability,
    expected: ['BeforeTool'],
    hook: ['BeforeTool', () => answer],
    mayThrow: true,
    check: (walk, call, ending) => {
      checkRefused(walk, call, why);
      checkCompleted(walk, call, ending);
    },
  });

const waitUntilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else onAbort(signal, () => reject(signal.reason));
  });

const callTogether = ({ walk, driver }: PathContext, calls: readonly ProbedCall[]): Promise<unknown> =>
  walk.expectDone('the calls', () => {
    if (driver.parallelTools === undefined) return Promise.all(calls.map((one) => callSampleTool(driver, one)));
    return driver.parallelTools(
      calls.map((one) => ({
        ...createCallContext(one, unabortedSignal),
        name: one.tool.name,
        input: { ...one.tool.input },
      })),
    );
  });

const callInParallel = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  // The first call ends last, so that start order and end order differ.
  const calls = tools.map((tool, index) =>
    createProbedCall(walk, tool, async () => {
      await sleep(index === 0 ? 12 : 4);
      return toSampleResult(tool);
    }),
  );
  const value = await callTogether(context, calls);
  await walk.settle(() => calls.every((one) => haveEventsFired(walk, one)));
  for (const one of calls) {
    const run = checkWholeCall(walk, one);
    if (run !== undefined) checkModelGets(walk, value, getSampleOutput(one.tool), `what ${one.tool.name} gave`);
  }
};

const callInParallelWithBlock = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  const [blocked, other] = [createProbedCall(walk, tools[0]), createProbedCall(walk, tools[1])];
  walk.hook('BeforeTool', () => denyOutput, blocked.tool.name);
  const value = await callTogether(context, [blocked, other]);
  await walk.settle(() => haveEventsFired(walk, blocked, false) && haveEventsFired(walk, other));
  checkRefused(walk, blocked, 'a hook had blocked it');
  checkModelGets(walk, value, DENY_REASON, `why ${blocked.tool.name} was blocked`);
  checkWholeCall(walk, other);
};

const callAfterBlocked = async ({ walk, driver, tools: [tool] }: PathContext): Promise<void> => {
  walk.hook('BeforeTool', () => denyOutput, tool.name);
  const first = createProbedCall(walk, tool);
  await walk.drive('the call', () => callSampleTool(driver, first));
  walk.removeHooks();
  const next = createProbedCall(walk, tool);
  await walk.expectDone('the call', () => callSampleTool(driver, next));
  await walk.settle(() => walk.requests('AfterTool', tool.name).length > 0);
  checkToolRan(walk, next);
  checkAfterTool(walk, next);
};

const createSubagentPath = (name: string, isDenied: boolean): CoveragePath => ({
  name,
  needs: ['startAgent'],
  needsHook: isDenied,
  expected: isDenied ? ['SubagentStart'] : ['SubagentStart', 'SubagentStop'],
  run: async ({ walk, tools, driver }) => {
    const { probe: work } = createProbedCall(walk, tools[0]);
    if (isDenied) walk.hook('SubagentStart', () => denyOutput);
    await walk.drive('the sub-agent', () => driver.startAgent?.(SUBAGENT_NAME, { run: work.run }));
    const [starts, stops] = [() => walk.requests('SubagentStart').length, () => walk.requests('SubagentStop').length];
    await walk.settle(() => starts() > 0 && (isDenied || stops() > 0));
    if (starts() !== 1) walk.addProblem(`SubagentStart fired ${formatTimes(starts())} for ${SUBAGENT_NAME}, not once`);
    const expected = isDenied ? 0 : 1;
    if (work.runs.length > expected) walk.addProblem(`${SUBAGENT_NAME} worked although a hook had blocked it`);
    if (work.runs.length < expected)
      walk.addProblem(`${SUBAGENT_NAME} did not work; the agent has to run what the driver is given`);
    if (stops() !== expected)
      walk.addProblem(`SubagentStop fired ${formatTimes(stops())} for ${SUBAGENT_NAME}, not ${formatTimes(expected)}`);
  },
});

const toolEvents = ['BeforeTool', 'AfterTool'] as const;
const parallelAbilities = ['parallelTools', 'callTool'] as const;

export const toolPaths: readonly CoveragePath[] = [
  createToolPath({
    name: 'plain tool call',
    expected: toolEvents,
    check: (walk, call, ending) => {
      const run = checkStarted(walk, call);
      checkInput(walk, call, call.tool.input, 'the call said');
      checkAfterTool(walk, call);
      if (run !== undefined)
        checkModelGets(walk, getResolvedValue(ending), getSampleOutput(call.tool), `what ${call.tool.name} gave`);
    },
  }),
  createToolPath({
    name: 'changed tool input',
    expected: toolEvents,
    hook: ['BeforeTool', ({ change }) => ({ hookSpecificOutput: { tool_input: change } })],
    check: (walk, call) => {
      const { input, change } = call.tool;
      checkStarted(walk, call);
      if (checkInput(walk, call, { ...input, ...change }, 'a hook had changed its input to'))
        checkAfterTool(walk, call);
    },
  }),
  createToolPath({
    name: 'changed tool result',
    expected: toolEvents,
    hook: ['AfterTool', () => ({ hookSpecificOutput: { additionalContext: HOOK_CONTEXT } })],
    check: (walk, call, ending) => {
      checkAfterTool(walk, call);
      checkModelGets(walk, getResolvedValue(ending), HOOK_CONTEXT, 'what an AfterTool hook added to the result');
    },
  }),
  {
    name: 'parallel tool calls',
    needs: parallelAbilities,
    needsHook: false,
    expected: ['BeforeTool', 'BeforeTool', 'AfterTool', 'AfterTool'],
    run: callInParallel,
  },
  {
    name: 'parallel tool calls, one blocked',
    needs: parallelAbilities,
    needsHook: true,
    expected: ['BeforeTool', 'BeforeTool', 'AfterTool'],
    run: callInParallelWithBlock,
  },
  createToolPath({
    name: 'tool call that fails',
    expected: toolEvents,
    act: () => ({ llmContent: FAILURE_TEXT, error: { message: FAILURE_TEXT } }),
    mayThrow: true,
    check: (walk, call, ending) => {
      checkWholeCall(walk, call, FAILURE_TEXT);
      checkFailureReported(walk, call, ending);
    },
  }),
  createToolPath({
    name: 'tool call that throws',
    expected: ['BeforeTool', 'AfterToolFailure'],
    act: () => Promise.reject(new Error(FAILURE_TEXT)),
    mayThrow: true,
    check: (walk, call, ending) => {
      checkStarted(walk, call);
      if (walk.requests('AfterTool', call.tool.name).length > 0) checkAfterTool(walk, call, FAILURE_TEXT);
      checkFailureReported(walk, call, ending);
    },
  }),
  createToolPath({
    name: 'aborted tool call',
    expected: ['BeforeTool'],
    act: (_tool, abort) => {
      setTimeout(() => abort.abort(), 5);
      return waitUntilAborted(abort.signal);
    },
    mayThrow: true,
    check: (walk, call) => checkStarted(walk, call),
  }),
  createToolPath({
    name: 'tool call aborted before it runs',
    expected: ['BeforeTool'],
    hook: [
      'BeforeTool',
      (_tool, abort) => {
        abort.abort();
        return sleep(5).then(() => undefined);
      },
    ],
    mayThrow: true,
    check: (walk, call) => checkRefused(walk, call, 'the call had been aborted while its hooks were asked'),
  }),
  createRefusedPath('blocked tool call', 'callTool'),
  {
    name: 'tool call after a blocked one',
    needs: ['callTool'],
    needsHook: true,
    expected: ['BeforeTool', ...toolEvents],
    run: callAfterBlocked,
  },
  createRefusedPath(
    'stopped tool call',
    'callTool',
    { continue: false, stopReason: DENY_REASON },
    'a hook had stopped the agent',
  ),
  createToolPath({
    name: 'tool of another kind',
    ability: 'callOwnTool',
    expected: toolEvents,
    check: (walk, call) => {
      checkStarted(walk, call);
      if (walk.requests('AfterTool', call.tool.name).length !== 1) {
        walk.addProblem(`AfterTool did not fire once for ${call.tool.name}`);
      }
    },
  }),
  createRefusedPath('blocked tool of another kind', 'callOwnTool'),
  createToolPath({
    name: 'tool that runs elsewhere',
    ability: 'callElsewhere',
    // No AfterTool: it fires with the client's next request, which brings the tool's result.
    expected: ['BeforeTool'],
    hook: ['BeforeTool', () => undefined],
    check: (walk, call) => checkStarted(walk, call),
  }),
  createRefusedPath('blocked tool that runs elsewhere', 'callElsewhere'),
  createSubagentPath('sub-agent', false),
  createSubagentPath('blocked sub-agent', true),
];

const getResolvedValue = (ending: DriverEnding): unknown => (ending.how === 'resolved' ? ending.value : undefined);

const checkToolRan = (walk: Walk, { tool: { name }, probe }: ProbedCall): ToolRun | undefined => {
  const { runs } = probe;
  if (runs.length === 0)
    walk.addProblem(`${name} was not run; the agent has to run what the driver is given as \`run\``);
  if (runs.length > 1) walk.addProblem(`${name} was run ${formatTimes(runs.length)} in one call`);
  return runs[0];
};

const checkInput = (walk: Walk, { tool: { name }, probe }: ProbedCall, wanted: ToolInput, source: string): boolean => {
  const [run] = probe.runs;
  if (run === undefined || isDeepStrictEqual(run.input, wanted)) return true;
  walk.addProblem(`${name} ran with ${inspectBriefly(run.input)}; ${source} ${inspectBriefly(wanted)}`);
  return false;
};

const checkAfterTool = (walk: Walk, { tool, probe }: ProbedCall, response = getSampleOutput(tool)): void => {
  const { name } = tool;
  const request = walk.once('AfterTool', ', not once per call', name);
  const [run] = probe.runs;
  if (request === undefined || run === undefined) return;
  const { tool_input, tool_response } = readPayload(request);
  if (walk.timesOf(request).asked < run.ended) walk.addProblem(`AfterTool fired for ${name} before it had ended`);
  if (!isDeepStrictEqual(tool_input, run.input)) {
    walk.addProblem(
      `AfterTool was told that ${name} ran with ${inspectBriefly(tool_input)}; it ran with ${inspectBriefly(run.input)}`,
    );
  }
  if (!containsText(tool_response, response)) {
    walk.addProblem(`AfterTool was not told what came of ${name}: ${inspectBriefly(tool_response)}`);
  }
};

const checkStarted = (walk: Walk, call: ProbedCall): ToolRun | undefined => {
  const { name } = call.tool;
  const request = walk.once('BeforeTool', ', not once per call', name);
  const [run] = call.probe.runs;
  if (request !== undefined && run !== undefined && walk.timesOf(request).answered >= run.begun)
    walk.addProblem(`${name} ran before its BeforeTool hooks had answered`);
  return checkToolRan(walk, call);
};

const checkWholeCall = (walk: Walk, call: ProbedCall, response?: string): ToolRun | undefined => {
  const run = checkStarted(walk, call);
  checkAfterTool(walk, call, response);
  return run;
};

const checkRefused = (walk: Walk, { tool: { name }, probe }: ProbedCall, why: string): void => {
  const asked = walk.requests('BeforeTool', name).length;
  if (asked === 0) walk.addProblem(`BeforeTool never fired for ${name}`);
  if (asked > 1) walk.addProblem(`${name} was called ${formatTimes(asked)}: a refused call must not be tried again`);
  if (probe.runs.length > 0) walk.addProblem(`${name} ran although ${why}`);
  else if (walk.requests('AfterTool', name).length > 0) {
    walk.addProblem(`AfterTool fired for ${name}, which did not run`);
  }
};

/** A refused call must not throw: the model gets the reason and can continue. */
const checkCompleted = (walk: Walk, { tool: { name } }: ProbedCall, ending: DriverEnding): void => {
  if (ending.how === 'rejected') {
    const what = describeThrown(ending.error);
    walk.addProblem(`the call of ${name} ended with an exception (${what}); a refused call ends with a result`);
  }
  if (ending.how !== 'resolved') return;
  checkModelGets(walk, ending.value, DENY_REASON, `why ${name} did not run`);
  if (isMarkedCancelled(ending.value))
    walk.addProblem(`the call of ${name} counts as cancelled; a refused call is complete`);
};

const checkFailureReported = (walk: Walk, { tool: { name } }: ProbedCall, ending: DriverEnding): void => {
  if (ending.how === 'hung') return;
  const result = ending.how === 'resolved' ? ending.value : ending.error;
  if (!containsText(result, FAILURE_TEXT))
    walk.addProblem(`the failure of ${name} does not reach its caller: the result is ${inspectBriefly(result)}`);
};

const checkModelGets = (walk: Walk, value: unknown, text: string, what: string): void => {
  if (!containsText(value, text))
    walk.addProblem(`the model does not learn ${what}: it is given ${inspectBriefly(value)}`);
};

const STOP_REASON = 'coverage: a hook ends the work';

interface TurnScenario {
  readonly name: string;
  readonly expected: readonly HookEventName[];
  readonly hook?: readonly [HookEventName, HookOutput];
  readonly check: (walk: Walk, turn: ToolTurn) => void;
}

interface ToolTurn extends ProbedCall {
  readonly requests: readonly object[];
  readonly shown: readonly unknown[];
}

const createTurnPath = ({ name, expected, hook, check }: TurnScenario): CoveragePath => ({
  name,
  needs: ['toolTurn'],
  needsHook: hook !== undefined,
  expected,
  run: async ({ walk, driver, tools: [tool], translator }) => {
    const output = getSampleOutput(tool);
    const call = createProbedCall(walk, tool, () => ({ llmContent: output, returnDisplay: output }));
    const { models, calls } = createModelProbe(walk, translator);
    const shown: unknown[] = [];
    const context = {
      ...createCallContext(call, unabortedSignal),
      ...models,
      show: (value: unknown): void => void shown.push(value),
    };
    if (hook !== undefined) walk.hook(hook[0], () => hook[1], tool.name);
    await walk.drive('the turn', () => driver.toolTurn?.(tool.name, { ...tool.input }, context));
    await walk.settle(() => haveEventsFired(walk, call, false));
    check(walk, { ...call, requests: calls.map(({ request }) => request), shown });
  },
});

const checkContinues = (walk: Walk, { requests, tool }: ToolTurn): void => {
  if (requests.length === 0) walk.addProblem('the model was not asked again after the tool call');
  else if (!requests.some((request) => containsText(request, getSampleOutput(tool)))) {
    walk.addProblem('the model was asked again, but not told what the tool gave');
  }
};

const checkStopped = (walk: Walk, { requests }: ToolTurn, eventName: HookEventName): void => {
  if (requests.length === 0) return;
  walk.addProblem(`the model was asked again although a hook of ${eventName} had stopped the agent`);
};

const stopOutput: HookOutput = { continue: false, stopReason: STOP_REASON };
const wholeTurnEvents = [...toolEvents, 'BeforeToolSelection', 'BeforeModel', 'AfterModel'] as const;

export const toolTurnPaths: readonly CoveragePath[] = [
  createTurnPath({ name: 'turn after a tool call', expected: wholeTurnEvents, check: checkContinues }),
  createTurnPath({
    name: 'agent stopped before a tool',
    expected: ['BeforeTool'],
    hook: ['BeforeTool', stopOutput],
    check: (walk, turn) => checkStopped(walk, turn, 'BeforeTool'),
  }),
  createTurnPath({
    name: 'agent stopped after a tool',
    expected: toolEvents,
    hook: ['AfterTool', stopOutput],
    check: (walk, turn) => {
      if (turn.probe.runs.length === 0) walk.addProblem(`${turn.tool.name} did not run`);
      checkStopped(walk, turn, 'AfterTool');
    },
  }),
  createTurnPath({
    name: 'result that is not shown',
    expected: wholeTurnEvents,
    hook: ['AfterTool', { suppressOutput: true }],
    check: (walk, turn) => {
      checkContinues(walk, turn);
      if (containsText(turn.shown, getSampleOutput(turn.tool))) {
        walk.addProblem('the user was shown a result that a hook keeps off the display');
      }
    },
  }),
];
