/** What a hook that stays warm is written with: ten lines around a function. */

/** What a hook is told beside its input. `signal` aborts when the engine wants nothing more of this process. */
export interface ServedContext {
  readonly signal: AbortSignal;
  /** The trace the event belongs to, if it is traced, as W3C trace context. */
  readonly traceparent?: string;
}

/** Answers one event: an object as a command would print it, or nothing. To throw is a fault of the hook. */
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

/** JSON has no form for what a line cannot hold, such as a cycle. */
const lineOf = (id: Id, answer: { output: unknown } | { error: string }): string => {
  try {
    return `${JSON.stringify({ id, ...answer })}\n`;
  } catch (error) {
    return `${JSON.stringify({ id, error: `the answer cannot be written as JSON: ${messageOf(error)}` })}\n`;
  }
};

/**
 * Makes this process a worker: every line on stdin is an event, every line on stdout its answer. It ends when stdin does,
 * which is how the engine ends it. What the hook prints by `console.log` goes to stderr: stdout belongs to the answers.
 */
export const serveHook = <Input = Record<string, unknown>>(hook: ServedHook<Input>): void => {
  const ending = new AbortController();
  const context: ServedContext = { signal: ending.signal };
  let rest = '';
  let unsaid = '';

  const flush = (): void => {
    const text = unsaid;
    unsaid = '';
    process.stdout.write(text);
  };
  const say = (id: Id, answer: { output: unknown } | { error: string }): void => {
    if (unsaid === '') queueMicrotask(flush);
    unsaid += lineOf(id, answer);
  };
  const answer = ({ id, input, traceparent }: Request<Input>): void => {
    const fail = (error: unknown): void => say(id, { error: messageOf(error) });
    try {
      const output = hook(input, traceparent === undefined ? context : { ...context, traceparent });
      if (isThenable(output)) output.then((value) => say(id, { output: value }), fail);
      else say(id, { output });
    } catch (error) {
      fail(error);
    }
  };

  // biome-ignore lint/suspicious/noConsole: this is about what others print
  for (const name of ['log', 'info', 'debug'] as const) console[name] = console.error;
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text: string) => {
    // Not by `readline`, which takes other characters for ends of lines too.
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
