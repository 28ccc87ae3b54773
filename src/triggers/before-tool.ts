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

/** A call before its tool runs. */
export interface BeforeCall extends KeptInput {
  /** The arguments as hooks first saw them. */
  readonly original: Args;
  readonly before: DecidedAnswers<'BeforeTool'> | undefined;
  /** Present if hooks could answer in place of a person. */
  readonly permission?: EventAnswers<'PermissionRequest'>;
}

/** Ranks of the hooks with this verdict of their own. A fault has none, whatever verdict stands for it. */
const saying = (results: readonly HookExecutionResult[], verdict: Verdict, heedFaults: boolean) =>
  results.flatMap((result) => {
    const { hookConfig, code, output = {} } = result;
    const isHeard = hookConfig.advisory !== true && hasOpinion(result) && (heedFaults || code === undefined);
    return isHeard && verdictOf(output.decision) === verdict ? [{ result, rank: trustRank(hookConfig), output }] : [];
  });

/**
 * Only a source of at least the same trust can approve in place of a person. An unknown source of an `ask` ranks
 * highest.
 */
const approvalsIn = (asked: EventAnswers<'BeforeTool'>, answered: EventAnswers<'PermissionRequest'>): HookOutput[] => {
  const askers = saying(asked.results, 'ask', true).map(({ rank }) => rank);
  const asker = askers.length === 0 ? 0 : Math.min(...askers);
  return saying(answered.results, 'allow', false).flatMap(({ rank, output }) => (rank <= asker ? [output] : []));
};

/** Permission changes to remember for later calls. Hooks that do not approve the call cannot request any. */
const permissionsIn = (approvals: readonly HookOutput[]): Pick<Asked, 'updatedPermissions'> => {
  const updatedPermissions = approvals.flatMap((output) => [
    ...new PermissionRequestHookOutput(output).getUpdatedPermissions(),
  ]);
  return updatedPermissions.length === 0 ? {} : { updatedPermissions };
};

/** The answer of hooks in place of a person; `undefined` if they give none. */
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
 * Runs the hooks of a call. If one asks, others may answer instead; a call that these change is judged again by all.
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
  // Without a spread: it would take a tenth of the time of a call without hooks.
  return hearing === undefined
    ? { input, shown: input, original: input, before: withoutHooks(resumed) }
    : heardBefore(caller, call, round, hearing, () => kept);
};

const notAsked = { output: undefined, messages: [], results: [] } as const;

/** Without hooks the approval of a parked call decides. */
const withoutHooks = (resumed: ResumedCall | undefined): BeforeCall['before'] => {
  const decision = resumed === undefined ? undefined : approvedBy(resumed, noVerdict, []);
  return decision === undefined ? undefined : { ...notAsked, decision };
};

/** Tells hooks that they judge an approved call again, and who approved it. */
const approvalFor = (resumed: ResumedCall | undefined) =>
  resumed === undefined ? {} : { recheck: true, approval: { id: resumed.call.id, by: resumed.by } };

const askersOf = ({ results }: EventAnswers<'BeforeTool'>): string[] =>
  askersIn(saying(results, 'ask', true).map(({ result }) => result));

/** The content of a token. Refuses arguments that are not plain JSON: they would change in it. */
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
    // The approval was for another call.
    const changed = { ...call, input: wanted, resumed: undefined };
    return { ...(await judgeCall(caller, changed, round + 1)), original };
  }
  if (answer !== undefined && !isChanged) {
    return { input, shown, original, before: { ...said, decision: answer }, permission };
  }
  // A guard's fault that asks for a person must not pass because there is none.
  const standsForFault = permission.output?.isAskDecision() === true && permission.output.hookSpecificOutput?.onFault;
  const question = standsForFault === true ? permission.output : said.output;
  const decision = await caller.decide(question, about, toParkOf(caller, call, said, input));
  return { input, shown, original, before: { ...said, decision }, permission };
};

const askerOf = ({ hookConfig }: HookExecutionResult): string => `${trustRank(hookConfig)} ${hookKey(hookConfig)}`;

/** The asking hooks by rank and name, which are the same in the next process. */
const askersIn = (asking: readonly HookExecutionResult[]): string[] => [...new Set(asking.map(askerOf))];

/** The refusal of a resumed call by a person; `undefined` if it was approved, so its hooks must run. */
const refusalBy = ({ approved, by, reason, call }: ResumedCall): EventVerdict | undefined => {
  if (approved) return undefined;
  const why = reason === undefined ? call.reason : `${reason}; asked because: ${call.reason}`;
  const asked: Asked = { reason: call.reason, answered: true, approved, by };
  return { verdict: 'deny', reason: `refused by ${by} (${why})`, refused: true, asked };
};

/** Applies an approval to a decision: it answers the hooks that asked before, and overrides no denial. */
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
