/** `callTool`: runs one tool call with its hooks. */
import type { DefaultHookOutput, PayloadOf } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import { checkByStandard, isStandardSchema, onAbort, type StandardSchema } from '../kit/index.ts';
import type { PlanContext } from '../planner/index.ts';
import { type CallToPark, type Confirm, type ConfirmQuestion, hookKey, proceedsFreely } from '../protocol/index.ts';
import {
  type Args,
  type Asked,
  type CallOutput,
  callIdFor,
  type DecidedAnswers,
  type EventVerdict,
  type ExplainRejection,
  type HookedToolResult,
  type Host,
  hasToolRun,
  isNotBlank,
  keepMessageForNextRequest,
  MAX_TAIL_CALLS,
  noVerdict,
  outputOf,
  type ResumedCall,
  rewrittenInputNote,
  runToolWithHooks,
  type ToolCallProgress,
  type ToolContext,
  type ToolEventName,
  type ToolResult,
  warnUnasked,
} from '../triggers/index.ts';
import { expectFunction, expectKnownOptions, expectName, expectNotAborted } from './arguments.ts';
import { type EventAnswersWithFaults, type HookFault, withConfirmFault } from './event-answers.ts';
import { checkToolCall, hostOutputForm } from './tool-output.ts';

/** A tool's output after its hooks: in its original form, or a result with the reason why it is withheld. */
export type HookedOutput<Output> = Output extends string
  ? string
  : Output extends { readonly llmContent: unknown }
    ? HookedToolResult<Output & ToolResult>
    : Output | ToolResult;

export interface CallToolOptions extends FireOptions, ToolContext {
  /** Answers `ask` for this call instead of `deps.confirm`. */
  readonly confirm?: Confirm | undefined;
  /**
   * Schema of the arguments: arguments that hooks changed are checked before the tool runs. A Standard Schema, or a
   * function.
   */
  readonly inputSchema?: ValueSchema | undefined;
  /** Schema of the result: a result that hooks replaced is checked. A Standard Schema, or a function. */
  readonly outputSchema?: ValueSchema | undefined;
  /** Runs another tool that an AfterTool hook requests; its result replaces the first. */
  readonly runTool?: ((name: string, args: Args, context: ToolRunContext) => unknown) | undefined;
  /** The maximum number of such follow-up calls. Default: 3. */
  readonly maxTailCalls?: number | undefined;
}

/** Options for resuming a parked call; all others are in its token. */
export interface ResumeOptions extends Omit<CallToolOptions, keyof ToolContext> {}

/** A Standard Schema, or a function that returns why a value does not fit. */
export type ValueSchema = StandardSchema | ExplainRejection;

/** The second argument of a tool. */
export interface ToolRunContext {
  /** The signal of the call, or one that never aborts. */
  readonly signal: AbortSignal;
}

/** The result of a tool call. The tool ran exactly if `blocked` is absent. */
export interface CalledTool<Output = unknown> {
  /** The tool's output for the model, with texts of hooks if its form allows. Absent if there is none. */
  readonly output?: HookedOutput<Output>;
  /** Present if a hook withheld the result of a tool that ran; the model gets the reason instead. */
  readonly withheld?: { readonly reason: string };
  /** Present if the tool did not run; the model gets the reason instead of a result. */
  readonly blocked?: { readonly verdict: 'ask' | 'deny' | 'stop'; readonly reason: string };
  /** Present if a hook ended the agent's work: do not call the model again. */
  readonly stopped?: { readonly reason: string };
  /** Present if a hook asked for confirmation. */
  readonly asked?: Asked;
  /** Context for the model, markup escaped. `output` already contains it if its form allows. */
  readonly context?: string;
  /**
   * System messages for the model and notes about changed arguments. Those not in `output` go into the next model
   * request.
   */
  readonly messages: readonly string[];
  /** The output is for the model only and must not be shown to the user. */
  readonly suppressDisplay?: true;
  /** Another tool that a hook wants called, to replace this result. Absent if `runTool` ran it. */
  readonly tailToolCall?: { readonly name: string; readonly args: Args };
  /** Hooks that failed. A fault is never a verdict unless the hook's `onFault` says so. */
  readonly faults: readonly HookFault[];
  /** The arguments after the changes of hooks. */
  readonly input: Args;
}

/** The engine as `callTool` uses it. */
export interface ToolEngine {
  readonly host: Host;
  readonly expectOpen: () => void;
  /** Throws if the hooks were closed while they ran. */
  readonly expectStillOpen: () => void;
  /** Reports a tool that the host's `tools` do not name. */
  readonly checkTool: (name: string, mcpContext: unknown) => void;
  readonly comesToNothing: (event: ToolEventName, context: PlanContext) => boolean;
  readonly hear: <E extends ToolEventName>(
    event: E,
    payload: PayloadOf<E>,
    options: CallToolOptions,
  ) => Promise<EventAnswersWithFaults<E>>;
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

/** Refuses options that are in the token of the parked call. */
export const checkResume = (method: string, options: ResumeOptions): void =>
  checkOptions(
    method,
    options,
    optionNames.filter((name) => !partsOfCall.includes(name)),
  );

const checkOptions = (method: string, options: CallToolOptions, known: readonly string[]): void => {
  expectKnownOptions(method, options, known);
  if (options.confirm !== undefined)
    expectFunction(method, 'confirm', 'what answers a hook that asks', options.confirm);
  if (options.runTool !== undefined) expectFunction(method, 'runTool', 'what runs another tool', options.runTool);
  if (options.id !== undefined) expectName(method, 'id', 'a text by which the call is known', options.id);
};

/** Creates the signal on first use: few tools read it, and creating it takes longer than running no hooks. */
const withOwnSignal = (): ToolRunContext => {
  let own: AbortSignal | undefined;
  return {
    get signal() {
      own ??= new AbortController().signal;
      return own;
    },
  };
};

/** Rejects as soon as the caller cancels; a later result of the tool is ignored. */
const orAborted = async <T>(signal: AbortSignal | undefined, working: () => T | Promise<T>): Promise<T> => {
  if (signal === undefined) return working();
  const work = Promise.resolve(working());
  return new Promise<T>((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    void work.then(resolve, reject).then(stop);
  });
};

/** An unanswered `ask` is not an approval. */
const mayContinue = (decision: EventVerdict): boolean => proceedsFreely(decision.verdict);

/** A hook asks, and the host has no `confirm`. */
const isUnasked = ({ verdict, asked }: EventVerdict): boolean => verdict === 'ask' && asked?.parked === undefined;

/** Tells the model that it was not a person who refused. */
const reasonOf = (decision: EventVerdict): string => {
  const reason = decision.reason ?? decision.stopReason ?? '';
  return isUnasked(decision) ? `${reason}, and there is nobody to ask` : reason;
};

type Said = readonly (DecidedAnswers<'BeforeTool'> | DecidedAnswers<'AfterTool'>)[];

const contextIn = (said: Said): string | undefined => {
  const contexts = said.map(({ output }) => output?.getAdditionalContext()).filter(isNotBlank);
  return contexts.length === 0 ? undefined : contexts.join('\n\n');
};

const firstStop = (said: Said): string | undefined =>
  said.find(({ decision }) => decision.stopReason !== undefined)?.decision.stopReason;

/** The last question is the deciding one. */
const lastQuestion = (said: Said): Asked | undefined =>
  said.findLast(({ decision }) => decision.asked !== undefined)?.decision.asked;

/** Texts that no output can carry wait for the next model request. */
const keepAll = (host: Host, note: string | undefined, said: Said): void => {
  keepMessageForNextRequest(host, note);
  for (const { output } of said) {
    keepMessageForNextRequest(host, output?.getAdditionalContext());
    keepMessageForNextRequest(host, output?.systemMessage);
  }
};

/** A call and its follow-up calls. */
const progressOfAll = (progress: ToolCallProgress): readonly ToolCallProgress[] => {
  const next = progress.ran?.tail?.progress;
  return next === undefined ? [progress] : [progress, ...progressOfAll(next)];
};

const checkOf = (schema: ValueSchema | undefined): ExplainRejection | undefined => {
  if (schema === undefined || !isStandardSchema(schema)) return schema;
  return async (value) => {
    const issues = await checkByStandard(schema, value);
    return issues.length === 0 ? undefined : issues.join('; ');
  };
};

/** Runs one tool call with its hooks. Rejects for wrong arguments, if `run` rejects, and if `signal` aborts. */
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
  const heard = async <E extends ToolEventName>(
    event: E,
    payload: () => PayloadOf<E>,
  ): Promise<EventAnswersWithFaults<E>> => {
    const said = await engine.hear(event, payload(), options);
    faults.push(...said.faults);
    return said;
  };
  const { runTool, maxTailCalls = MAX_TAIL_CALLS } = options;
  const progress = await runToolWithHooks(
    {
      host,
      signal,
      hear: (event, toolName, payload) =>
        engine.comesToNothing(event, { toolName }) ? undefined : heard(event, payload),
      decide: async (output, question, toPark) => {
        const decision = await engine.decide(output, question, options, toPark);
        faults.push(...withConfirmFault([], decision));
        return decision;
      },
      mayRun: (decision) => {
        // Hooks that were closed while running have not allowed the tool.
        expectNotAborted(signal);
        engine.expectStillOpen();
        return mayContinue(decision);
      },
      form: hostOutputForm,
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
  const { input, original, before, permission, ran } = progress;

  // Without an answer skip the rest: it costs more than everything before it.
  const isSilent = before?.output === undefined && before?.decision.asked === undefined;
  if (ran !== undefined && input === original && isSilent && ran.after?.output === undefined) {
    return { output: ran.returned, messages: [], faults, input };
  }
  // The caller may have cancelled during a follow-up call.
  expectNotAborted(signal);
  const courses = progressOfAll(progress);
  const last = courses.findLast(hasToolRun);
  const said: Said = courses.flatMap((one) => [one.before, one.ran?.after]).filter((one) => one !== undefined);
  const note = ran === undefined ? undefined : rewrittenInputNote(original, input);
  const warn = (message: string): void => {
    faults.push({ code: 'internal_error', message });
    host.warn(message);
  };
  const decision = last === undefined ? (before?.decision ?? noVerdict) : (last.ran.after?.decision ?? noVerdict);
  const isHad = last !== undefined && mayContinue(decision);
  const made =
    isHad && hasToolRun(progress) ? outputOf({ ...hostOutputForm, host: { ...host, warn } }, progress) : undefined;
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

const madeOf = ({ output }: CallOutput, courses: readonly ToolCallProgress[]) => {
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
