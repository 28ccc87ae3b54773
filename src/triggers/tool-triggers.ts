/** Functions with which an agent fires events of tool calls, and runs tool calls with all their hooks. */
import type { TriggerConfig } from '../config.ts';
import { AfterToolHookOutput, BeforeToolHookOutput, type OutputOf } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import { describeThrown } from '../kit/index.ts';
import { type ConfirmQuestion, getHookKey, type HookConfig, type HookExecutionResult } from '../protocol/index.ts';
import { type JudgedCall, judgeCall, MAX_CHECK_ROUNDS } from './before-tool.ts';
import {
  createCallOutput,
  hasToolRun,
  type OutputConverter,
  readUpdatedOutput,
  type TailCall,
  type ToolCallProgress,
  toOutputForHooks,
} from './call-output.ts';
import { type AskOptions, confirmOrWarn, createHost, emptyAnswers, fireEvent, type Host } from './fire-event.ts';
import {
  type Args,
  createCallIdOnce,
  DEFAULT_MAX_TAIL_CALLS,
  type DecidedAnswers,
  describeRewrittenInput,
  isInputChangedByTool,
  type ToolCaller,
  type ToolCallOf,
  type ToolContext,
  toQuestionFields,
  toToolPayload,
  withDecision,
} from './tool-call.ts';
import {
  appendTextsToResult,
  createCancelledResult,
  createVerdictRefusal,
  type HookMarks,
  listModelTexts,
  readToolResult,
  type ToolResult,
  toToolResponse,
  withQuestion,
} from './tool-result.ts';
import { isBlockedOrParked, NO_VERDICT, toEventVerdict } from './verdict.ts';
import { addWaitingMessage } from './waiting-messages.ts';

export interface ToolHookOptions extends FireOptions, ToolContext {}

export const fireBeforeToolHook = async (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  options: ToolHookOptions = {},
): Promise<OutputOf<'BeforeTool'> | undefined> => {
  const payload = () => toToolPayload(toolName, toolInput, options);
  return (await fireEvent(createHost(config), 'BeforeTool', payload, options))?.output;
};

export const fireAfterToolHook = async (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  toolResult: ToolResult,
  options: ToolHookOptions = {},
): Promise<OutputOf<'AfterTool'> | undefined> => {
  const payload = () => ({
    ...toToolPayload(toolName, toolInput, options),
    tool_response: toToolResponse(readToolResult(toolResult)),
  });
  return (await fireEvent(createHost(config), 'AfterTool', payload, options))?.output;
};

export const firePermissionRequestHook = async (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  { reason, ...options }: ToolHookOptions & { readonly reason?: string | undefined } = {},
): Promise<OutputOf<'PermissionRequest'> | undefined> => {
  const payload = () => ({
    ...toToolPayload(toolName, toolInput, options),
    ...(reason === undefined ? {} : { reason }),
  });
  return (await fireEvent(createHost(config), 'PermissionRequest', payload, options))?.output;
};

export const fireAfterToolFailureHook = async (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  error: unknown,
  options: ToolHookOptions = {},
): Promise<OutputOf<'AfterToolFailure'> | undefined> => {
  const payload = () => ({ ...toToolPayload(toolName, toolInput, options), error: describeThrown(error) });
  return (await fireEvent(createHost(config), 'AfterToolFailure', payload, options))?.output;
};

export interface ExecuteToolOptions<Result extends ToolResult = ToolResult> extends ToolHookOptions, AskOptions {
  /** Runs another tool that an AfterTool hook requests; its result replaces the first one. */
  readonly runTool?: ((name: string, args: Args) => Result | Promise<Result>) | undefined;
  /** How many tools AfterTool hooks may request, one after another. Default: 3. */
  readonly maxTailCalls?: number | undefined;
}

/** The result of a tool call with its hooks. A result that a hook replaced has only the members of `ToolResult`. */
export type HookedToolResult<Result extends ToolResult> = ToolResult &
  HookMarks &
  Partial<Omit<Result, keyof ToolResult>> & { llmContent?: Result['llmContent'] | string };

export function executeToolWithHooks<Result extends ToolResult>(
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  executeFn: (effectiveInput: Args) => Result | Promise<Result>,
  options?: ExecuteToolOptions<Result>,
): Promise<HookedToolResult<Result>>;
export async function executeToolWithHooks(
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  executeFn: (effectiveInput: Args) => ToolResult | Promise<ToolResult>,
  options: ExecuteToolOptions = {},
): Promise<ToolResult> {
  const call = {
    name: toolName,
    input: toolInput,
    context: options,
    callId: createCallIdOnce(options.id),
    run: executeFn,
  };
  return executeToolCall(createHost(config), call, options);
}

export const executeToolCall = async (
  host: Host,
  call: ToolCallOf<ToolResult>,
  options: ExecuteToolOptions,
): Promise<ToolResult> => {
  const progress = await runToolWithHooks(createCaller(host, options), call);
  const { before } = progress;
  if (!hasToolRun(progress)) {
    const refusal = createVerdictRefusal(before?.decision ?? NO_VERDICT) ?? createCancelledResult();
    return withQuestion(appendTextsToResult(refusal, listModelTexts(before?.output)), before?.decision);
  }
  if (before === undefined) return progress.ran.returned;
  const { returned } = progress.ran;
  const { output } = createCallOutput({ host, ...resultConverter }, progress);
  return output === returned ? returned : readToolResult(output);
};

const resultConverter: Omit<OutputConverter, 'host'> = {
  asResult: readToolResult,
  inForm: (_returned, result) => result,
  withMarks: (result, { before, ran }) => withQuestion(result, before?.decision, ran?.after?.decision),
};

const createCaller = (host: Host, options: ExecuteToolOptions): ToolCaller => ({
  host,
  signal: options.signal,
  fire: (eventName, _toolName, payload) => fireEvent(host, eventName, payload, options),
  decide: (output, about, toPark) => confirmOrWarn(host, { output }, about, options, toPark),
  mayRun: (decision) => !isBlockedOrParked(decision),
  form: resultConverter,
  fault: (_hook, message) => host.warn(message),
  tail: { run: options.runTool, maxCalls: options.maxTailCalls ?? DEFAULT_MAX_TAIL_CALLS },
});

/** Thrown by a host's tool runner if a tool was interrupted, for example by a graph: not a failure of the tool. */
export class ToolInterrupted extends Error {
  constructor(cause: unknown) {
    super('the tool call was interrupted', { cause });
  }
}

const denyChangingInput = (asked: JudgedCall): JudgedCall => ({
  ...asked,
  before: {
    ...(asked.before ?? emptyAnswers),
    decision: { verdict: 'deny', reason: 'The arguments of this tool call change while its hooks judge them.' },
  },
});

const fireAfterToolFailure = async (
  { host, signal, fire }: ToolCaller,
  { name, context, callId }: ToolCallOf<unknown>,
  input: Args,
  error: unknown,
): Promise<void> => {
  if (signal?.aborted === true) return;
  const payload = () => ({ ...toToolPayload(name, input, context, callId()), error: describeThrown(error) });
  const answers = await fire('AfterToolFailure', name, payload)?.catch(() => undefined);
  addWaitingMessage(host, answers?.output?.getAdditionalContext());
  addWaitingMessage(host, answers?.output?.systemMessage);
  const { stopReason } = toEventVerdict(answers?.output);
  if (stopReason === undefined) return;
  host.warn(`A hook wants the agent to stop after ${name} failed (${stopReason}); the error of the tool is thrown`);
};

const runTailCall = async (
  caller: ToolCaller,
  { name: first, context: { originalName = first, id } }: ToolCallOf<unknown>,
  after: DecidedAnswers<'AfterTool'>,
): Promise<TailCall | undefined> => {
  const wanted = after.output?.getTailToolCallRequest();
  if (wanted === undefined || caller.tail === undefined) return undefined;
  if (!caller.mayRun(after.decision)) return undefined;
  const { run, maxCalls } = caller.tail;
  const { name, args } = wanted;
  if (run === undefined) {
    return { name, whyNot: 'was not run: this agent does not run tools on behalf of hooks' };
  }
  if (!(maxCalls > 0)) return { name, whyNot: 'was not run: too many tools have followed one another' };
  const further = { ...caller, tail: { run, maxCalls: maxCalls - 1 } };
  const context = { originalName, id };
  const call = {
    name,
    input: args,
    context,
    callId: createCallIdOnce(undefined),
    run: (input: Args) => run(name, input),
  };
  try {
    const progress = await runToolWithHooks(further, call);
    if (progress.ran !== undefined) return { name, progress };
    const { error } = createVerdictRefusal(progress.before?.decision ?? NO_VERDICT) ?? createCancelledResult();
    return { name, progress, whyNot: `was not run: ${error?.message}` };
  } catch (error) {
    if (error instanceof ToolInterrupted) throw error;
    return { name, whyNot: `failed: ${describeThrown(error)}` };
  }
};

/**
 * If `run` throws, AfterToolFailure fires instead of AfterTool. A call that is cancelled while its hooks run does not
 * start.
 */
export const runToolWithHooks = async <Output>(
  caller: ToolCaller,
  call: ToolCallOf<Output>,
): Promise<ToolCallProgress<Output>> => {
  const { name, context, callId, run } = call;
  // `await` even without hooks, so that a caller can cancel in the same event loop turn.
  let asked = await judgeCall(caller, call);
  if (call.whyNotInput !== undefined && asked.before !== undefined) asked = await withFittingInput(caller, call, asked);
  const { original } = asked;
  const mayRun = () => caller.mayRun(asked.before?.decision ?? NO_VERDICT);
  for (let round = 1; mayRun() && isInputChangedByTool(asked); round += 1) {
    asked =
      round < MAX_CHECK_ROUNDS ? await judgeCall(caller, { ...call, input: asked.input }) : denyChangingInput(asked);
  }
  const { input, before, permission } = asked;
  if (!mayRun()) return { ...asked, original };
  if (before !== undefined && caller.signal?.aborted === true) return { ...asked, original };
  let returned: Output;
  try {
    returned = await run(input);
  } catch (error) {
    if (error instanceof ToolInterrupted) throw error;
    await fireAfterToolFailure(caller, call, input, error);
    throw error;
  }
  const firing = caller.fire('AfterTool', name, () => ({
    ...toToolPayload(name, input, context, callId()),
    tool_response: toOutputForHooks(caller.form, returned),
  }));
  const answers = firing === undefined ? undefined : await firing;
  const about = () => ({ eventName: 'AfterTool', ...toQuestionFields(name, input) });
  const decided = answers === undefined ? undefined : withDecision(answers, await caller.decide(answers.output, about));
  const after = decided === undefined ? undefined : await withFittingOutput(caller, call, { returned, decided, about });
  const tail = after === undefined ? undefined : await runTailCall(caller, call, after);
  const ran = tail === undefined ? { returned, after } : { returned, after, tail };
  // Listing the members is a hundred times faster than adding one to a spread object.
  return permission === undefined ? { input, original, before, ran } : { input, original, before, permission, ran };
};

const formatHookName = (hook: HookConfig | undefined): string =>
  hook === undefined ? 'A hook' : `Hook ${getHookKey(hook)}`;

const changesInput = ({ output }: HookExecutionResult): boolean => output?.hookSpecificOutput?.tool_input !== undefined;

/**
 * Invalid arguments are a fault of the hook that wrote them last: its `onFault` decides, and the tool gets the original
 * arguments.
 */
const withFittingInput = async (
  caller: ToolCaller,
  { name, whyNotInput }: Omit<ToolCallOf<unknown>, 'run'>,
  asked: JudgedCall,
): Promise<JudgedCall> => {
  const { input, original, before, permission } = asked;
  if (whyNotInput === undefined || before === undefined || isBlockedOrParked(before.decision)) return asked;
  if (describeRewrittenInput(original, input) === undefined) return asked;
  const why = await whyNotInput(input);
  // A transforming schema may refuse its own output, so only a schema that accepts the original arguments counts.
  if (why === undefined || (await whyNotInput(original)) !== undefined) return asked;
  const hook = [...before.results, ...(permission?.results ?? [])].findLast(changesInput)?.hookConfig;
  const reason = `${formatHookName(hook)} changed the arguments of ${name} to what the tool does not take: ${why}`;
  caller.fault(hook, reason);
  const kept = { ...asked, input: original, shown: original };
  if (hook?.onFault === undefined || hook.onFault === 'allow') return kept;
  const output = new BeforeToolHookOutput({ decision: hook.onFault, reason, hookSpecificOutput: { onFault: true } });
  const decision = await caller.decide(output, () => ({
    eventName: 'BeforeTool',
    ...toQuestionFields(name, original),
  }));
  return { ...kept, before: { ...before, decision } };
};

const changesOutput = ({ output }: HookExecutionResult): boolean =>
  output?.hookSpecificOutput?.updatedOutput !== undefined;

interface DecidedToolRun {
  readonly returned: unknown;
  readonly decided: DecidedAnswers<'AfterTool'>;
  readonly about: () => Omit<ConfirmQuestion, 'reason'>;
}

const withFittingOutput = async (
  caller: ToolCaller,
  { name, whyNotOutput }: Omit<ToolCallOf<unknown>, 'run'>,
  { returned, decided, about }: DecidedToolRun,
): Promise<DecidedAnswers<'AfterTool'>> => {
  const { output, results, decision } = decided;
  if (whyNotOutput === undefined || output?.getUpdatedOutput() === undefined || isBlockedOrParked(decision))
    return decided;
  const why = await whyNotOutput(readUpdatedOutput(caller.form, returned, output));
  if (why === undefined || (await whyNotOutput(returned)) !== undefined) return decided;
  const hook = results.findLast(changesOutput)?.hookConfig;
  const reason = `${formatHookName(hook)} changed the result of ${name} to what the tool does not give: ${why}`;
  caller.fault(hook, reason);
  const { updatedOutput: _updated, ...hookSpecificOutput } = output.hookSpecificOutput ?? {};
  const kept = { ...decided, output: new AfterToolHookOutput({ ...output, hookSpecificOutput }) };
  if (hook?.onFault === undefined || hook.onFault === 'allow') return kept;
  const fault = new AfterToolHookOutput({ decision: hook.onFault, reason, hookSpecificOutput: { onFault: true } });
  return { ...kept, decision: await caller.decide(fault, about) };
};
