// Entry `hookwright/worker`: serves a function as a hook whose process keeps running.

/** `signal` aborts when the engine ends this process. */
export interface ServedContext {
  readonly signal: AbortSignal;
  /** The W3C trace context of the event. */
  readonly traceparent?: string;
}

/** Handles an event and returns the answer: an object or `undefined`. Throwing makes the run fail. */
export type ServedHook<Input> = (input: Input, context: ServedContext) => unknown;

interface WorkerRequest<Input> {
  readonly id: RequestId;
  readonly input: Input;
  readonly traceparent?: string;
}

type RequestId = number | string;

const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

const toLine = (id: RequestId, answer: { output: unknown } | { error: string }): string => {
  try {
    return `${JSON.stringify({ id, ...answer })}\n`;
  } catch (error) {
    return `${JSON.stringify({ id, error: `the answer cannot be written as JSON: ${describeError(error)}` })}\n`;
  }
};

/**
 * Makes this process a worker: reads one event per line from stdin and writes one answer per line to stdout.
 * `console.log` prints to stderr.
 */
export const serveHook = <Input = Record<string, unknown>>(hook: ServedHook<Input>): void => {
  const ending = new AbortController();
  const context: ServedContext = { signal: ending.signal };
  let rest = '';
  let unwritten = '';

  const flush = (): void => {
    const text = unwritten;
    unwritten = '';
    process.stdout.write(text);
  };
  const write = (id: RequestId, answer: { output: unknown } | { error: string }): void => {
    if (unwritten === '') queueMicrotask(flush);
    unwritten += toLine(id, answer);
  };
  const answer = ({ id, input, traceparent }: WorkerRequest<Input>): void => {
    const fail = (error: unknown): void => write(id, { error: describeError(error) });
    try {
      const output = hook(input, traceparent === undefined ? context : { ...context, traceparent });
      if (isThenable(output)) output.then((value) => write(id, { output: value }), fail);
      else write(id, { output });
    } catch (error) {
      fail(error);
    }
  };

  // biome-ignore lint/suspicious/noConsole: this is about what others print
  for (const name of ['log', 'info', 'debug'] as const) console[name] = console.error;
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text: string) => {
    // `readline` also splits at characters that are valid inside JSON strings, such as U+2028.
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') answer(JSON.parse(line));
  });
  process.stdin.on('end', () => {
    ending.abort();
    flush();
    process.exit();
  });
};
