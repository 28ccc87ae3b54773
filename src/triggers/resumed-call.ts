/** What becomes of a parked call by the decision of a person, beside today's hooks. */
import {
  type HookExecutionResult,
  hookKey,
  type ParkedCall,
  type ParkedDecision,
  trustRank,
} from '../protocol/index.ts';
import type { Asked, EventVerdict } from './verdict.ts';

export interface ResumedCall extends ParkedDecision {
  readonly call: ParkedCall;
}

const askerOf = ({ hookConfig }: HookExecutionResult): string => `${trustRank(hookConfig)} ${hookKey(hookConfig)}`;

/** The hooks that asked, by how far they are trusted and by names that are the same in the next process. */
export const askersIn = (asking: readonly HookExecutionResult[]): string[] => [...new Set(asking.map(askerOf))];

/** What a resumed call comes to before its hooks are asked; `undefined` if they are to be. */
export const refusalBy = ({ approved, by, reason, call }: ResumedCall): EventVerdict | undefined => {
  if (approved) return undefined;
  const why = reason === undefined ? call.reason : `${reason}; asked because: ${call.reason}`;
  const asked: Asked = { reason: call.reason, answered: true, approved, by };
  return { verdict: 'deny', reason: `refused by ${by} (${why})`, refused: true, asked };
};

/** A decision of hooks, as an approval leaves it: it answers the hooks that asked before, and lifts no denial. */
export const approvedBy = (
  { call, by }: ResumedCall,
  decision: EventVerdict,
  askers: readonly string[],
): EventVerdict | undefined => {
  const asked: Asked = { reason: call.reason, answered: true, approved: true, by };
  if (decision.verdict === 'deny' || decision.verdict === 'stop') return { ...decision, asked };
  const isAnswered = askers.length > 0 && askers.every((asker) => call.askedBy.includes(asker));
  if (decision.verdict === 'ask' && !isAnswered) return undefined;
  return { verdict: 'allow', reason: call.reason, asked };
};
