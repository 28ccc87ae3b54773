import { abilityStatuses } from '../../../events/index.ts';
import { describeValue, isRecord, shorten, whyNotJson } from '../../../kit/index.ts';
import { summarize } from '../summarize.ts';

/** `partial` is work that was begun and not finished. */
export type AbilityStatus = (typeof abilityStatuses)[number];

/** What an ability says when it is done. All of it is optional: to end well is an answer too. */
export interface AbilityAnswer {
  readonly status?: AbilityStatus | undefined;
  readonly output?: unknown;
  /** For hooks, logs and people; made from `output` where it is missing. */
  readonly output_summary?: string | undefined;
  readonly error_message?: string | undefined;
}

/** How the execution of an ability ended. */
export interface Execution {
  readonly status: AbilityStatus;
  readonly output?: unknown;
  readonly output_summary?: string;
  readonly error_message?: string;
}

export const failed = (message: string): Execution => ({ status: 'failure', error_message: shorten(message.trim()) });

const isStatus = (value: unknown): value is AbilityStatus => abilityStatuses.some((status) => status === value);

const filledText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const fromRecord = (answer: Record<string, unknown>): Execution => {
  const { status = 'success', output } = answer;
  if (!isStatus(status)) {
    return failed(`the answer's status must be one of ${abilityStatuses.join(', ')}, got ${describeValue(status)}`);
  }
  const summary = filledText(answer.output_summary) ?? summarize(output);
  const message = filledText(answer.error_message);
  return {
    status,
    ...(output === undefined ? {} : { output }),
    ...(summary === undefined ? {} : { output_summary: shorten(summary) }),
    ...(message === undefined ? {} : { error_message: shorten(message) }),
  };
};

/** Whether an object is meant as an answer; any other is an output. */
const isAnswer = (value: Record<string, unknown>): boolean =>
  ['status', 'output', 'output_summary', 'error_message'].some((key) => Object.hasOwn(value, key));

/** Reads what a function returned, a script printed or an endpoint answered. */
export const readAnswer = (value: unknown): Execution => {
  if (value === undefined || value === null || value === '') return { status: 'success' };
  const found = whyNotJson({ output: value });
  if (found !== undefined) return failed(`the answer is not plain JSON: ${found}`);
  return fromRecord(isRecord(value) && isAnswer(value) ? value : { output: value });
};
