/** `callTool`: runs one tool call with its hooks. */
import type { DefaultHookOutput, PayloadOf } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import { checkByStandard, isStandardSchema, omitUndefined, onAbort, type StandardSchema } from '../kit/index.ts';
import type { PlanContext } from '../planner/index.ts';
import {
  type CallToPark,
  type Confirm,
  type ConfirmQuestion,
  getHookKey,
  mayProceedFreely,
} from '../protocol/index.ts';
import {
  type Args,
  type Asked,
  addWaitingMessage,
  type CallOutput,
  createCallIdOnce,
  createCallOutput,
  DEFAULT_MAX_TAIL_CALLS,
  type DecidedAnswers,
  describeRewrittenInput,
  type EventVerdict,
  type ExplainRejection,
  type HookedToolResult,
  type Host,
  hasToolRun,
  isNotBlank,
  NO_VERDICT,
  type ResumedCall,
  runToolWithHooks,
  type ToolCallProgress,
  type ToolContext,
  type ToolEventName,
  type ToolResult,
  warnOfMissingConfirm,
} from '../triggers/index.ts';
import { expectFunction, expectKnownOptions, expectName, expectNotAborted } from './arguments.ts';
import { type EventAnswersWithFaults, type HookFault, withConfirmFault } from './event-answers.ts';
import { checkToolCall, hostOutputConverter } from './tool-output.ts';

/** A tool's output after its hooks: in its original form, or a tool result with the reason for withholding it. */
export type HookedOutput<Output> = Output extends string
  ? string
  : Output extends { readonly llmContent: unknown }
    ? HookedToolResult<Output & ToolResult>
    : Output | ToolResult;

export interface CallToolOptions extends FireOptions, ToolContext {
  /** Answers hooks that ask for confirmation, in place of `deps.confirm`. */
  readonly confirm?: Confirm | undefined;
  /** Checks arguments that hooks changed: a Standard Schema, or a function that returns why they are invalid. */
  readonly inputSchema?: ValueCheck | undefined;
  /** Checks a result that hooks replaced: a Standard Schema, or a function that returns why the result is invalid. */
  readonly outputSchema?: ValueCheck | undefined;
  /** Runs another tool that an AfterTool hook requests; its result replaces the first one. */
  readonly runTool?: ((name: string, args: Args, context: ToolRunContext) => unknown) | undefined;
  /** How many tools AfterTool hooks may request, one after another. Default: 3. */
  readonly maxTailCalls?: number | undefined;
}

export interface ResumeOptions extends Omit<CallToolOptions, keyof ToolContext> {}

export type ValueCheck = StandardSchema | ExplainRejection;

export interface ToolRunContext {
  readonly signal: AbortSignal;
}

export interface CalledTool<Output = unknown> {
  /** The tool's output for the model. A text, or an output with `llmContent`, includes texts of hooks. */
  readonly output?: HookedOutput<Output>;
  /** A hook withheld the result: give the model this reason instead. */
  readonly withheld?: { readonly reason: string };
  /** The tool did not run: give the model this reason instead. */
  readonly blocked?: { readonly verdict: 'ask' | 'deny' | 'stop'; readonly reason: string };
  /** A hook ended the agent's work: do not call the model again. */
  readonly stopped?: { readonly reason: string };
  readonly asked?: Asked;
  /** Context for the model, with escaped markup. If hooks added texts to `output`, it contains the context already. */
  readonly context?: string;
  /** System messages for the model. Those missing in `output` go into the next model request. */
  readonly messages: readonly string[];
  /** Show the output to the model, not to the user. */
  readonly suppressDisplay?: true;
  /** Another tool that a hook requests, unless `runTool` ran it. */
  readonly tailToolCall?: { readonly name: string; readonly args: Args };
  /** Hooks that failed; the `onFault` of each decided about the call. */
  readonly faults: readonly HookFault[];
  readonly input: Args;
}

export interface ToolEngine {
  readonly host: Host;
  readonly expectOpen: () => void;
  readonly expectStillOpen: () => void;
  readonly checkTool: (name: string, mcpContext: unknown) => void;
  readonly isNoop: (event: ToolEventName, context: PlanContext) => boolean;
  readonly fire: <E extends ToolEventName>(
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

const callToolOptionNames = [
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

const optionsOfParkedCall: readonly (keyof CallToolOptions)[] = ['id', 'mcpContext', 'originalName', 'more'];

const CALL_TOOL_METHOD = 'callTool';

const checkCall = ({ name, input, run, options }: ToolCallArguments<unknown>): void => {
  checkToolCall(CALL_TOOL_METHOD, { tool: name, input });
  expectFunction(CALL_TOOL_METHOD, 'run', 'what runs the tool', run);
  checkOptions(CALL_TOOL_METHOD, options, callToolOptionNames);
};

export const checkResume = (method: string, options: ResumeOptions): void =>
  checkOptions(
    method,
    options,
    callToolOptionNames.filter((name) => !optionsOfParkedCall.includes(name)),
  );

const checkOptions = (method: string, options: CallToolOptions, known: readonly string[]): void => {
  expectKnownOptions(method, options, known);
  if (options.confirm !== undefined)
    expectFunction(method, 'confirm', 'what answers a hook that asks', options.confirm);
  if (options.runTool !== undefined) expectFunction(method, 'runTool', 'what runs another tool', options.runTool);
  if (options.id !== undefined) expectName(method, 'id', 'a text by which the call is known', options.id);
};

/** Creates the signal when it is read: creation takes longer than a call without hooks, and few tools read it. */
const createRunContext = (): ToolRunContext => {
  let own: AbortSignal | undefined;
  return {
    get signal() {
      own ??= new AbortController().signal;
      return own;
    },
  };
};

export const runUntilAborted = async <T>(
  signal: AbortSignal | undefined,
  working: () => T | Promise<T>,
): Promise<T> => {
  if (signal === undefined) return working();
  const work = Promise.resolve(working());
  return new Promise<T>((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    void work.then(resolve, reject).then(stop);
  });
};

const mayContinue = (decision: EventVerdict): boolean => mayProceedFreely(decision.verdict);

const isAskWithoutAnswer = ({ verdict, asked }: EventVerdict): boolean =>
  verdict === 'ask' && asked?.parked === undefined;

/** Without `deps.confirm` the model must not think that a person refused. */
const formatReasonForModel = (decision: EventVerdict): string => {
  const reason = decision.reason ?? decision.stopReason ?? '';
  return isAskWithoutAnswer(decision) ? `${reason}, and no person can be asked` : reason;
};

type AnswersOfCall = readonly (DecidedAnswers<'BeforeTool'> | DecidedAnswers<'AfterTool'>)[];

/** Texts of hooks that the output cannot contain go into the next model request. */
const keepTextsForNextRequest = (host: Host, note: string | undefined, answers: AnswersOfCall): void => {
  addWaitingMessage(host, note);
  for (const { output } of answers) {
    addWaitingMessage(host, output?.getAdditionalContext());
    addWaitingMessage(host, output?.systemMessage);
  }
};

const listProgress = (progress: ToolCallProgress): readonly ToolCallProgress[] => {
  const next = progress.ran?.tail?.progress;
  return next === undefined ? [progress] : [progress, ...listProgress(next)];
};

const createValueCheck = (schema: ValueCheck | undefined): ExplainRejection | undefined => {
  if (schema === undefined || !isStandardSchema(schema)) return schema;
  return async (value) => {
    const issues = await checkByStandard(schema, value);
    return issues.length === 0 ? undefined : issues.join('; ');
  };
};

export function callTool<Output>(engine: ToolEngine, call: ToolCallArguments<Output>): Promise<CalledTool<Output>>;
export async function callTool(engine: ToolEngine, call: ToolCallArguments<unknown>): Promise<CalledTool> {
  engine.expectOpen();
  checkCall(call);
  const { host } = engine;
  const { name, run, options } = call;
  const { signal } = options;
  engine.checkTool(name, options.mcpContext);
  const runContext: ToolRunContext = signal === undefined ? createRunContext() : { signal };
  const faults: HookFault[] = [];
  const fireEvent = async <E extends ToolEventName>(
    event: E,
    payload: () => PayloadOf<E>,
  ): Promise<EventAnswersWithFaults<E>> => {
    const answers = await engine.fire(event, payload(), options);
    faults.push(...answers.faults);
    return answers;
  };
  const { runTool, maxTailCalls = DEFAULT_MAX_TAIL_CALLS } = options;
  const progress = await runToolWithHooks(
    {
      host,
      signal,
      fire: (event, toolName, payload) => (engine.isNoop(event, { toolName }) ? undefined : fireEvent(event, payload)),
      decide: async (output, question, toPark) => {
        const decision = await engine.decide(output, question, options, toPark);
        faults.push(...withConfirmFault([], decision));
        return decision;
      },
      mayRun: (decision) => {
        // Hooks that were closed while they ran did not allow the tool.
        expectNotAborted(signal);
        engine.expectStillOpen();
        return mayContinue(decision);
      },
      form: hostOutputConverter,
      fault: (hook, message) => {
        faults.push({ ...(hook === undefined ? {} : { hook: getHookKey(hook) }), code: 'malformed-output', message });
        host.warn(message);
      },
      tail:
        runTool === undefined
          ? undefined
          : {
              run: (tool, args) => runUntilAborted(signal, () => runTool(tool, args, runContext)),
              maxCalls: maxTailCalls,
            },
    },
    {
      name,
      input: call.input,
      context: options,
      callId: createCallIdOnce(call.resumed?.call.callId ?? options.id),
      run: (args) => runUntilAborted(signal, () => run(args, runContext)),
      whyNotInput: createValueCheck(options.inputSchema),
      whyNotOutput: createValueCheck(options.outputSchema),
      resumed: call.resumed,
    },
  );
  const { input, original, before, permission, ran } = progress;

  // Skipped without answers of hooks, because the rest takes longer than everything before.
  const isSilent = before?.output === undefined && before?.decision.asked === undefined;
  if (ran !== undefined && input === original && isSilent && ran.after?.output === undefined) {
    return { output: ran.returned, messages: [], faults, input };
  }
  // The caller may have cancelled while a requested tool ran.
  expectNotAborted(signal);
  const calls = listProgress(progress);
  const last = calls.findLast(hasToolRun);
  const answers: AnswersOfCall = calls
    .flatMap((one) => [one.before, one.ran?.after])
    .filter((one) => one !== undefined);
  const note = ran === undefined ? undefined : describeRewrittenInput(original, input);
  const warn = (message: string): void => {
    faults.push({ code: 'internal_error', message });
    host.warn(message);
  };
  const decision = last === undefined ? (before?.decision ?? NO_VERDICT) : (last.ran.after?.decision ?? NO_VERDICT);
  const isResultUsable = last !== undefined && mayContinue(decision);
  const built =
    isResultUsable && hasToolRun(progress)
      ? createCallOutput({ ...hostOutputConverter, host: { ...host, warn } }, progress)
      : undefined;
  if (built?.hasTexts !== true) keepTextsForNextRequest(host, note, answers);
  if (isAskWithoutAnswer(decision)) {
    warnOfMissingConfirm(host, decision, ran === undefined ? 'the tool does not run' : 'its result is withheld');
  }
  return {
    ...(built === undefined ? {} : createOutputFields(built, calls)),
    ...(ran === undefined
      ? { blocked: { verdict: toBlockingVerdict(decision), reason: formatReasonForModel(decision) } }
      : {}),
    ...(ran === undefined || isResultUsable ? {} : { withheld: { reason: formatReasonForModel(decision) } }),
    ...createDecisionFields(answers),
    messages: [
      ...(note === undefined ? [] : [note]),
      ...[before, permission, ...answers.slice(before === undefined ? 0 : 1)].flatMap((one) => one?.messages ?? []),
    ],
    faults,
    input,
  };
}

const toBlockingVerdict = ({ verdict }: EventVerdict): 'ask' | 'deny' | 'stop' =>
  verdict === 'none' || verdict === 'allow' ? 'deny' : verdict;

const createOutputFields = ({ output }: CallOutput, calls: readonly ToolCallProgress[]) => {
  const tailToolCall = calls.at(-1)?.ran?.after?.output?.getTailToolCallRequest();
  const isFollowed = calls.some(({ ran }) => ran?.tail !== undefined);
  const isSuppressed = calls.some(({ ran }) => ran?.after?.output?.suppressOutput === true);
  return {
    output,
    ...(isSuppressed ? { suppressDisplay: true as const } : {}),
    ...(tailToolCall === undefined || isFollowed ? {} : { tailToolCall }),
  };
};

const createDecisionFields = (answers: AnswersOfCall) => {
  const decisions = answers.map(({ decision }) => decision);
  const reason = decisions.find(({ stopReason }) => stopReason !== undefined)?.stopReason;
  const contexts = answers.map(({ output }) => output?.getAdditionalContext()).filter(isNotBlank);
  return omitUndefined({
    stopped: reason === undefined ? undefined : { reason },
    asked: decisions.findLast(({ asked }) => asked !== undefined)?.asked,
    context: contexts.length === 0 ? undefined : contexts.join('\n\n'),
  });
};
