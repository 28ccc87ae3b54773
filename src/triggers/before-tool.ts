import { type PayloadOf, PermissionRequestHookOutput } from '../events/index.ts';
import {
  type HookExecutionResult,
  type HookOutput,
  saidIn,
  trustRank,
  type Verdict,
  verdictOf,
} from '../protocol/index.ts';
import {
  type Args,
  aboutTool,
  effectiveInputOf,
  type Heard,
  type KeptInput,
  keepInput,
  rewriteNote,
  type SaidOf,
  type ToolCaller,
  type ToolCallOf,
  toolPayload,
  withDecision,
} from './tool-call.ts';
import { type Asked, decisionOf, type EventVerdict, isAgainst } from './verdict.ts';
import { keepForNextRequest } from './waiting.ts';

/** How a call stands before its tool runs. */
export interface BeforeCall extends KeptInput {
  /** The arguments of the call as its hooks were first shown them. */
  readonly original: Args;
  readonly before: Heard<'BeforeTool'> | undefined;
  /** There when hooks could answer a question in place of a person. */
  readonly permission?: SaidOf<'PermissionRequest'>;
}

/** The hooks whose own verdict this is, with their ranks. A fault has none, whatever is made of it. */
const saying = (results: readonly HookExecutionResult[], verdict: Verdict, heedFaults: boolean) =>
  results.flatMap((result) => {
    const said = result.hookConfig.advisory === true ? undefined : saidIn(result);
    const isHeard = said?.hasOpinion === true && (heedFaults || result.code === undefined);
    const { output = {} } = said ?? {};
    return isHeard && verdictOf(output.decision) === verdict ? [{ rank: trustRank(result.hookConfig), output }] : [];
  });

/**
 * Only a source of at least the same trust can lift a question. A question of unknown source counts as one of the most
 * trusted.
 */
const approvalsIn = (asked: SaidOf<'BeforeTool'>, answered: SaidOf<'PermissionRequest'>): HookOutput[] => {
  const askers = saying(asked.results, 'ask', true).map(({ rank }) => rank);
  const asker = askers.length === 0 ? 0 : Math.min(...askers);
  return saying(answered.results, 'allow', false).flatMap(({ rank, output }) => (rank <= asker ? [output] : []));
};

/** The permissions that the approving hooks want from now on; other hooks add none to their approval. */
const permissionsIn = (approvals: readonly HookOutput[]): Pick<Asked, 'updatedPermissions'> => {
  const updatedPermissions = approvals.flatMap((output) => [
    ...new PermissionRequestHookOutput(output).getUpdatedPermissions(),
  ]);
  return updatedPermissions.length === 0 ? {} : { updatedPermissions };
};

/** What hooks answer in place of a person; nothing where they leave it to the person. */
const answerOfHooks = (
  { host }: ToolCaller,
  reason: string,
  asked: SaidOf<'BeforeTool'>,
  answered: SaidOf<'PermissionRequest'>,
): EventVerdict | undefined => {
  const decision = decisionOf(answered.output);
  const by = (approved: boolean): Asked => ({ reason, answered: true, approved, by: 'hook' });
  if (isAgainst(decision)) return { ...decision, refused: true, asked: by(false) };
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
 * Asks the hooks whether a tool may run. Where they want a person to be asked, other hooks may answer instead; a call that
 * these change is asked about anew, so that no guard approved another one than the one that runs.
 */
export const askBefore = (
  caller: ToolCaller,
  call: Omit<ToolCallOf<unknown>, 'run'>,
  round = 1,
): BeforeCall | Promise<BeforeCall> => {
  const { name, input, context, callId } = call;
  let kept: KeptInput = { input, shown: input };
  const hearing = caller.hear('BeforeTool', name, () => {
    kept = keepInput(input);
    return toolPayload(name, kept.shown, context, callId());
  });
  return hearing === undefined
    ? { ...kept, original: input, before: undefined }
    : heardBefore(caller, call, round, hearing, () => kept);
};

const heardBefore = async (
  caller: ToolCaller,
  call: Omit<ToolCallOf<unknown>, 'run'>,
  round: number,
  hearing: Promise<SaidOf<'BeforeTool'> | undefined>,
  keptInput: () => KeptInput,
): Promise<BeforeCall> => {
  const { name, context, callId } = call;
  const said = await hearing;
  const kept = keptInput();
  const original = kept.shown;
  const input = effectiveInputOf(kept.input, said?.output);
  const shown = kept.input === kept.shown ? input : effectiveInputOf(kept.shown, said?.output);
  if (said === undefined) return { input, shown, original, before: undefined };
  const { correlationId } = said;
  const about = () => ({ eventName: 'BeforeTool', ...aboutTool(name, input), correlationId });
  const { verdict, reason = '' } = decisionOf(said.output);
  const request = (): PayloadOf<'PermissionRequest'> => ({ ...toolPayload(name, input, context, callId()), reason });
  const permission = verdict === 'ask' ? await caller.hear('PermissionRequest', name, request) : undefined;
  if (permission === undefined) {
    const before = withDecision(said, await caller.decide(said.output, about));
    return { input, shown, original, before };
  }

  keepForNextRequest(caller.host, permission.output?.systemMessage);
  const answer = answerOfHooks(caller, reason, said, permission);
  const wanted = answer?.verdict === 'allow' ? effectiveInputOf(input, permission.output) : input;
  const isChanged = rewriteNote(input, wanted) !== undefined;
  if (isChanged && round < MAX_ROUNDS) {
    return { ...(await askBefore(caller, { ...call, input: wanted }, round + 1)), original };
  }
  if (answer !== undefined && !isChanged) {
    return { input, shown, original, before: { ...said, decision: answer }, permission };
  }
  // A guard that faulted and asks for a person must not be passed because there is none.
  const standsForFault = permission.output?.isAskDecision() === true && permission.output.hookSpecificOutput?.onFault;
  const question = standsForFault === true ? permission.output : said.output;
  return { input, shown, original, before: { ...said, decision: await caller.decide(question, about) }, permission };
};
