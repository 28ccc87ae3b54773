// Executes functions and HTTP requests of abilities, and reads their answers.
import { abilityStatuses } from '../../events/index.ts';
import {
  describeThrown,
  describeValue,
  explainNotJson,
  isRecord,
  omitUndefined,
  onAbort,
  parseJson,
  shorten,
} from '../../kit/index.ts';
import type { HookConfig } from '../../protocol/index.ts';
import { exchangeHttp, readHttpTarget } from '../../runners/process-api.ts';
import { summarize } from './summarize.ts';

/** `partial`: the work was started but not finished. */
export type AbilityStatus = (typeof abilityStatuses)[number];

export interface AbilityAnswer {
  readonly status?: AbilityStatus | undefined;
  readonly output?: unknown;
  /** For hooks, logs and people; derived from `output` if absent. */
  readonly output_summary?: string | undefined;
  readonly error_message?: string | undefined;
}

export interface Execution {
  readonly status: AbilityStatus;
  readonly output?: unknown;
  readonly output_summary?: string;
  readonly error_message?: string;
}

export const CANCELLED_MESSAGE = 'cancelled: the caller no longer waits';

export const createFailedExecution = (message: string): Execution => ({
  status: 'failure',
  error_message: shorten(message.trim()),
});

const isStatus = (value: unknown): value is AbilityStatus => abilityStatuses.some((status) => status === value);

const readFilledText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const readAnswerRecord = (answer: Record<string, unknown>): Execution => {
  const { status = 'success', output } = answer;
  if (!isStatus(status)) {
    return createFailedExecution(
      `the answer's status must be one of ${abilityStatuses.join(', ')}, got ${describeValue(status)}`,
    );
  }
  const summary = readFilledText(answer.output_summary) ?? summarize(output);
  const message = readFilledText(answer.error_message);
  return omitUndefined({
    status,
    output,
    output_summary: summary && shorten(summary),
    error_message: message && shorten(message),
  });
};

const isAnswer = (value: Record<string, unknown>): boolean =>
  ['status', 'output', 'output_summary', 'error_message'].some((key) => Object.hasOwn(value, key));

export const readAnswer = (value: unknown): Execution => {
  if (value === undefined || value === null || value === '') return { status: 'success' };
  const found = explainNotJson({ output: value });
  if (found !== undefined) return createFailedExecution(`the answer is not plain JSON: ${found}`);
  return readAnswerRecord(isRecord(value) && isAnswer(value) ? value : { output: value });
};

export interface FunctionContext {
  /** Aborts when the call times out or is cancelled. */
  readonly signal: AbortSignal;
}

export interface FunctionHandler<Call> {
  readonly kind: 'function';
  /** An exception is a failure; a value that is no `AbilityAnswer` is the output. */
  readonly run: (call: Call, context: FunctionContext) => unknown;
}

/** Never rejects. A function that blocks the event loop cannot be stopped. */
export const executeFunction = async <Call>(
  { run }: FunctionHandler<Call>,
  call: Call,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Execution> => {
  const own = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopListening: (() => void) | undefined;
  const given = new Promise<Execution>((resolve) => {
    const giveUp = (message: string): void => {
      own.abort();
      resolve(createFailedExecution(message));
    };
    timer = setTimeout(() => giveUp(`timeout: no answer within ${timeoutMs} ms`), timeoutMs);
    if (signal.aborted) giveUp(CANCELLED_MESSAGE);
    stopListening = onAbort(signal, () => giveUp(CANCELLED_MESSAGE));
  });
  const answered = (async () => readAnswer(await run(call, { signal: own.signal })))().catch((error: unknown) =>
    createFailedExecution(describeThrown(error)),
  );
  try {
    return await Promise.race([answered, given]);
  } finally {
    clearTimeout(timer);
    stopListening?.();
  }
};

export interface HttpHandler {
  readonly kind: 'http';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface HttpLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const describeHttpFault = ({ code, message }: { readonly code: string; readonly message: string }): string => {
  if (code === 'cancelled' || code === 'deadline') return CANCELLED_MESSAGE;
  return `${code === 'output-too-large' ? 'http-error' : code}: ${message}`;
};

/**
 * Forbids the same addresses as HTTP hooks: `launch` carries the ability's origin. Settles within the timeout and never
 * rejects.
 */
export const executeHttp = async (launch: HookConfig, body: string, limits: HttpLimits): Promise<Execution> => {
  const read = readHttpTarget(launch);
  if (!read.ok) return createFailedExecution(`http-error: ${read.message}`);
  const outcome = await exchangeHttp({ target: read.target, body, headers: launch.headers, ...limits });
  if ('fault' in outcome) return createFailedExecution(describeHttpFault(outcome.fault));
  const text = new TextDecoder().decode(outcome.body);
  const parsed = parseJson(text);
  return readAnswer(parsed.ok ? parsed.value : text.trim());
};
