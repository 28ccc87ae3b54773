/** `callTool`: one tool call with its hooks around it. */
import { invalidArgument } from '../errors.ts';
import type { DefaultHookOutput, PayloadOf } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import { checkByStandard, isStandardSchema, onAbort, type StandardSchema } from '../kit/index.ts';
import type { PlanContext } from '../planner/index.ts';
import { type CallToPark, type Confirm, type ConfirmQuestion, hookKey, isFree } from '../protocol/index.ts';
import {
  type Args,
  type Asked,
  aroundTool,
  type CallOutput,
  type CourseOfCall,
  callIdFor,
  type EventVerdict,
  type Heard,
  type HookedToolResult,
  type Host,
  hasRun,
  keepForNextRequest,
  MAX_TAIL_CALLS,
  noOpinion,
  outputOf,
  type ResumedCall,
  rewriteNote,
  saysSomething,
  type ToolContext,
  type ToolMoment,
  type ToolResult,
  type WhyNot,
  warnUnasked,
} from '../triggers/index.ts';
import {
  expectFunction,
  expectGoing,
  expectKnown,
  expectName,
  expectObject,
  expectOptions,
  isSignal,
} from './arguments.ts';
import { type HookFault, type SaidInFull, withAsking } from './hearing.ts';
import { checkToolCall, outputForm } from './tool-output.ts';

/** A tool's output after its hooks: in the form in which it came, or a result that says why it is withheld. */
export type HookedOutput<Output> = Output extends string
  ? string
  : Output extends { readonly llmContent: unknown }
    ? HookedToolResult<Output & ToolResult>
    : Output | ToolResult;

export interface CallToolOptions extends FireOptions, ToolContext {
  /** Answers `ask` in this call, in place of `deps.confirm`. */
  readonly confirm?: Confirm | undefined;
  /** What the tool takes: arguments that hooks changed are checked before it runs. A Standard Schema, or a function. */
  readonly inputSchema?: ValueSchema | undefined;
  /** What the tool gives: a result that hooks put in its place is checked. A Standard Schema, or a function. */
  readonly outputSchema?: ValueSchema | undefined;
  /** Runs another tool that an AfterTool hook wants called, its result to take the place of the first. */
  readonly runTool?: ((name: string, args: Args, context: ToolRunContext) => unknown) | undefined;
  /** How many calls may follow one another that way; 3 by default. */
  readonly maxTailCalls?: number | undefined;
}

/** Options of a parked call; what it was made with stands in its token. */
export interface ResumeOptions extends Omit<CallToolOptions, keyof ToolContext> {}

/** A Standard Schema, or a function that says why a value does not fit. */
export type ValueSchema = StandardSchema | WhyNot;

/** What a tool is told beside its arguments. */
export interface ToolRunContext {
  /** That of the call; one that never aborts when the call has none. */
  readonly signal: AbortSignal;
}

/** What came of a tool call. It ran exactly when there is no `blocked`. */
export interface CalledTool<Output = unknown> {
  /** For the model: what the tool gave, with what hooks add where its form allows. Absent when there is nothing to be had. */
  readonly output?: HookedOutput<Output>;
  /** There when the tool ran and a hook took its result away; the reason is what the model gets in its place. */
  readonly withheld?: { readonly reason: string };
  /** There when the tool did not run; the reason is what the model gets in place of a result. */
  readonly blocked?: { readonly verdict: 'ask' | 'deny' | 'stop'; readonly reason: string };
  /** There when a hook ended the work of the agent: do not ask the model again. */
  readonly stopped?: { readonly reason: string };
  /** There when a hook wanted a person to be asked. */
  readonly asked?: Asked;
  /** What the model should know, markup escaped. `output` has it already where its form allows. */
  readonly context?: string;
  /**
   * System messages, for the model, and which parameters of its call hooks changed. What `output` has not already rides on
   * the next request that `beforeModel` gives back.
   */
  readonly messages: readonly string[];
  /** The output is for the model and not to be shown to the user. */
  readonly suppressDisplay?: true;
  /** Another tool that a hook wants called, its result to take the place of this one. Not there where `runTool` runs it. */
  readonly tailToolCall?: { readonly name: string; readonly args: Args };
  /** What went wrong. A fault is never a verdict unless its hook asked for that. */
  readonly faults: readonly HookFault[];
  /** What the tool was called with, or would have been. */
  readonly input: Args;
}

/** The engine, as far as a tool call needs it. */
export interface ToolEngine {
  readonly host: Host;
  readonly expectOpen: () => void;
  /** The same after hooks were asked. */
  readonly expectStillOpen: () => void;
  /** Reports a tool that the host does not name among its tools. */
  readonly checkTool: (name: string, mcpContext: unknown) => void;
  readonly comesToNothing: (event: ToolMoment, context: PlanContext) => boolean;
  readonly hear: <E extends ToolMoment>(
    event: E,
    payload: PayloadOf<E>,
    options: CallToolOptions,
  ) => Promise<SaidInFull<E>>;
  readonly decide: (
    output: DefaultHookOutput | undefined,
    about: () => Omit<ConfirmQuestion, 'reason'>,
    options: CallToolOptions,
    toPark?: (reason: string) => CallToPark,
  ) => Promise<EventVerdict>;
}

export interface ToolCallArguments<Output> {
  readonly name: string;
  readonly input: Args;
  readonly run: (effectiveInput: Args, context: ToolRunContext) => Output | Promise<Output>;
  readonly options: CallToolOptions;
  readonly resumed?: ResumedCall | undefined;
}

const optionNames = [
  'signal',
  'timeoutMs',
  'id',
  'mcpContext',
  'originalName',
  'more',
  'confirm',
  'inputSchema',
  'outputSchema',
  'runTool',
  'maxTailCalls',
] as const satisfies readonly (keyof CallToolOptions)[];

const partsOfCall: readonly (keyof CallToolOptions)[] = ['id', 'mcpContext', 'originalName', 'more'];

const method = 'callTool';

const check = ({ name, input, run, options }: ToolCallArguments<unknown>): void => {
  checkToolCall(method, { tool: name, input });
  expectFunction(method, 'run', 'what runs the tool', run);
  checkOptions(method, options, optionNames);
};

/** Refuses options that stand in the token of the parked call. */
export const checkResume = (method: string, options: ResumeOptions): void =>
  checkOptions(
    method,
    options,
    optionNames.filter((name) => !partsOfCall.includes(name)),
  );

/** What stands in place of options: without own members, it would be taken for options that are all left out. */
const foundForOptions = (options: object, known: readonly string[]): string | undefined => {
  if (isSignal(options)) return 'an AbortSignal; pass {signal}';
  if (options instanceof AbortController) return 'an AbortController; pass {signal: controller.signal}';
  const prototype: unknown = Object.getPrototypeOf(options);
  const isOptions = prototype === Object.prototype || prototype === null || known.some((name) => name in options);
  return isOptions || Object.keys(options).length > 0 ? undefined : `a ${options.constructor.name}`;
};

const checkOptions = (method: string, options: CallToolOptions, known: readonly string[]): void => {
  expectObject(method, 'options', 'an object', options);
  const found = foundForOptions(options, known);
  if (found !== undefined) throw invalidArgument(`${method} needs options, an object such as {signal}; got ${found}`);
  expectKnown(method, options, known);
  expectOptions(method, options);
  if (options.confirm !== undefined)
    expectFunction(method, 'confirm', 'what answers a hook that asks', options.confirm);
  if (options.runTool !== undefined) expectFunction(method, 'runTool', 'what runs another tool', options.runTool);
  if (options.id !== undefined) expectName(method, 'id', 'a text by which the call is known', options.id);
};

/** Creates the signal on first use: few tools read it, and creating it takes longer than asking the hooks. */
const withOwnSignal = (): ToolRunContext => {
  let own: AbortSignal | undefined;
  return {
    get signal() {
      own ??= new AbortController().signal;
      return own;
    },
  };
};

/** Rejects as soon as the caller cancels; the later result of the tool is ignored. */
const orAborted = async <T>(signal: AbortSignal | undefined, working: () => T | Promise<T>): Promise<T> => {
  if (signal === undefined) return working();
  const work = Promise.resolve(working());
  return new Promise<T>((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    void work.then(resolve, reject).then(stop);
  });
};

/** Whether a tool may run, or its result may be used: an unanswered `ask` is no approval. */
const letsGo = (decision: EventVerdict): boolean => isFree(decision.verdict);

/** A hook asks, and the host has no `confirm` that would put the question to a person. */
const isUnasked = ({ verdict, asked }: EventVerdict): boolean => verdict === 'ask' && asked?.parked === undefined;

/** For the model, which would not know otherwise that no person refused. */
const reasonOf = (decision: EventVerdict): string => {
  const reason = decision.reason ?? decision.stopReason ?? '';
  return isUnasked(decision) ? `${reason}, and there is nobody to ask` : reason;
};

type Said = readonly (Heard<'BeforeTool'> | Heard<'AfterTool'>)[];

const contextIn = (said: Said): string | undefined => {
  const contexts = said.map(({ output }) => output?.getAdditionalContext()).filter(saysSomething);
  return contexts.length === 0 ? undefined : contexts.join('\n\n');
};

const firstStop = (said: Said): string | undefined =>
  said.find(({ decision }) => decision.stopReason !== undefined)?.decision.stopReason;

/** The question that decided comes last. */
const lastQuestion = (said: Said): Asked | undefined =>
  said.findLast(({ decision }) => decision.asked !== undefined)?.decision.asked;

/** Texts for the model wait for its next request if no output can carry them. */
const keepAll = (host: Host, note: string | undefined, said: Said): void => {
  keepForNextRequest(host, note);
  for (const { output } of said) {
    keepForNextRequest(host, output?.getAdditionalContext());
    keepForNextRequest(host, output?.systemMessage);
  }
};

/** A call and those that hooks wanted after it. */
const coursesOf = (course: CourseOfCall): readonly CourseOfCall[] => {
  const next = course.ran?.tail?.course;
  return next === undefined ? [course] : [course, ...coursesOf(next)];
};

/** A Standard Schema, as those of zod and others are, or a function. */
const checkOf = (schema: ValueSchema | undefined): WhyNot | undefined => {
  if (schema === undefined || !isStandardSchema(schema)) return schema;
  return async (value) => {
    const issues = await checkByStandard(schema, value);
    return issues.length === 0 ? undefined : issues.join('; ');
  };
};

/** One tool call with all that hooks have to do with it. Rejects when it is called wrongly, and as `run` and `signal` do. */
export function callTool<Output>(engine: ToolEngine, call: ToolCallArguments<Output>): Promise<CalledTool<Output>>;
export async function callTool(engine: ToolEngine, call: ToolCallArguments<unknown>): Promise<CalledTool> {
  engine.expectOpen();
  check(call);
  const { host } = engine;
  const { name, run, options } = call;
  const { signal } = options;
  engine.checkTool(name, options.mcpContext);
  const runContext: ToolRunContext = signal === undefined ? withOwnSignal() : { signal };
  const faults: HookFault[] = [];
  const heard = async <E extends ToolMoment>(event: E, payload: () => PayloadOf<E>): Promise<SaidInFull<E>> => {
    const said = await engine.hear(event, payload(), options);
    faults.push(...said.faults);
    return said;
  };
  const { runTool, maxTailCalls = MAX_TAIL_CALLS } = options;
  const course = await aroundTool(
    {
      host,
      signal,
      hear: (event, toolName, payload) =>
        engine.comesToNothing(event, { toolName }) ? undefined : heard(event, payload),
      decide: async (output, question, toPark) => {
        const decision = await engine.decide(output, question, options, toPark);
        faults.push(...withAsking([], decision));
        return decision;
      },
      mayRun: (decision) => {
        // Hooks that were closed while they were asked have not said that the tool may run.
        expectGoing(signal);
        engine.expectStillOpen();
        return letsGo(decision);
      },
      form: outputForm,
      fault: (hook, message) => {
        faults.push({ ...(hook === undefined ? {} : { hook: hookKey(hook) }), code: 'malformed-output', message });
        host.warn(message);
      },
      tail:
        runTool === undefined
          ? undefined
          : {
              run: (tool, args) => orAborted(signal, () => runTool(tool, args, runContext)),
              maxCalls: maxTailCalls,
            },
    },
    {
      name,
      input: call.input,
      context: options,
      callId: callIdFor(call.resumed?.call.callId ?? options.id),
      run: (args) => orAborted(signal, () => run(args, runContext)),
      whyNotInput: checkOf(options.inputSchema),
      whyNotOutput: checkOf(options.outputSchema),
      resumed: call.resumed,
    },
  );
  const { input, original, before, permission, ran } = course;

  // Without an answer of a hook, skip the rest: it costs more than all before it.
  const isSilent = before?.output === undefined && before?.decision.asked === undefined;
  if (ran !== undefined && input === original && isSilent && ran.after?.output === undefined) {
    return { output: ran.returned, messages: [], faults, input };
  }
  // The caller may have cancelled during a tool that a hook wanted.
  expectGoing(signal);
  const courses = coursesOf(course);
  const last = courses.findLast(hasRun);
  const said: Said = courses.flatMap((one) => [one.before, one.ran?.after]).filter((one) => one !== undefined);
  const note = ran === undefined ? undefined : rewriteNote(original, input);
  const warn = (message: string): void => {
    faults.push({ code: 'internal_error', message });
    host.warn(message);
  };
  const decision = last === undefined ? (before?.decision ?? noOpinion) : (last.ran.after?.decision ?? noOpinion);
  const isHad = last !== undefined && letsGo(decision);
  const made = isHad && hasRun(course) ? outputOf({ ...outputForm, host: { ...host, warn } }, course) : undefined;
  if (made?.carries !== true) keepAll(host, note, said);
  if (isUnasked(decision)) {
    warnUnasked(host, decision, ran === undefined ? 'the tool does not run' : 'its result is withheld');
  }
  return {
    ...(made === undefined ? {} : madeOf(made, courses)),
    ...(ran === undefined ? { blocked: { verdict: againstIn(decision), reason: reasonOf(decision) } } : {}),
    ...(ran === undefined || isHad ? {} : { withheld: { reason: reasonOf(decision) } }),
    ...marksOf(said),
    messages: [
      ...(note === undefined ? [] : [note]),
      ...[before, permission, ...said.slice(before === undefined ? 0 : 1)].flatMap((one) => one?.messages ?? []),
    ],
    faults,
    input,
  };
}

const againstIn = ({ verdict }: EventVerdict): 'ask' | 'deny' | 'stop' =>
  verdict === 'none' || verdict === 'allow' ? 'deny' : verdict;

const madeOf = ({ output }: CallOutput, courses: readonly CourseOfCall[]) => {
  const tailToolCall = courses.at(-1)?.ran?.after?.output?.getTailToolCallRequest();
  const isFollowed = courses.some(({ ran }) => ran?.tail !== undefined);
  return {
    output,
    ...(courses.some(({ ran }) => ran?.after?.output?.suppressOutput === true)
      ? { suppressDisplay: true as const }
      : {}),
    ...(tailToolCall === undefined || isFollowed ? {} : { tailToolCall }),
  };
};

const marksOf = (said: Said) => {
  const stop = firstStop(said);
  const asked = lastQuestion(said);
  const context = contextIn(said);
  return {
    ...(stop === undefined ? {} : { stopped: { reason: stop } }),
    ...(asked === undefined ? {} : { asked }),
    ...(context === undefined ? {} : { context }),
  };
};
