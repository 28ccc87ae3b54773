import type { Answer } from '../answers/answer.ts';

/** As many agents at work at once as anybody looks after. */
const MAX_COUNTED = 256;

/** How often in a row an agent has gone on because a hook sent it on. */
export class Loops {
  readonly #counts = new Map<string, number>();

  /** Counts one more end of a turn. `isSentOn`: the turn was there because a hook had said so. */
  count(who: string, isSentOn: boolean): number {
    const loops = isSentOn ? (this.#counts.get(who) ?? 0) + 1 : 0;
    this.#counts.delete(who);
    if (loops > 0) this.#counts.set(who, loops);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_COUNTED && oldest !== undefined) this.#counts.delete(oldest);
    return loops;
  }
}

export interface LoopLimit {
  readonly most: number;
  /** Whoever wrote the hook wants it so, in whatever way it is judged. */
  readonly isOwn: boolean;
}

/** An answer that sends the agent on, where it has been sent on as often as may be. */
export const withinLoops = (
  answer: Answer,
  loops: number,
  { most, isOwn }: LoopLimit,
  mode: 'strict' | 'faithful',
): Answer => {
  if (answer.said?.decision !== 'deny' || loops < most) return answer;
  const { decision: _lost, reason, ...said } = answer.said;
  const times = `the agent was sent on ${loops} times, and no more than ${most} are heeded`;
  if (!isOwn && mode === 'strict')
    return { ...answer, swallowed: [...answer.swallowed, `${times} there; it counts here all the same`] };
  return { ...answer, said, swallowed: [...answer.swallowed, `${times}: ${reason ?? 'it gave no reason'}`] };
};
