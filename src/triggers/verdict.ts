/** Types of an event's verdict, and the confirmation of an `ask`. */
import type { DefaultHookOutput } from '../events/index.ts';
import { describeThrown, describeValue, isRecord } from '../kit/index.ts';
import {
  type Confirm,
  type ConfirmQuestion,
  isAgainst as isVerdictAgainst,
  type Unanswered,
  type Verdict,
  verdictOf,
} from '../protocol/index.ts';
import type { ParkingSpace } from './parking.ts';
import { withinTime } from './within-time.ts';

/** The state of a confirmation that a hook asked for. */
export interface Asked {
  readonly reason: string;
  /** `false` if no person could be asked, or no answer came. */
  readonly answered: boolean;
  /** Present if `confirm` returned why no person answered. */
  readonly unanswered?: Unanswered;
  /** Present if `confirm` threw or returned no boolean: the error. */
  readonly failed?: string;
  /** Present with an answer. */
  readonly approved?: boolean;
  /** `hook` if a PermissionRequest hook answered in place of a person; for a parked call the person. */
  readonly by?: string;
  /** The token for `resume` of a parked call. */
  readonly parked?: string;
  /** Permission changes that the approving hooks ask the agent to remember for later calls. */
  readonly updatedPermissions?: readonly Record<string, unknown>[];
}

export interface EventVerdict {
  readonly verdict: Verdict;
  /** Present for every verdict except `none` and an `allow` without a reason. */
  readonly reason?: string | undefined;
  /** Why the agent must stop; also present with `deny`, which is reported before a stop. */
  readonly stopReason?: string | undefined;
  /** Whether `deny` was originally an `ask`. */
  readonly refused?: boolean;
  /** Present after a confirmation was requested, or could not be. */
  readonly asked?: Asked;
}

export const noVerdict: EventVerdict = { verdict: 'none' };

/** The decision of a merged answer before confirmation. */
export const decisionOf = (output: DefaultHookOutput | undefined): EventVerdict => {
  if (output === undefined) return noVerdict;
  const stopReason = output.shouldStopExecution() ? output.getEffectiveReason() : undefined;
  if (output.isBlockingDecision()) return { verdict: 'deny', reason: output.getBlockingError().reason, stopReason };
  if (stopReason !== undefined) return { verdict: 'stop', reason: stopReason, stopReason };
  if (output.isAskDecision()) return { verdict: 'ask', reason: output.getEffectiveReason() };
  if (output.decision === undefined) return noVerdict;
  // An unknown verdict does not allow.
  const verdict = verdictOf(output.decision) === 'allow' ? 'allow' : 'deny';
  return { verdict, reason: output.reason };
};

/** Whether the action must not run or its result not be used; for a parked call, not now. */
export const blocksOrParks = ({ verdict, asked }: EventVerdict): boolean =>
  isVerdictAgainst(verdict) || asked?.parked !== undefined;

const unansweredTexts: Readonly<Record<Unanswered, string>> = {
  'no-listener': 'not approved, because there was no listener to ask',
  'no-terminal': 'not approved, because there is no terminal to ask at',
  timeout: 'not approved, because no answer came in time',
};

const PARKED = 'the call waits for an approval and has not run; do not repeat it';
const NOT_PARKED =
  'only what the park() of this question gives parks a call, before its tool runs and in a host with deps.parking';

const notAnswered = (answer: unknown): string => `confirm answers true or false; got ${describeValue(answer)}`;

export interface ConfirmOptions {
  readonly confirm: Confirm | undefined;
  readonly signal: AbortSignal | undefined;
  readonly warn: (message: string) => void;
  /** Present if `confirm` may park the call. */
  readonly space?: ParkingSpace | undefined;
}

/**
 * Requests confirmation; only `true` approves. Without `confirm`, `ask` does not block unless it stands for a fault.
 */
export const requestConfirmation = async (
  output: DefaultHookOutput,
  question: ConfirmQuestion,
  { confirm, signal, warn, space }: ConfirmOptions,
): Promise<EventVerdict> => {
  const { reason } = question;
  const unanswered: Asked = { reason, answered: false };
  if (confirm === undefined) {
    const standsForFault = output.hookSpecificOutput?.onFault === true;
    if (!standsForFault) return { verdict: 'ask', reason, asked: unanswered };
    return { verdict: 'deny', reason: `${reason}, and there is nobody to ask`, refused: true, asked: unanswered };
  }
  const refused = { verdict: 'deny', reason: `not approved (${reason})`, refused: true } as const;
  let why: Unanswered | undefined;
  const onUnanswered = (told: Unanswered): void => {
    why = told;
  };
  try {
    const context = { signal, onUnanswered, ...(space === undefined ? {} : { park: space.park }) };
    const answer = await withinTime(Promise.resolve(confirm(question, context)), { signal });
    const isParked = (await space?.isParkedBy(answer)) === true;
    if (isRecord(answer)) {
      if (!isParked) throw new Error('park' in answer ? NOT_PARKED : notAnswered(answer));
      const parked = String(answer.park);
      return { verdict: 'ask', reason: `${PARKED} (${reason})`, asked: { ...unanswered, parked } };
    }
    if (typeof answer !== 'boolean') throw new Error(notAnswered(answer));
    const approved = answer;
    const asked: Asked = why === undefined ? { reason, answered: true, approved } : { ...unanswered, unanswered: why };
    if (approved) return { verdict: 'allow', reason, asked };
    return why === undefined
      ? { ...refused, asked }
      : { ...refused, reason: `${unansweredTexts[why]} (${reason})`, asked };
  } catch (error) {
    await space?.giveUp();
    const about = question.toolName ?? question.eventName;
    const failed = `The confirmation of ${about} failed and counts as refused: ${describeThrown(error)}`;
    warn(failed);
    return { ...refused, asked: { ...unanswered, failed } };
  }
};
