/** The verdict of an event, and the answer to an `ask`. */
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
import { within } from './within-time.ts';

/** A hook wanted a person to be asked. */
export interface Asked {
  readonly reason: string;
  /** False if no person could be asked, or no answer came. */
  readonly answered: boolean;
  /** There when `confirm` said why no person answered. */
  readonly unanswered?: Unanswered;
  /** There when `confirm` threw, or answered neither true nor false: what happened. */
  readonly failed?: string;
  /** There when there is an answer. */
  readonly approved?: boolean;
  /** `hook` if a PermissionRequest hook answered in place of a person; of a parked call who decided. */
  readonly by?: string;
  /** The token of the call, which waits for `resume`. */
  readonly parked?: string;
  /** What the hooks that approved want to be permitted from now on. */
  readonly updatedPermissions?: readonly Record<string, unknown>[];
}

export interface EventVerdict {
  readonly verdict: Verdict;
  /** Why, for every verdict but `none` and an `allow` that gives no reason. */
  readonly reason?: string | undefined;
  /** Why the agent is to stop altogether; there also when the verdict is `deny`, because a block speaks before a stop. */
  readonly stopReason?: string | undefined;
  /** True when `deny` is what became of an `ask`. */
  readonly refused?: boolean;
  /** Present once an `ask` was put to a person, or could not be. */
  readonly asked?: Asked;
}

export const noOpinion: EventVerdict = { verdict: 'none' };

/** What a merged answer decides, before a person was asked. */
export const decisionOf = (output: DefaultHookOutput | undefined): EventVerdict => {
  if (output === undefined) return noOpinion;
  const stopReason = output.shouldStopExecution() ? output.getEffectiveReason() : undefined;
  if (output.isBlockingDecision()) return { verdict: 'deny', reason: output.getBlockingError().reason, stopReason };
  if (stopReason !== undefined) return { verdict: 'stop', reason: stopReason, stopReason };
  if (output.isAskDecision()) return { verdict: 'ask', reason: output.getEffectiveReason() };
  if (output.decision === undefined) return noOpinion;
  // A word that is not known to allow does not allow.
  const verdict = verdictOf(output.decision) === 'allow' ? 'allow' : 'deny';
  return { verdict, reason: output.reason };
};

/** Whether the action, or its result, is not to be had; a parked call is not to be had now. */
export const isAgainst = ({ verdict, asked }: EventVerdict): boolean =>
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

export interface Asking {
  readonly confirm: Confirm | undefined;
  readonly signal: AbortSignal | undefined;
  readonly warn: (message: string) => void;
  /** There where `confirm` may park the call. */
  readonly space?: ParkingSpace | undefined;
}

/**
 * Puts an `ask` to the person who can answer it; only a plain `true` is a yes. Without one, a hook that asks does not
 * block and stays visible, but an `ask` that stands for a fault denies.
 */
export const putToSomeone = async (
  output: DefaultHookOutput,
  question: ConfirmQuestion,
  { confirm, signal, warn, space }: Asking,
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
    const answer = await within(Promise.resolve(confirm(question, context)), { signal });
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
