import { HookwrightError } from '../../errors.ts';
import { isRecord } from '../../kit/index.ts';
import { aiSdkTranslator, type GenerateResult, type StreamPart } from '../../models/translators.ts';

type Members = Readonly<Record<string, unknown>>;
/** What hooks have to do with a stream. */
export interface StreamHooks {
  /** Shows hooks the whole answer and gives back what is to be kept of it. */
  readonly finish: (whole: GenerateResult) => Promise<GenerateResult>;
  /** The part as it goes out once hooks have decided the call in it; `undefined` for one that no hook is asked about. */
  readonly decide: (part: object) => Promise<object> | undefined;
}

const isPart = (value: unknown): value is StreamPart => isRecord(value) && typeof value.type === 'string';

/** Contents that a stream tells piece by piece. */
const told: Readonly<Record<string, string>> = { text: 'text', reasoning: 'reasoning' };

/** The parts of a stream that says what a result says. */
function* partsOf(result: GenerateResult): Iterable<Members> {
  const { content, finishReason, usage, warnings } = result;
  const { response, providerMetadata }: Members = { ...result };
  yield { type: 'stream-start', warnings };
  if (isRecord(response)) {
    const { headers, body, ...metadata } = response;
    yield { type: 'response-metadata', ...metadata };
  }
  for (const [index, item] of content.entries()) {
    const { type, text, ...others }: Members = { ...item };
    const kind = told[String(type)];
    if (kind === undefined) yield { ...item };
    else {
      const id = `hooked-${index}`;
      yield { type: `${kind}-start`, id, ...others };
      yield { type: `${kind}-delta`, id, delta: text };
      yield { type: `${kind}-end`, id };
    }
  }
  yield { type: 'finish', finishReason, usage, ...(providerMetadata === undefined ? {} : { providerMetadata }) };
}

/** A stream of an answer that is there already. */
export const streamOf = (result: GenerateResult): ReadableStream<unknown> =>
  new ReadableStream({
    start: (controller) => {
      for (const part of partsOf(result)) controller.enqueue(part);
      controller.close();
    },
  });

const isFinish = (part: StreamPart): boolean => part.type === 'finish';

/** The end of an answer that is not to be had: the SDK reports the error, and its last part says so. */
const failed = (error: unknown, finish: StreamPart | undefined): unknown[] => [
  { type: 'error', error },
  ...(finish === undefined ? [] : [{ ...finish, finishReason: { unified: 'error', raw: undefined } }]),
];

/** A stream that broke off, or reports an error of its own, has no complete answer to show to hooks. */
const isComplete = (parts: readonly StreamPart[]): boolean =>
  parts.some(isFinish) && !parts.some(({ type }) => type === 'error');

/** Nothing is passed on before hooks have seen the whole and said what is to be kept. */
export const heldBack = (source: ReadableStream<unknown>, { finish, decide }: StreamHooks): ReadableStream<unknown> => {
  const parts: StreamPart[] = [];
  return source.pipeThrough(
    new TransformStream<unknown, unknown>({
      transform: (part) => {
        if (isPart(part)) parts.push(part);
      },
      flush: async (controller) => {
        const pass = (all: Iterable<unknown>): void => {
          for (const part of all) controller.enqueue(part);
        };
        if (!isComplete(parts)) return pass(parts);
        const whole = aiSdkTranslator.joinStream(parts);
        try {
          const kept = await finish(whole);
          pass(await allDecided(kept === whole ? parts : [...partsOf(kept)], decide));
        } catch (error) {
          pass(failed(error, parts.find(isFinish)));
        }
      },
    }),
  );
};

const tooLate = (): HookwrightError =>
  new HookwrightError(
    'not_supported',
    'An AfterModel hook changed an answer that was passed on while it came; hold it back with hookedModel(hooks, model, { stream: "hold" })',
  );

/** All parts, with the calls among them decided at the same time. */
export const allDecided = (parts: readonly object[], decide: StreamHooks['decide']): Promise<object[]> =>
  Promise.all(parts.map((part) => decide(part) ?? part));

/**
 * Passed on as it comes, until there is a call that hooks decide: what follows waits for them, so that calls of one answer are
 * decided at the same time. Before the last part hooks see the whole; what they would have changed is an error. It is read part
 * by part, which costs a third of what a TransformStream does.
 */
export const passedOn = (source: ReadableStream<unknown>, { finish, decide }: StreamHooks): ReadableStream<unknown> => {
  const parts: StreamPart[] = [];
  const waiting: (object | Promise<object>)[] = [];
  const reader = source.getReader();

  /** The last part, or what stands in its place, after all that waited. */
  const ended = async (part: StreamPart): Promise<unknown[]> => {
    if (!isComplete(parts)) return [...(await Promise.all(waiting.splice(0))), part];
    const whole = aiSdkTranslator.joinStream(parts);
    try {
      const [kept, ...calls] = await Promise.all([finish(whole), ...waiting.splice(0)]);
      return kept === whole ? [...calls, part] : failed(tooLate(), part);
    } catch (error) {
      return failed(error, part);
    }
  };

  return new ReadableStream<unknown>(
    {
      // Each call must give at least one part or the end, else the reader waits forever.
      pull: async (controller) => {
        for (;;) {
          const { done, value: part } = await reader.read();
          if (done) {
            for (const one of await Promise.all(waiting.splice(0))) controller.enqueue(one);
            return controller.close();
          }
          if (!isPart(part)) return controller.enqueue(part);
          parts.push(part);
          if (isFinish(part)) {
            for (const one of await ended(part)) controller.enqueue(one);
            return;
          }
          const decided = decide(part);
          if (decided === undefined && waiting.length === 0) return controller.enqueue(part);
          decided?.catch(() => undefined);
          waiting.push(decided ?? part);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
};
