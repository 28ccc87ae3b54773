// The entry point `hookwright/worker`: helps users write a hook whose process keeps running.

/** Passed with each event. `signal` aborts when the engine ends this process. */
export interface ServedContext {
  readonly signal: AbortSignal;
  /** W3C trace context of the event, if the host traces it. */
  readonly traceparent?: string;
}

/** Handles one event. Returns the answer as an object, or nothing. Throwing makes the run fail. */
export type ServedHook<Input> = (input: Input, context: ServedContext) => unknown;

interface Request<Input> {
  readonly id: Id;
  readonly input: Input;
  readonly traceparent?: string;
}

type Id = number | string;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** An answer that JSON cannot represent, such as a cycle, is reported as an error. */
const lineOf = (id: Id, answer: { output: unknown } | { error: string }): string => {
  try {
    return `${JSON.stringify({ id, ...answer })}\n`;
  } catch (error) {
    return `${JSON.stringify({ id, error: `the answer cannot be written as JSON: ${messageOf(error)}` })}\n`;
  }
};

/**
 * Makes this process a worker: it reads one event per line from stdin and writes one answer per line to stdout. It
 * exits when the engine closes stdin. `console.log` prints to stderr, because stdout is reserved for answers.
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
  const write = (id: Id, answer: { output: unknown } | { error: string }): void => {
    if (unwritten === '') queueMicrotask(flush);
    unwritten += lineOf(id, answer);
  };
  const answer = ({ id, input, traceparent }: Request<Input>): void => {
    const fail = (error: unknown): void => write(id, { error: messageOf(error) });
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
