import { isDeepStrictEqual } from 'node:util';
import { describeThrown, onAbort } from '../../kit/index.ts';
import type { HookExecutionRequest } from '../../protocol/index.ts';
import type { ToolResult } from '../../triggers/index.ts';
import type { CoveragePath, HostAbilities, PathContext, SampleTool, ToolCallContext } from './driver.ts';
import { type ToolProbe, type ToolRun, toolProbe } from './probes.ts';
import { briefly, type DriverEnding, mentions, payloadOf, saysCancelled, sleep, times, type Walk } from './walk.ts';

const REASON = 'coverage: a hook says no';
const CONTEXT = 'coverage: context of a hook';
const FAILURE = 'coverage: the tool failed';

const resultOf = (tool: SampleTool): ToolResult => ({ llmContent: outputOf(tool) });

const never = new AbortController().signal;

const probe = (
  walk: Walk,
  tool: SampleTool,
  act: () => ToolResult | Promise<ToolResult> = () => resultOf(tool),
): ProbedCall => ({ tool, probe: toolProbe(walk, act) });

const contextOf = ({ probe: { run } }: ProbedCall, signal: AbortSignal): ToolCallContext => ({ run, signal });

/** The ways in which an agent calls a tool. */
type Way = 'callTool' | 'callOwnTool' | 'callElsewhere';

/** The driver is asked as an object, so that it may be an instance of a class. */
const callWith = (
  driver: HostAbilities<object, object>,
  call: ProbedCall,
  signal: AbortSignal,
  way: Way = 'callTool',
): unknown => driver[way]?.(call.tool.name, { ...call.tool.input }, contextOf(call, signal));

const call = ({ walk, driver }: PathContext, one: ProbedCall, signal = never): Promise<unknown> =>
  walk.expectDone('the call', () => callWith(driver, one, signal));

const callHowever = (
  { walk, driver }: PathContext,
  one: ProbedCall,
  signal = never,
  way?: Way,
): Promise<DriverEnding> => walk.drive('the call', () => callWith(driver, one, signal, way));

const callTogether = ({ walk, driver }: PathContext, calls: readonly ProbedCall[]): Promise<unknown> =>
  walk.expectDone('the calls', () => {
    if (driver.parallelTools === undefined) return Promise.all(calls.map((one) => callWith(driver, one, never)));
    return driver.parallelTools(
      calls.map((one) => ({ ...contextOf(one, never), name: one.tool.name, input: { ...one.tool.input } })),
    );
  });

const hasFired = (walk: Walk, { tool: { name } }: ProbedCall, isAfterToo = true) =>
  walk.requests('BeforeTool', name).length > 0 && (!isAfterToo || walk.requests('AfterTool', name).length > 0);

const plain = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  const one = probe(walk, tools[0]);
  const value = await call(context, one);
  await walk.settle(() => hasFired(walk, one));
  checkBefore(walk, one);
  const run = checkRan(walk, one);
  if (run !== undefined && !isDeepStrictEqual(run.input, one.tool.input)) {
    walk.complain(`${one.tool.name} ran with ${briefly(run.input)}; the call said ${briefly(one.tool.input)}`);
  }
  checkAfter(walk, one);
  if (run !== undefined) checkTellsModel(walk, value, outputOf(one.tool), `what ${one.tool.name} gave`);
};

const changedInput = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  const one = probe(walk, tools[0]);
  const { name, input, change } = one.tool;
  walk.hook('BeforeTool', () => ({ hookSpecificOutput: { tool_input: change } }), name);
  await call(context, one);
  await walk.settle(() => hasFired(walk, one));
  checkBefore(walk, one);
  const run = checkRan(walk, one);
  const changed = { ...input, ...change };
  if (run !== undefined && !isDeepStrictEqual(run.input, changed)) {
    walk.complain(`${name} ran with ${briefly(run.input)}; a hook had changed its input to ${briefly(changed)}`);
  } else checkAfter(walk, one);
};

const changedResult = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  const one = probe(walk, tools[0]);
  walk.hook('AfterTool', () => ({ hookSpecificOutput: { additionalContext: CONTEXT } }), one.tool.name);
  const value = await call(context, one);
  await walk.settle(() => hasFired(walk, one));
  checkAfter(walk, one);
  checkTellsModel(walk, value, CONTEXT, 'what an AfterTool hook added to the result');
};

const parallel = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  // The first is the last to end, so that neither order can be taken for the other.
  const calls = tools.map((tool, index) =>
    probe(walk, tool, async () => {
      await sleep(index === 0 ? 12 : 4);
      return resultOf(tool);
    }),
  );
  const value = await callTogether(context, calls);
  await walk.settle(() => calls.every((one) => hasFired(walk, one)));
  for (const one of calls) {
    checkBefore(walk, one);
    const run = checkRan(walk, one);
    checkAfter(walk, one);
    if (run !== undefined) checkTellsModel(walk, value, outputOf(one.tool), `what ${one.tool.name} gave`);
  }
};

const parallelOneBlocked = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  const [blocked, other] = [probe(walk, tools[0]), probe(walk, tools[1])];
  walk.hook('BeforeTool', () => ({ decision: 'deny', reason: REASON }), blocked.tool.name);
  const value = await callTogether(context, [blocked, other]);
  await walk.settle(() => hasFired(walk, blocked, false) && hasFired(walk, other));
  checkRefused(walk, blocked, 'a hook had blocked it');
  checkTellsModel(walk, value, REASON, `why ${blocked.tool.name} was blocked`);
  checkBefore(walk, other);
  checkRan(walk, other);
  checkAfter(walk, other);
};

/** Resolved or rejected, the failure has to be reported. */
const checkFailureIsTold = (walk: Walk, { tool: { name } }: ProbedCall, ending: DriverEnding): void => {
  if (ending.how === 'hung') return;
  const told = ending.how === 'resolved' ? ending.value : ending.error;
  if (!mentions(told, FAILURE)) walk.complain(`nobody learns that ${name} failed: the result is ${briefly(told)}`);
};

const failing = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  const one = probe(walk, tools[0], () => ({ llmContent: FAILURE, error: { message: FAILURE } }));
  const ending = await callHowever(context, one);
  await walk.settle(() => hasFired(walk, one));
  checkBefore(walk, one);
  checkRan(walk, one);
  checkAfter(walk, one, FAILURE);
  checkFailureIsTold(walk, one, ending);
};

const throwing = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  const one = probe(walk, tools[0], () => Promise.reject(new Error(FAILURE)));
  const ending = await callHowever(context, one);
  await walk.settle(() => hasFired(walk, one, false));
  checkBefore(walk, one);
  checkRan(walk, one);
  checkAfterIfAny(walk, one, FAILURE);
  checkFailureIsTold(walk, one, ending);
};

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else onAbort(signal, () => reject(signal.reason));
  });

const aborted = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  const controller = new AbortController();
  const one = probe(walk, tools[0], () => {
    setTimeout(() => controller.abort(), 5);
    return untilAborted(controller.signal);
  });
  await callHowever(context, one, controller.signal);
  controller.abort();
  await walk.settle(() => hasFired(walk, one, false));
  checkBefore(walk, one);
  checkRan(walk, one);
};

const abortedEarly = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  const controller = new AbortController();
  const one = probe(walk, tools[0]);
  const abortWhileAsked = async (): Promise<undefined> => {
    controller.abort();
    await sleep(5);
  };
  walk.hook('BeforeTool', abortWhileAsked, one.tool.name);
  await callHowever(context, one, controller.signal);
  await walk.settle(() => hasFired(walk, one, false));
  checkRefused(walk, one, 'the call had been aborted while its hooks were asked');
};

/** A refused call is a completed call: the model is told, nothing is thrown, and the next call finds its way. */
const checkCompleted = (walk: Walk, { tool: { name } }: ProbedCall, ending: DriverEnding): void => {
  if (ending.how === 'rejected') {
    const what = describeThrown(ending.error);
    walk.complain(`the call of ${name} ended with an exception (${what}); a refused call ends with a result`);
  }
  if (ending.how !== 'resolved') return;
  checkTellsModel(walk, ending.value, REASON, `why ${name} did not run`);
  if (saysCancelled(ending.value)) walk.complain(`the call of ${name} counts as cancelled; a refused call is complete`);
};

const refusedBy =
  (answer: Parameters<Walk['hook']>[1], why: string, way?: Way) =>
  async (context: PathContext): Promise<void> => {
    const { walk, tools } = context;
    const one = probe(walk, tools[0]);
    walk.hook('BeforeTool', answer, one.tool.name);
    const ending = await callHowever(context, one, never, way);
    await walk.settle(() => hasFired(walk, one, false));
    checkRefused(walk, one, why);
    checkCompleted(walk, one, ending);
  };

const deny = () => ({ decision: 'deny' as const, reason: REASON });
const blocked = refusedBy(deny, 'a hook had blocked it');
const blockedOwn = refusedBy(deny, 'a hook had blocked it', 'callOwnTool');
const blockedElsewhere = refusedBy(deny, 'a hook had blocked it', 'callElsewhere');

/** A tool that is no plain function of the agent is asked about as others are. */
const otherKind =
  (way: Way, isAfterToo: boolean) =>
  async (context: PathContext): Promise<void> => {
    const { walk, tools, driver } = context;
    const one = probe(walk, tools[0]);
    await walk.expectDone('the call', () => callWith(driver, one, never, way));
    await walk.settle(() => hasFired(walk, one, isAfterToo));
    checkBefore(walk, one);
    checkRan(walk, one);
    if (isAfterToo && walk.requests('AfterTool', one.tool.name).length !== 1) {
      walk.complain(`AfterTool did not fire once for ${one.tool.name}`);
    }
  };

const AGENT = 'helper';

/** Another agent starts when hooks let it, and stops once for each time that it started. */
const subAgent =
  (isDenied: boolean) =>
  async ({ walk, tools, driver }: PathContext): Promise<void> => {
    const { probe: work } = probe(walk, tools[0]);
    if (isDenied) walk.hook('SubagentStart', deny);
    await walk.drive('the sub-agent', () => driver.startAgent?.(AGENT, { run: work.run }));
    const [starts, stops] = [() => walk.requests('SubagentStart').length, () => walk.requests('SubagentStop').length];
    await walk.settle(() => starts() > 0 && (isDenied || stops() > 0));
    if (starts() !== 1) walk.complain(`SubagentStart fired ${times(starts())} for ${AGENT}, not once`);
    const expected = isDenied ? 0 : 1;
    if (work.runs.length > expected) walk.complain(`${AGENT} worked although a hook had blocked it`);
    if (work.runs.length < expected)
      walk.complain(`${AGENT} did not work; the agent has to run what the driver is given`);
    if (stops() !== expected)
      walk.complain(`SubagentStop fired ${times(stops())} for ${AGENT}, not ${times(expected)}`);
  };
const stopped = refusedBy(() => ({ continue: false, stopReason: REASON }), 'a hook had stopped the agent');

const afterBlocked = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  const first = probe(walk, tools[0]);
  walk.hook('BeforeTool', () => ({ decision: 'deny', reason: REASON }), first.tool.name);
  await callHowever(context, first);
  walk.removeHooks();
  const next = probe(walk, tools[0]);
  await call(context, next);
  await walk.settle(() => walk.requests('AfterTool', next.tool.name).length > 0);
  checkRan(walk, next);
  checkAfter(walk, next);
};

const callTool = { needs: ['callTool'], needsHook: false } as const;
const callToolWithHook = { needs: ['callTool'], needsHook: true } as const;
const both = ['BeforeTool', 'AfterTool'] as const;

export const toolPaths: readonly CoveragePath[] = [
  { name: 'plain tool call', ...callTool, expected: both, go: plain },
  { name: 'changed tool input', ...callToolWithHook, expected: both, go: changedInput },
  { name: 'changed tool result', ...callToolWithHook, expected: both, go: changedResult },
  {
    name: 'parallel tool calls',
    needs: ['parallelTools', 'callTool'],
    needsHook: false,
    expected: ['BeforeTool', 'BeforeTool', 'AfterTool', 'AfterTool'],
    go: parallel,
  },
  {
    name: 'parallel tool calls, one blocked',
    needs: ['parallelTools', 'callTool'],
    needsHook: true,
    expected: ['BeforeTool', 'BeforeTool', 'AfterTool'],
    go: parallelOneBlocked,
  },
  { name: 'tool call that fails', ...callTool, expected: both, go: failing },
  { name: 'tool call that throws', ...callTool, expected: ['BeforeTool', 'AfterToolFailure'], go: throwing },
  { name: 'aborted tool call', ...callTool, expected: ['BeforeTool'], go: aborted },
  { name: 'tool call aborted before it runs', ...callToolWithHook, expected: ['BeforeTool'], go: abortedEarly },
  { name: 'blocked tool call', ...callToolWithHook, expected: ['BeforeTool'], go: blocked },
  { name: 'tool call after a blocked one', ...callToolWithHook, expected: ['BeforeTool', ...both], go: afterBlocked },
  { name: 'stopped tool call', ...callToolWithHook, expected: ['BeforeTool'], go: stopped },
  {
    name: 'tool of another kind',
    needs: ['callOwnTool'],
    needsHook: false,
    expected: both,
    go: otherKind('callOwnTool', true),
  },
  {
    name: 'blocked tool of another kind',
    needs: ['callOwnTool'],
    needsHook: true,
    expected: ['BeforeTool'],
    go: blockedOwn,
  },
  {
    name: 'tool that runs elsewhere',
    needs: ['callElsewhere'],
    // What it gives comes later, with the next request.
    needsHook: true,
    expected: ['BeforeTool'],
    go: async (context) => {
      context.walk.hook('BeforeTool', () => undefined);
      await otherKind('callElsewhere', false)(context);
    },
  },
  {
    name: 'blocked tool that runs elsewhere',
    needs: ['callElsewhere'],
    needsHook: true,
    expected: ['BeforeTool'],
    go: blockedElsewhere,
  },
  {
    name: 'sub-agent',
    needs: ['startAgent'],
    needsHook: false,
    expected: ['SubagentStart', 'SubagentStop'],
    go: subAgent(false),
  },
  {
    name: 'blocked sub-agent',
    needs: ['startAgent'],
    needsHook: true,
    expected: ['SubagentStart'],
    go: subAgent(true),
  },
];

/** A call of a tool: which one, and what became of it. */
interface ProbedCall {
  readonly tool: SampleTool;
  readonly probe: ToolProbe;
}

export const outputOf = ({ name }: SampleTool): string => `coverage: output of ${name}`;

const first = (walk: Walk, what: string, name: string, requests: readonly HookExecutionRequest[]) => {
  const [request] = requests;
  if (request === undefined) walk.complain(`${what} never fired for ${name}`);
  else if (requests.length > 1) walk.complain(`${what} fired ${times(requests.length)} for ${name}, not once per call`);
  return request;
};

/** BeforeTool once, and answered before the tool began. */
const checkBefore = (walk: Walk, { tool: { name }, probe }: ProbedCall): void => {
  const request = first(walk, 'BeforeTool', name, walk.requests('BeforeTool', name));
  const [run] = probe.runs;
  if (request === undefined || run === undefined || walk.timesOf(request).answered < run.begun) return;
  walk.complain(`${name} ran before its BeforeTool hooks had answered`);
};

/** The tool ran once. */
const checkRan = (walk: Walk, { tool: { name }, probe }: ProbedCall): ToolRun | undefined => {
  const { runs } = probe;
  if (runs.length === 0) walk.complain(`${name} was not run; the agent has to run what the driver is given as \`run\``);
  if (runs.length > 1) walk.complain(`${name} was run ${times(runs.length)} in one call`);
  return runs[0];
};

/** What AfterTool is told is what became of the call that BeforeTool was asked about. */
const checkTold = (
  walk: Walk,
  { tool: { name } }: ProbedCall,
  run: ToolRun,
  request: HookExecutionRequest,
  response: string,
): void => {
  const { tool_input, tool_response } = payloadOf(request);
  if (walk.timesOf(request).asked < run.ended) walk.complain(`AfterTool fired for ${name} before it had ended`);
  if (!isDeepStrictEqual(tool_input, run.input)) {
    walk.complain(`AfterTool was told that ${name} ran with ${briefly(tool_input)}; it ran with ${briefly(run.input)}`);
  }
  if (!mentions(tool_response, response)) {
    walk.complain(`AfterTool was not told what came of ${name}: ${briefly(tool_response)}`);
  }
};

/** AfterTool once, after the tool, with its input and what it gave. */
const checkAfter = (walk: Walk, call: ProbedCall, response = outputOf(call.tool)): void => {
  const { name } = call.tool;
  const request = first(walk, 'AfterTool', name, walk.requests('AfterTool', name));
  const [run] = call.probe.runs;
  if (request !== undefined && run !== undefined) checkTold(walk, call, run, request, response);
};

/** For calls after which AfterTool may fire, but need not. */
const checkAfterIfAny = (walk: Walk, call: ProbedCall, response: string): void => {
  if (walk.requests('AfterTool', call.tool.name).length > 0) checkAfter(walk, call, response);
};

/** The tool did not run and was not tried again, and no result was reported. */
const checkRefused = (walk: Walk, { tool: { name }, probe }: ProbedCall, why: string): void => {
  const asked = walk.requests('BeforeTool', name).length;
  if (asked === 0) walk.complain(`BeforeTool never fired for ${name}`);
  if (asked > 1) walk.complain(`${name} was called ${times(asked)}: a refused call must not be tried again`);
  if (probe.runs.length > 0) walk.complain(`${name} ran although ${why}`);
  else if (walk.requests('AfterTool', name).length > 0) {
    walk.complain(`AfterTool fired for ${name}, which did not run`);
  }
};

/** The call ended the way a call ends, with what the model has to know. */
const checkTellsModel = (walk: Walk, value: unknown, text: string, what: string): void => {
  if (!mentions(value, text)) walk.complain(`the model does not learn ${what}: it is given ${briefly(value)}`);
};
