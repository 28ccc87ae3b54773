import { isHookEventName } from '../../../events/index.ts';
import type { HookOutput, HookRow } from '../../../protocol/index.ts';
import type { RecordedDecision } from '../collect.ts';
import { type Decision, decisionFrom, noDecision } from './decision.ts';

/** The rows of the hooks that ran. */
export const ranIn = ({ trace }: RecordedDecision): readonly HookRow[] =>
  trace?.rows.filter(({ planned, recheck }) => planned === 'run' && recheck !== true) ?? [];

export const payloadOf = ({ request }: RecordedDecision): object => request.payload ?? request.input ?? {};

const isOutput = (value: unknown): value is HookOutput => typeof value === 'object' && value !== null;

const outputOf = ({ response }: RecordedDecision): HookOutput | undefined => {
  const output = response.output ?? response.result.finalOutput;
  return isOutput(output) ? output : undefined;
};

/** What was decided when the session was recorded. */
export const recordedDecision = (recorded: RecordedDecision): Decision => {
  const { request, response, trace } = recorded;
  const error = response.error?.code;
  if (!isHookEventName(request.eventName)) return noDecision(error);
  const ran = ranIn(recorded);
  return decisionFrom(request.eventName, payloadOf(recorded), outputOf(recorded), {
    order: ran.map(({ name }) => name),
    sequential: trace?.mode === 'sequential',
    faults: ran.flatMap(({ name, code }) => (code === undefined ? [] : [{ hook: name, code }])),
    error,
  });
};
