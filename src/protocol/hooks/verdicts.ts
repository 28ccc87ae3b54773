// The verdicts on an event, and how strict each is.

/** `none` means that no hook had an opinion. It approves nothing. */
export const verdicts = ['none', 'allow', 'ask', 'deny', 'stop'] as const;
export type Verdict = (typeof verdicts)[number];

/** The values of `decision` in an answer; a stop is `continue: false`. */
export const decisions = ['allow', 'approve', 'ask', 'deny', 'block'] as const;
export type HookDecision = (typeof decisions)[number];

const decisionNames: ReadonlySet<unknown> = new Set(decisions);

export const isDecision = (value: unknown): value is HookDecision => decisionNames.has(value);

export const quotedDecisions = decisions.map((decision) => `"${decision}"`).join(', ');

const verdictsByDecision: Readonly<Record<HookDecision, Verdict>> = {
  allow: 'allow',
  approve: 'allow',
  ask: 'ask',
  deny: 'deny',
  block: 'deny',
};

export const describeVerdict = (verdict: Verdict): string => (verdict === 'none' ? 'no opinion' : verdict);

export const verdictOf = (decision: HookDecision | undefined): Verdict =>
  decision === undefined ? 'none' : verdictsByDecision[decision];

const precedenceByVerdict: Readonly<Record<Verdict, number>> = { none: 0, allow: 1, ask: 2, deny: 3, stop: 4 };

/** Most permissive first. `none` ranks after `allow`, because the agent may still ask. */
const restraintByVerdict: Readonly<Record<Verdict, number>> = { allow: 0, none: 1, ask: 2, deny: 3, stop: 3 };

export const getPrecedence = (verdict: Verdict): number => precedenceByVerdict[verdict];

export const getStrictness = (decision: HookDecision | undefined): number => getPrecedence(verdictOf(decision));

export const isMorePermissive = (verdict: Verdict, other: Verdict): boolean =>
  restraintByVerdict[verdict] < restraintByVerdict[other];

export const isBlocking = (decision: HookDecision | undefined): boolean => verdictOf(decision) === 'deny';

const continuationByVerdict: Readonly<Record<Verdict, 'freely' | 'when a person agrees' | 'never'>> = {
  none: 'freely',
  allow: 'freely',
  ask: 'when a person agrees',
  deny: 'never',
  stop: 'never',
};

export const mayProceedFreely = (verdict: Verdict): boolean => continuationByVerdict[verdict] === 'freely';

/** Also true for an unknown verdict of a later version, so that it cannot allow the action. */
export const forbidsAction = (verdict: Verdict): boolean =>
  !mayProceedFreely(verdict) && continuationByVerdict[verdict] !== 'when a person agrees';
