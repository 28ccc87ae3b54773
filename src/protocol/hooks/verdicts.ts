// All that is known of the verdicts, their two orders included. A further one is a word in the lists here, and what the compiler then shows.

/** What the hooks of an event came to. `none`: no hook had an opinion; it is no approval. */
export const verdicts = ['none', 'allow', 'ask', 'deny', 'stop'] as const;
export type Verdict = (typeof verdicts)[number];

/** What an answer may say as its `decision`. To stop is said by `continue: false`. */
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

/** What a person reads. */
export const verdictWords = (verdict: Verdict): string => words[verdict];

/** What a decision means; without one there is no opinion. */
export const verdictOf = (decision: HookDecision | undefined): Verdict =>
  decision === undefined ? 'none' : meanings[decision];

/** The order for merging: of several verdicts the one with the highest number counts. */
const precedence: Readonly<Record<Verdict, number>> = { none: 0, allow: 1, ask: 2, deny: 3, stop: 4 };

/** The order of what a verdict lets through, from the most permissive: no opinion leaves it to the agent, which may ask. */
const restraint: Readonly<Record<Verdict, number>> = { allow: 0, none: 1, ask: 2, deny: 3, stop: 3 };

export const precedenceOf = (verdict: Verdict): number => precedence[verdict];

/** The same of a decision: 0 for no opinion, then allow, ask, deny. */
export const strictnessOf = (decision: HookDecision | undefined): number => precedenceOf(verdictOf(decision));

/** Whether a verdict lets more through than another. */
export const isMorePermissive = (verdict: Verdict, other: Verdict): boolean => restraint[verdict] < restraint[other];

/** Whether a decision keeps from happening what it is about. */
export const isBlocking = (decision: HookDecision | undefined): boolean => verdictOf(decision) === 'deny';

/** What goes on although a verdict was given. Whatever is not known to allow does not allow. */
const goingOn: Readonly<Record<Verdict, 'freely' | 'when a person agrees' | 'never'>> = {
  none: 'freely',
  allow: 'freely',
  ask: 'when a person agrees',
  deny: 'never',
  stop: 'never',
};

/** Whether nothing stands in the way of the action, not even a question. */
export const isFree = (verdict: Verdict): boolean => goingOn[verdict] === 'freely';

/** Whether a verdict keeps the action from happening, or its result from being used. */
export const isAgainst = (verdict: Verdict): boolean => !isFree(verdict) && goingOn[verdict] !== 'when a person agrees';
