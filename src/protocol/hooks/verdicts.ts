// All verdicts and decisions, and their two orders. A new verdict is added to the lists; the compiler then shows the
// rest.

/** The verdict on an event. `none` means that no hook had an opinion; it approves nothing. */
export const verdicts = ['none', 'allow', 'ask', 'deny', 'stop'] as const;
export type Verdict = (typeof verdicts)[number];

/** Values of `decision` in an answer. A stop is written as `continue: false`. */
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

/** The verdict in words, for users. */
export const verdictWords = (verdict: Verdict): string => words[verdict];

/** The verdict of a decision; `none` without one. */
export const verdictOf = (decision: HookDecision | undefined): Verdict =>
  decision === undefined ? 'none' : meanings[decision];

/** Order for merging: of several verdicts the highest counts. */
const precedence: Readonly<Record<Verdict, number>> = { none: 0, allow: 1, ask: 2, deny: 3, stop: 4 };

/** Order by permissiveness, most permissive first. `none` leaves the choice to the agent, which may ask. */
const restraint: Readonly<Record<Verdict, number>> = { allow: 0, none: 1, ask: 2, deny: 3, stop: 3 };

export const precedenceOf = (verdict: Verdict): number => precedence[verdict];

/** The precedence of a decision: 0 for none, then allow, ask, deny. */
export const strictnessOf = (decision: HookDecision | undefined): number => precedenceOf(verdictOf(decision));

export const isMorePermissive = (verdict: Verdict, other: Verdict): boolean => restraint[verdict] < restraint[other];

/** Whether a decision prevents its action. */
export const isBlocking = (decision: HookDecision | undefined): boolean => verdictOf(decision) === 'deny';

const goingOn: Readonly<Record<Verdict, 'freely' | 'when a person agrees' | 'never'>> = {
  none: 'freely',
  allow: 'freely',
  ask: 'when a person agrees',
  deny: 'never',
  stop: 'never',
};

/** Whether the action may go on without a question. */
export const proceedsFreely = (verdict: Verdict): boolean => goingOn[verdict] === 'freely';

/** Whether a verdict prevents the action, or the use of its result. */
export const isAgainst = (verdict: Verdict): boolean =>
  !proceedsFreely(verdict) && goingOn[verdict] !== 'when a person agrees';
