import { describeThrown, parseJson } from '../../../kit/index.ts';
import { type Execution, failed, readAnswer } from './answer.ts';

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

class TooLarge extends Error {}

/** Counts what was unpacked: a small body can be packed to unfold to a large one. */
const readBody = async (response: Response, maxBytes: number): Promise<string> => {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new TooLarge(`http-error: the answer has more than ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};

const discard = async (response: Response): Promise<void> => {
  await response.body?.cancel();
};

const exchange = async (
  { url, headers = {} }: HttpHandler,
  body: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Execution> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
    body,
    // To follow would be to send the body to whoever the endpoint names.
    redirect: 'manual',
    signal,
  });
  if (!response.ok) {
    await discard(response);
    const where = response.headers.get('location');
    const more = where === null ? '' : ', a redirect, which is not followed';
    return failed(`http-error: ${new URL(url).origin} answered with status ${response.status}${more}`);
  }
  const text = await readBody(response, maxBytes);
  const parsed = parseJson(text);
  return readAnswer(parsed.ok ? parsed.value : text.trim());
};

const causeOf = (error: unknown): string => {
  const text = describeThrown(error);
  return error instanceof Error && error.cause !== undefined ? `${text}: ${describeThrown(error.cause)}` : text;
};

/** One POST. Settles in time whatever the endpoint does, and never rejects. */
export const executeHttp = async (
  handler: HttpHandler,
  body: string,
  { timeoutMs, maxBytes, signal }: HttpLimits,
): Promise<Execution> => {
  // A timer of our own: one of AbortSignal.timeout would not keep the process alive while we wait.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  try {
    return await exchange(handler, body, maxBytes, AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    if (signal.aborted) return failed('cancelled: nobody waits for the answer any more');
    if (deadline.signal.aborted) return failed(`timeout: no answer within ${timeoutMs} ms`);
    return failed(error instanceof TooLarge ? error.message : `http-error: ${causeOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
};
