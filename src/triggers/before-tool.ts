/** Decides whether a tool call may run: BeforeTool hooks, and PermissionRequest hooks in place of a person. */
import { HookwrightError } from '../errors.ts';
import { type PayloadOf, PermissionRequestHookOutput } from '../events/index.ts';
import {
  type CallToPark,
  type HookExecutionResult,
  type HookOutput,
  hasOpinion,
  hookKey,
  projectDirOf,
  trustRank,
  type Verdict,
  verdictOf,
} from '../protocol/index.ts';
import {
  type Args,
  copyToolInput,
  type DecidedAnswers,
  type EventAnswers,
  effectiveInputOf,
  type KeptInput,
  type ResumedCall,
  rewrittenInputNote,
  type ToolCaller,
  type ToolCallOf,
  toolPayload,
  toolQuestionFields,
  withDecision,
} from './tool-call.ts';
import { type Asked, blocksOrParks, decisionOf, type EventVerdict, noVerdict } from './verdict.ts';
import { keepMessageForNextRequest } from './waiting-messages.ts';

export interface BeforeCall extends KeptInput {
  readonly original: Args;
  readonly before: DecidedAnswers<'BeforeTool'> | undefined;
  readonly permission?: EventAnswers<'PermissionRequest'>;
}

/**
 * The trust ranks of the hooks that gave this verdict themselves. A verdict by `onFault` counts only with `heedFaults`.
 */
const saying = (results: readonly HookExecutionResult[], verdict: Verdict, heedFaults: boolean) =>
  results.flatMap((result) => {
    const { hookConfig, code, output = {} } = result;
    const isHeard = hookConfig.advisory !== true && hasOpinion(result) && (heedFaults || code === undefined);
    return isHeard && verdictOf(output.decision) === verdict ? [{ result, rank: trustRank(hookConfig), output }] : [];
  });

/**
 * A hook may approve in place of a person only if it is trusted at least as much as the hook that asked. An `ask` of an
 * unknown hook ranks highest.
 */
const approvalsIn = (asked: EventAnswers<'BeforeTool'>, answered: EventAnswers<'PermissionRequest'>): HookOutput[] => {
  const askers = saying(asked.results, 'ask', true).map(({ rank }) => rank);
  const asker = askers.length === 0 ? 0 : Math.min(...askers);
  return saying(answered.results, 'allow', false).flatMap(({ rank, output }) => (rank <= asker ? [output] : []));
};

/** Only hooks that approve the call may change permissions for later calls. */
const permissionsIn = (approvals: readonly HookOutput[]): Pick<Asked, 'updatedPermissions'> => {
  const updatedPermissions = approvals.flatMap((output) => [
    ...new PermissionRequestHookOutput(output).getUpdatedPermissions(),
  ]);
  return updatedPermissions.length === 0 ? {} : { updatedPermissions };
};

const answerOfHooks = (
  { host }: ToolCaller,
  reason: string,
  asked: EventAnswers<'BeforeTool'>,
  answered: EventAnswers<'PermissionRequest'>,
): EventVerdict | undefined => {
  const decision = decisionOf(answered.output);
  const by = (approved: boolean): Asked => ({ reason, answered: true, approved, by: 'hook' });
  if (blocksOrParks(decision)) return { ...decision, refused: true, asked: by(false) };
  if (decision.verdict !== 'allow') return undefined;
  const approvals = approvalsIn(asked, answered);
  if (approvals.length > 0) {
    const approved = { ...by(true), ...permissionsIn(approvals) };
    return { verdict: 'allow', reason: decision.reason ?? reason, asked: approved };
  }
  host.warn(`A PermissionRequest hook approves, but one that is trusted more asks (${reason}); it stays a question`);
  return undefined;
};

export const MAX_ROUNDS = 2;

/**
 * Runs the hooks of a call. If one asks for confirmation, PermissionRequest hooks may answer. If these change the call,
 * all hooks judge it again.
 */
export const judgeCall = (
  caller: ToolCaller,
  call: Omit<ToolCallOf<unknown>, 'run'>,
  round = 1,
): BeforeCall | Promise<BeforeCall> => {
  const { name, input, context, callId, resumed } = call;
  const refusal = resumed === undefined ? undefined : refusalBy(resumed);
  if (refusal !== undefined)
    return { input, shown: input, original: input, before: { ...notAsked, decision: refusal } };
  let kept: KeptInput = { input, shown: input };
  const hearing = caller.hear('BeforeTool', name, () => {
    kept = copyToolInput(input);
    return { ...toolPayload(name, kept.shown, context, callId()), ...approvalFor(resumed) };
  });
  // Spreading an object here would take a tenth of the time of a call without hooks.
  return hearing === undefined
    ? { input, shown: input, original: input, before: withoutHooks(resumed) }
    : heardBefore(caller, call, round, hearing, () => kept);
};

const notAsked = { output: undefined, messages: [], results: [] } as const;

const withoutHooks = (resumed: ResumedCall | undefined): BeforeCall['before'] => {
  const decision = resumed === undefined ? undefined : approvedBy(resumed, noVerdict, []);
  return decision === undefined ? undefined : { ...notAsked, decision };
};

/** Tells the hooks of a resumed call who approved it. */
const approvalFor = (resumed: ResumedCall | undefined) =>
  resumed === undefined ? {} : { recheck: true, approval: { id: resumed.call.id, by: resumed.by } };

const askersOf = ({ results }: EventAnswers<'BeforeTool'>): string[] =>
  askersIn(saying(results, 'ask', true).map(({ result }) => result));

/**
 * The call as it will stand in the token. Arguments that are not plain JSON would change in a token, so they are
 * refused.
 */
const toParkOf =
  (
    { host }: ToolCaller,
    { name, context, callId }: Omit<ToolCallOf<unknown>, 'run'>,
    said: EventAnswers<'BeforeTool'>,
    input: Args,
  ) =>
  (reason: string): CallToPark => {
    const { input: own, shown } = copyToolInput(input);
    if (own !== shown) {
      throw new HookwrightError('not_supported', `the arguments of ${name} are no plain JSON, so it cannot be parked`);
    }
    const { mcpContext, originalName, id, more } = context;
    const project = projectDirOf(host.config);
    const askedBy = askersOf(said);
    const { correlationId } = said;
    return {
      ...{ project, tool: name, input: own, reason, askedBy, callId: callId(), correlationId },
      context: { mcpContext, originalName, id, more },
    };
  };

const heardBefore = async (
  caller: ToolCaller,
  call: Omit<ToolCallOf<unknown>, 'run'>,
  round: number,
  hearing: Promise<EventAnswers<'BeforeTool'> | undefined>,
  keptInput: () => KeptInput,
): Promise<BeforeCall> => {
  const { name, context, callId, resumed } = call;
  const said = await hearing;
  const kept = keptInput();
  const original = kept.shown;
  const input = effectiveInputOf(kept.input, said?.output);
  const shown = kept.input === kept.shown ? input : effectiveInputOf(kept.shown, said?.output);
  if (said === undefined) return { input, shown, original, before: withoutHooks(resumed) };
  const approved = resumed === undefined ? undefined : approvedBy(resumed, decisionOf(said.output), askersOf(said));
  if (approved !== undefined) return { input, shown, original, before: withDecision(said, approved) };
  const { correlationId } = said;
  const about = () => ({ eventName: 'BeforeTool', ...toolQuestionFields(name, input), correlationId });
  const { verdict, reason = '' } = decisionOf(said.output);
  const request = (): PayloadOf<'PermissionRequest'> => ({ ...toolPayload(name, input, context, callId()), reason });
  const permission = verdict === 'ask' ? await caller.hear('PermissionRequest', name, request) : undefined;
  if (permission === undefined) {
    const before = withDecision(said, await caller.decide(said.output, about, toParkOf(caller, call, said, input)));
    return { input, shown, original, before };
  }

  keepMessageForNextRequest(caller.host, permission.output?.systemMessage);
  const answer = answerOfHooks(caller, reason, said, permission);
  const wanted = answer?.verdict === 'allow' ? effectiveInputOf(input, permission.output) : input;
  const isChanged = rewrittenInputNote(input, wanted) !== undefined;
  if (isChanged && round < MAX_ROUNDS) {
    // A person approved the call as it was before the change.
    const changed = { ...call, input: wanted, resumed: undefined };
    return { ...(await judgeCall(caller, changed, round + 1)), original };
  }
  if (answer !== undefined && !isChanged) {
    return { input, shown, original, before: { ...said, decision: answer }, permission };
  }
  // If a guard failed and its `onFault` asks for a person, the call must not pass without one.
  const standsForFault = permission.output?.isAskDecision() === true && permission.output.hookSpecificOutput?.onFault;
  const question = standsForFault === true ? permission.output : said.output;
  const decision = await caller.decide(question, about, toParkOf(caller, call, said, input));
  return { input, shown, original, before: { ...said, decision }, permission };
};

const askerOf = ({ hookConfig }: HookExecutionResult): string => `${trustRank(hookConfig)} ${hookKey(hookConfig)}`;

/** Names the hooks that ask, by rank and name. Ids of hooks differ in the process that resumes the call. */
const askersIn = (asking: readonly HookExecutionResult[]): string[] => [...new Set(asking.map(askerOf))];

/** `undefined` if the person approved the call, so that its hooks must run. */
const refusalBy = ({ approved, by, reason, call }: ResumedCall): EventVerdict | undefined => {
  if (approved) return undefined;
  const why = reason === undefined ? call.reason : `${reason}; asked because: ${call.reason}`;
  const asked: Asked = { reason: call.reason, answered: true, approved, by };
  return { verdict: 'deny', reason: `refused by ${by} (${why})`, refused: true, asked };
};

/** The approval answers the hooks that asked before. It overrides no denial and no other hook that asks. */
const approvedBy = (
  { call, by }: ResumedCall,
  decision: EventVerdict,
  askers: readonly string[],
): EventVerdict | undefined => {
  const asked: Asked = { reason: call.reason, answered: true, approved: true, by };
  if (decision.verdict === 'deny' || decision.verdict === 'stop') return { ...decision, asked };
  const isAnswered = askers.length > 0 && askers.every((asker) => call.askedBy.includes(asker));
  if (decision.verdict === 'ask' && !isAnswered) return undefined;
  return { verdict: 'allow', reason: call.reason, asked };
};
