import { type HookRow, isFree, type Verdict } from '../../../protocol/index.ts';

/** What a fault does to the guard that a hook is; `unknown` where no test makes the hook say no. */
export type Fate = 'holds' | 'fails-open' | 'unknown';

/** Whether the agent does not simply go on. */
export const isInTheWay = (verdict: Verdict): boolean => !isFree(verdict);

/** A hook fails open when its answer is no, and the agent would go on all the same. */
export const fateOf = (normal: Verdict, found: Verdict): Fate => {
  if (!isInTheWay(normal)) return 'unknown';
  return isInTheWay(found) ? 'holds' : 'fails-open';
};

/** What would help: a fault obeys `onFault`; what the hook answers by itself only the hook can change. */
export type Remedy = 'on-fault' | 'hook';

export const remedyFor = (fate: Fate, { code }: Pick<HookRow, 'code'>): Remedy | undefined => {
  if (fate !== 'fails-open') return undefined;
  return code === undefined ? 'hook' : 'on-fault';
};
