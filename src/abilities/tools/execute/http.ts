import { parseJson } from '../../../kit/index.ts';
import type { HookConfig } from '../../../protocol/index.ts';
import { exchange, targetOf } from '../../../runners/process-api.ts';
import { type Execution, failed, readAnswer } from './execution-answer.ts';

export interface HttpHandler {
  readonly kind: 'http';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface HttpLimits {
  /** For the whole exchange, from the connection to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** What became of it, by the codes of hooks. */
const messageOf: Readonly<Partial<Record<string, (message: string) => string>>> = {
  cancelled: () => 'cancelled: the caller no longer waits',
  deadline: () => 'cancelled: the caller no longer waits',
  'output-too-large': (message) => `http-error: ${message}`,
};

/**
 * One POST, by the lane of HTTP hooks: the same addresses are out of bounds. `launch` is the ability as hooks are written; it
 * knows where the ability comes from. Settles in time whatever the endpoint does, and never rejects.
 */
export const executeHttp = async (launch: HookConfig, body: string, limits: HttpLimits): Promise<Execution> => {
  const read = targetOf(launch);
  if (!read.ok) return failed(`http-error: ${read.message}`);
  const outcome = await exchange({ target: read.target, body, headers: launch.headers, ...limits });
  if ('fault' in outcome) {
    const { code, message } = outcome.fault;
    return failed((messageOf[code] ?? ((text) => `${code}: ${text}`))(message));
  }
  const text = new TextDecoder().decode(outcome.body);
  const parsed = parseJson(text);
  return readAnswer(parsed.ok ? parsed.value : text.trim());
};
