// All that is known of the verdicts. A further one is a word in two lists here, and what the compiler then shows.

/** What the hooks of an event came to, from the mildest to the strictest. `none`: no hook had an opinion; it is no approval. */
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

/** 0 for no opinion, then allow, ask, deny. */
export const strictnessOf = (decision: HookDecision | undefined): number => verdicts.indexOf(verdictOf(decision));

/** Whether a decision keeps from happening what it is about. */
export const isBlocking = (decision: HookDecision | undefined): boolean => verdictOf(decision) === 'deny';

/** Whether a verdict keeps the action from happening, or its result from being used. */
export const isAgainst = (verdict: Verdict): boolean => verdict === 'deny' || verdict === 'stop';
