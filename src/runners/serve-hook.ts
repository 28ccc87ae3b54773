// Public helper with which a hook that keeps running, a worker, is written.

/** Context of one call. `signal` aborts when the engine ends this process. */
export interface ServedContext {
  readonly signal: AbortSignal;
  /** W3C trace context of the event, if it is traced. */
  readonly traceparent?: string;
}

/** Answers one event with an object as a command would print it, or with nothing. Throwing is a fault of the hook. */
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

/** Answers that JSON cannot represent, such as a cycle, become an error. */
const lineOf = (id: Id, answer: { output: unknown } | { error: string }): string => {
  try {
    return `${JSON.stringify({ id, ...answer })}\n`;
  } catch (error) {
    return `${JSON.stringify({ id, error: `the answer cannot be written as JSON: ${messageOf(error)}` })}\n`;
  }
};

/**
 * Makes this process a worker: every line on stdin is an event, every line on stdout an answer. It exits when stdin
 * ends, which is how the engine stops it. `console.log` prints to stderr, because stdout is for answers.
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
    // Not with `readline`, which splits lines at other characters too.
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
