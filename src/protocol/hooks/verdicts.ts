// The verdicts on an event, and how strict each is. A new verdict begins here; the compiler shows the rest.

/** `none` means that no hook had an opinion. It approves nothing. */
export const verdicts = ['none', 'allow', 'ask', 'deny', 'stop'] as const;
export type Verdict = (typeof verdicts)[number];

/** What a hook may write as `decision`. It writes a stop as `continue: false`. */
export const decisions = ['allow', 'approve', 'ask', 'deny', 'block'] as const;
export type HookDecision = (typeof decisions)[number];

const meanings: Readonly<Record<HookDecision, Verdict>> = {
  allow: 'allow',
  approve: 'allow',
  ask: 'ask',
  deny: 'deny',
  block: 'deny',
};

const words: Readonly<Record<Verdict, string>> = {
  none: 'no opinion',
  allow: 'allow',
  ask: 'ask',
  deny: 'deny',
  stop: 'stop',
};

export const verdictWords = (verdict: Verdict): string => words[verdict];

export const verdictOf = (decision: HookDecision | undefined): Verdict =>
  decision === undefined ? 'none' : meanings[decision];

/** When answers are merged, the verdict with the highest number counts. */
const precedence: Readonly<Record<Verdict, number>> = { none: 0, allow: 1, ask: 2, deny: 3, stop: 4 };

/** Most permissive first. `none` ranks after `allow`, because the agent may still ask. */
const restraint: Readonly<Record<Verdict, number>> = { allow: 0, none: 1, ask: 2, deny: 3, stop: 3 };

export const precedenceOf = (verdict: Verdict): number => precedence[verdict];

export const strictnessOf = (decision: HookDecision | undefined): number => precedenceOf(verdictOf(decision));

export const isMorePermissive = (verdict: Verdict, other: Verdict): boolean => restraint[verdict] < restraint[other];

export const isBlocking = (decision: HookDecision | undefined): boolean => verdictOf(decision) === 'deny';

const goingOn: Readonly<Record<Verdict, 'freely' | 'when a person agrees' | 'never'>> = {
  none: 'freely',
  allow: 'freely',
  ask: 'when a person agrees',
  deny: 'never',
  stop: 'never',
};

export const proceedsFreely = (verdict: Verdict): boolean => goingOn[verdict] === 'freely';

export const isAgainst = (verdict: Verdict): boolean =>
  !proceedsFreely(verdict) && goingOn[verdict] !== 'when a person agrees';
