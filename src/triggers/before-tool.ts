/** Decides whether a tool call may run: BeforeTool hooks, and PermissionRequest hooks if one asks. */
import { HookwrightError } from '../errors.ts';
import { type PayloadOf, PermissionRequestHookOutput } from '../events/index.ts';
import {
  type CallToPark,
  getDistrustRank,
  getHookKey,
  getProjectDir,
  type HookExecutionResult,
  type HookOutput,
  hasOpinion,
  type Verdict,
  verdictOf,
} from '../protocol/index.ts';
import { type EventAnswers, emptyAnswers } from './fire-event.ts';
import {
  type Args,
  applyInputChanges,
  type CopiedToolInput,
  copyToolInput,
  type DecidedAnswers,
  describeRewrittenInput,
  type ResumedCall,
  type ToolCaller,
  type ToolCallOf,
  toQuestionFields,
  toToolPayload,
  withDecision,
} from './tool-call.ts';
import { type Asked, type EventVerdict, isBlockedOrParked, NO_VERDICT, toEventVerdict } from './verdict.ts';
import { addWaitingMessage } from './waiting-messages.ts';

export interface JudgedCall extends CopiedToolInput {
  readonly original: Args;
  readonly before: DecidedAnswers<'BeforeTool'> | undefined;
  readonly permission?: EventAnswers<'PermissionRequest'>;
}

/** Leaves out verdicts of failed hooks unless `heedFaults` is set. */
const selectByVerdict = (results: readonly HookExecutionResult[], verdict: Verdict, heedFaults: boolean) =>
  results.flatMap((result) => {
    const { hookConfig, code, output = {} } = result;
    const isHeard = hookConfig.advisory !== true && hasOpinion(result) && (heedFaults || code === undefined);
    return isHeard && verdictOf(output.decision) === verdict
      ? [{ hookConfig, rank: getDistrustRank(hookConfig), output }]
      : [];
  });

/**
 * In place of a person, a hook may approve only if it is trusted as much as the hook that asked. A lower rank means more
 * trust; a hook of unknown origin has the highest rank.
 */
const selectApprovals = (
  asked: EventAnswers<'BeforeTool'>,
  answered: EventAnswers<'PermissionRequest'>,
): HookOutput[] => {
  const askers = selectByVerdict(asked.results, 'ask', true).map(({ rank }) => rank);
  const asker = askers.length === 0 ? 0 : Math.min(...askers);
  return selectByVerdict(answered.results, 'allow', false).flatMap(({ rank, output }) =>
    rank <= asker ? [output] : [],
  );
};

const collectPermissions = (approvals: readonly HookOutput[]): Pick<Asked, 'updatedPermissions'> => {
  const updatedPermissions = approvals.flatMap((output) => [
    ...new PermissionRequestHookOutput(output).getUpdatedPermissions(),
  ]);
  return updatedPermissions.length === 0 ? {} : { updatedPermissions };
};

const createAnswerOfHooks = (
  { host }: ToolCaller,
  reason: string,
  asked: EventAnswers<'BeforeTool'>,
  answered: EventAnswers<'PermissionRequest'>,
): EventVerdict | undefined => {
  const decision = toEventVerdict(answered.output);
  const by = (approved: boolean): Asked => ({ reason, answered: true, approved, by: 'hook' });
  if (isBlockedOrParked(decision)) return { ...decision, refused: true, asked: by(false) };
  if (decision.verdict !== 'allow') return undefined;
  const approvals = selectApprovals(asked, answered);
  if (approvals.length > 0) {
    const approved = { ...by(true), ...collectPermissions(approvals) };
    return { verdict: 'allow', reason: decision.reason ?? reason, asked: approved };
  }
  host.warn(`A PermissionRequest hook approves, but one that is trusted more asks (${reason}); it stays a question`);
  return undefined;
};

export const MAX_CHECK_ROUNDS = 2;

/** PermissionRequest hooks may answer for the user. If they change the call, all hooks judge it again. */
export const judgeCall = (
  caller: ToolCaller,
  call: Omit<ToolCallOf<unknown>, 'run'>,
  round = 1,
): JudgedCall | Promise<JudgedCall> => {
  const { name, input, context, callId, resumed } = call;
  const refusal = resumed === undefined ? undefined : findRefusalByPerson(resumed);
  if (refusal !== undefined)
    return { input, shown: input, original: input, before: { ...emptyAnswers, decision: refusal } };
  let kept: CopiedToolInput = { input, shown: input };
  const firing = caller.fire('BeforeTool', name, () => {
    kept = copyToolInput(input);
    return { ...toToolPayload(name, kept.shown, context, callId()), ...createApprovalOptions(resumed) };
  });
  // Members are written out, because a spread would take a tenth of the time of a call without hooks.
  return firing === undefined
    ? { input, shown: input, original: input, before: decideWithoutHooks(resumed) }
    : decideBeforeTool(caller, call, round, firing, () => kept);
};

const decideWithoutHooks = (resumed: ResumedCall | undefined): JudgedCall['before'] => {
  const decision = resumed === undefined ? undefined : createApprovedVerdict(resumed, NO_VERDICT, []);
  return decision === undefined ? undefined : { ...emptyAnswers, decision };
};

const createApprovalOptions = (resumed: ResumedCall | undefined) =>
  resumed === undefined ? {} : { recheck: true, approval: { id: resumed.call.id, by: resumed.by } };

/** Names hooks by rank and name, because ids of hooks differ in the process that resumes the call. */
const listAskers = ({ results }: EventAnswers<'BeforeTool'>): string[] => {
  const asking = selectByVerdict(results, 'ask', true);
  return [...new Set(asking.map(({ rank, hookConfig }) => `${rank} ${getHookKey(hookConfig)}`))];
};

/** Arguments that are not plain JSON would change in a token, so they are refused. */
const createCallToPark =
  (
    { host }: ToolCaller,
    { name, context, callId }: Omit<ToolCallOf<unknown>, 'run'>,
    answers: EventAnswers<'BeforeTool'>,
    input: Args,
  ) =>
  (reason: string): CallToPark => {
    const { input: own, shown } = copyToolInput(input);
    if (own !== shown) {
      throw new HookwrightError('not_supported', `the arguments of ${name} are no plain JSON, so it cannot be parked`);
    }
    const { mcpContext, originalName, id, more } = context;
    const project = getProjectDir(host.config);
    const askedBy = listAskers(answers);
    const { correlationId } = answers;
    return {
      ...{ project, tool: name, input: own, reason, askedBy, callId: callId(), correlationId },
      context: { mcpContext, originalName, id, more },
    };
  };

const decideBeforeTool = async (
  caller: ToolCaller,
  call: Omit<ToolCallOf<unknown>, 'run'>,
  round: number,
  firing: Promise<EventAnswers<'BeforeTool'> | undefined>,
  keptInput: () => CopiedToolInput,
): Promise<JudgedCall> => {
  const { name, context, callId, resumed } = call;
  const answers = await firing;
  const kept = keptInput();
  const original = kept.input;
  const input = applyInputChanges(kept.input, answers?.output);
  const shown = kept.input === kept.shown ? input : applyInputChanges(kept.shown, answers?.output);
  if (answers === undefined) return { input, shown, original, before: decideWithoutHooks(resumed) };
  const approved =
    resumed === undefined
      ? undefined
      : createApprovedVerdict(resumed, toEventVerdict(answers.output), listAskers(answers));
  if (approved !== undefined) return { input, shown, original, before: withDecision(answers, approved) };
  const { correlationId } = answers;
  const about = () => ({ eventName: 'BeforeTool', ...toQuestionFields(name, input), correlationId });
  const { verdict, reason = '' } = toEventVerdict(answers.output);
  const request = (): PayloadOf<'PermissionRequest'> => ({ ...toToolPayload(name, input, context, callId()), reason });
  const permission = verdict === 'ask' ? await caller.fire('PermissionRequest', name, request) : undefined;
  if (permission === undefined) {
    const before = withDecision(
      answers,
      await caller.decide(answers.output, about, createCallToPark(caller, call, answers, input)),
    );
    return { input, shown, original, before };
  }

  addWaitingMessage(caller.host, permission.output?.systemMessage);
  const answer = createAnswerOfHooks(caller, reason, answers, permission);
  const wanted = answer?.verdict === 'allow' ? applyInputChanges(input, permission.output) : input;
  const isChanged = describeRewrittenInput(input, wanted) !== undefined;
  if (isChanged && round < MAX_CHECK_ROUNDS) {
    // The person approved the call without this change, so the approval is dropped.
    const changed = { ...call, input: wanted, resumed: undefined };
    return { ...(await judgeCall(caller, changed, round + 1)), original };
  }
  if (answer !== undefined && !isChanged) {
    return { input, shown, original, before: { ...answers, decision: answer }, permission };
  }
  // If a guard failed and its `onFault` is `ask`, the call must not pass without a person.
  const isOfFailedGuard = permission.output?.isAskDecision() === true && permission.output.hookSpecificOutput?.onFault;
  const question = isOfFailedGuard === true ? permission.output : answers.output;
  const decision = await caller.decide(question, about, createCallToPark(caller, call, answers, input));
  return { input, shown, original, before: { ...answers, decision }, permission };
};

const findRefusalByPerson = ({ approved, by, reason, call }: ResumedCall): EventVerdict | undefined => {
  if (approved) return undefined;
  const why = reason === undefined ? call.reason : `${reason}; asked because: ${call.reason}`;
  const asked: Asked = { reason: call.reason, answered: true, approved, by };
  return { verdict: 'deny', reason: `refused by ${by} (${why})`, refused: true, asked };
};

/** An approval answers the hooks that asked before; it overrides no denial and no other hook that asks. */
const createApprovedVerdict = (
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
