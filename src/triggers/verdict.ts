/** The verdict of an event, and the confirmation of an `ask`. */
import type { DefaultHookOutput } from '../events/index.ts';
import { describeThrown, describeValue, isRecord } from '../kit/index.ts';
import {
  type Confirm,
  type ConfirmQuestion,
  forbidsAction as isVerdictAgainst,
  type Unanswered,
  type Verdict,
  verdictOf,
} from '../protocol/index.ts';
import type { CallParker } from './call-parker.ts';
import { limitTime } from './within-time.ts';

export interface Asked {
  readonly reason: string;
  /** `false` if no person could be asked, or none answered. */
  readonly answered: boolean;
  /** Why no person answered, if `confirm` reported it. */
  readonly unanswered?: Unanswered;
  /** Why `confirm` failed: an exception or a value that is no boolean. */
  readonly failed?: string;
  readonly approved?: boolean;
  /** `hook` if a PermissionRequest hook answered; for a parked call, the name of the person. */
  readonly by?: string;
  /** The token for `resume`, if the call was parked. */
  readonly parked?: string;
  /** Permissions that the approving hooks want the agent to keep for later calls. */
  readonly updatedPermissions?: readonly Record<string, unknown>[];
}

export interface EventVerdict {
  readonly verdict: Verdict;
  /** Absent for `none`, and for an `allow` without a reason. */
  readonly reason?: string | undefined;
  /** Why the agent must stop; present with the verdict `deny` too. */
  readonly stopReason?: string | undefined;
  /** The verdict was `ask`, and `confirm` refused or failed. */
  readonly refused?: boolean;
  readonly asked?: Asked;
}

export const NO_VERDICT: EventVerdict = { verdict: 'none' };

export const toEventVerdict = (output: DefaultHookOutput | undefined): EventVerdict => {
  if (output === undefined) return NO_VERDICT;
  const stopReason = output.shouldStopExecution() ? output.getEffectiveReason() : undefined;
  if (output.isBlockingDecision()) return { verdict: 'deny', reason: output.getBlockingError().reason, stopReason };
  if (stopReason !== undefined) return { verdict: 'stop', reason: stopReason, stopReason };
  if (output.isAskDecision()) return { verdict: 'ask', reason: output.getEffectiveReason() };
  if (output.decision === undefined) return NO_VERDICT;
  // An unknown decision must not allow.
  const verdict = verdictOf(output.decision) === 'allow' ? 'allow' : 'deny';
  return { verdict, reason: output.reason };
};

export const isBlockedOrParked = ({ verdict, asked }: EventVerdict): boolean =>
  isVerdictAgainst(verdict) || asked?.parked !== undefined;

/** The fields of a trigger's result after a decision against the action. */
export const toBlockedFields = ({ reason = '', stopReason }: EventVerdict) =>
  stopReason === undefined
    ? ({ blocked: true, reason } as const)
    : ({ blocked: true, stopped: true, reason: stopReason } as const);

const unansweredTexts: Readonly<Record<Unanswered, string>> = {
  'no-listener': 'not approved, because there was no listener to ask',
  'no-terminal': 'not approved, because there is no terminal to ask at',
  timeout: 'not approved, because no answer came in time',
};

const PARKED_REASON = 'the call waits for an approval and has not run; do not repeat it';
const NOT_PARKED_REASON =
  'only what the park() of this question gives parks a call, before its tool runs and in a host with deps.parking';

const formatWrongAnswer = (answer: unknown): string => `confirm answers true or false; got ${describeValue(answer)}`;

export interface ConfirmOptions {
  readonly confirm: Confirm | undefined;
  readonly signal: AbortSignal | undefined;
  readonly warn: (message: string) => void;
  readonly space?: CallParker | undefined;
}

/** Without `confirm`, an `ask` blocks only if it is the verdict of a failed guard. */
export const requestConfirmation = async (
  output: DefaultHookOutput,
  question: ConfirmQuestion,
  { confirm, signal, warn, space }: ConfirmOptions,
): Promise<EventVerdict> => {
  const { reason } = question;
  const unanswered: Asked = { reason, answered: false };
  if (confirm === undefined) {
    const isOfFailedGuard = output.hookSpecificOutput?.onFault === true;
    if (!isOfFailedGuard) return { verdict: 'ask', reason, asked: unanswered };
    return { verdict: 'deny', reason: `${reason}, and no person can be asked`, refused: true, asked: unanswered };
  }
  const refused = { verdict: 'deny', reason: `not approved (${reason})`, refused: true } as const;
  let why: Unanswered | undefined;
  const onUnanswered = (reported: Unanswered): void => {
    why = reported;
  };
  try {
    const context = { signal, onUnanswered, ...(space === undefined ? {} : { park: space.park }) };
    const answer = await limitTime(Promise.resolve(confirm(question, context)), { signal });
    const isParked = space !== undefined && (await limitTime(space.isParkedBy(answer), { signal }));
    if (isRecord(answer)) {
      if (!isParked) throw new Error('park' in answer ? NOT_PARKED_REASON : formatWrongAnswer(answer));
      const parked = String(answer.park);
      return { verdict: 'ask', reason: `${PARKED_REASON} (${reason})`, asked: { ...unanswered, parked } };
    }
    if (typeof answer !== 'boolean') throw new Error(formatWrongAnswer(answer));
    const asked: Asked =
      why === undefined ? { reason, answered: true, approved: answer } : { ...unanswered, unanswered: why };
    if (answer) return { verdict: 'allow', reason, asked };
    return why === undefined
      ? { ...refused, asked }
      : { ...refused, reason: `${unansweredTexts[why]} (${reason})`, asked };
  } catch (error) {
    const about = question.toolName ?? question.eventName;
    const note = (await space?.giveUp()) ?? '';
    const failed = `The confirmation of ${about} failed and counts as refused: ${describeThrown(error)}${note}`;
    warn(failed);
    return { ...refused, asked: { ...unanswered, failed } };
  }
};
