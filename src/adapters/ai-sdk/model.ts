// Wraps a language model of the Vercel AI SDK with hooks.
import { HookwrightError } from '../../errors.ts';
import { expectNotAborted, type Hooks } from '../../facade/index.ts';
import { describeValue, isRecord, type Members } from '../../kit/index.ts';
import {
  aiSdkTranslator,
  aiSdkTranslatorOf,
  type GenerateResult,
  type SdkCallOptions,
  type StreamPart,
} from '../../models/translators.ts';
import type { AskModel } from '../../protocol/index.ts';
import {
  type AdapterModelCall,
  createTooLateError,
  findModelByName,
  finishModelCall,
  mustHoldBack,
  prepareModelCall,
  type StreamMode,
} from '../core/model-call.ts';
import { createBlockedError, formatStop, takeStopReason } from '../core/stopped-calls.ts';
import { createProxy, expectHooks } from '../core/wrapping.ts';
import { getSharedCalls } from './shared-calls.ts';

/** A language model of the AI SDK, by structure: specification 3 (version 6) or 4 (version 7). */
export interface LanguageModelLike {
  readonly specificationVersion: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<object>;
  doStream(options: never): PromiseLike<object>;
}

export interface HookedModelOptions {
  /**
   * Streamed answers: `hold` holds them back until AfterModel hooks have seen the end, `live` passes them on, and a
   * later change or denial is an error of the stream. Default `auto`: `hold` if there are AfterModel hooks.
   */
  readonly stream?: StreamMode | undefined;
  /** Returns the model for a name that a hook sets. Without `modelFor`, such a call is an error. */
  readonly modelFor?: ((modelId: string) => LanguageModelLike | undefined) | undefined;
}

const expectModel = (taker: string, model: unknown): void => {
  if (isRecord(model) && typeof model.doGenerate === 'function' && typeof model.doStream === 'function') return;
  const hint = typeof model === 'string' ? `; make one of the name, such as gateway("${model}")` : '';
  throw new HookwrightError('invalid_argument', `${taker} takes a language model; got ${describeValue(model)}${hint}`);
};

function* findAnsweredCalls({ prompt }: SdkCallOptions): Iterable<string> {
  for (const message of [...prompt].reverse()) {
    const { role, content }: Members = { ...message };
    if (role !== 'tool' || !Array.isArray(content)) return;
    for (const part of content) if (isRecord(part) && typeof part.toolCallId === 'string') yield part.toolCallId;
  }
}

const removeModel = ({ model, ...request }: SdkCallOptions): SdkCallOptions => request;

const isResult = (value: unknown): value is GenerateResult =>
  isRecord(value) && Array.isArray(value.content) && isRecord(value.usage);

const isCallOptions = (value: unknown): value is SdkCallOptions => isRecord(value) && Array.isArray(value.prompt);

const readSignal = (options: SdkCallOptions): AbortSignal | undefined => {
  const signal: unknown = Reflect.get(options, 'abortSignal');
  return signal instanceof AbortSignal ? signal : undefined;
};

const createUnexpectedTypeError = (method: string, found: unknown): HookwrightError =>
  new HookwrightError(
    'not_supported',
    `the model's ${method} was expected to deal in the AI SDK's types; found ${describeValue(found)}`,
  );

/**
 * Wraps a model with hooks: BeforeToolSelection and BeforeModel before each call, AfterModel once with the complete
 * answer. A denied call rejects with a `HookwrightError` of the code `blocked`.
 */
export const hookedModel = <M extends LanguageModelLike>(
  hooks: Hooks,
  model: M,
  options: HookedModelOptions = {},
): M => {
  expectHooks('hookedModel', hooks);
  expectModel('hookedModel', model);
  const { stream: mode = 'auto', modelFor } = options;
  const translator = aiSdkTranslatorOf(model.modelId);

  const stoppedAnswer = (request: SdkCallOptions): GenerateResult | undefined => {
    const why = takeStopReason(hooks, () => findAnsweredCalls(request));
    if (why === undefined) return undefined;
    const content = { role: 'model' as const, parts: [formatStop(why)] };
    return translator.fromHookLLMResponse({ candidates: [{ content, finishReason: 'STOP' }] });
  };

  const callOf = (request: SdkCallOptions): AdapterModelCall<SdkCallOptions, GenerateResult> => ({
    request: () => request,
    translator,
    signal: readSignal(request),
  });

  const calls = getSharedCalls(hooks);
  const decideFor =
    (request: SdkCallOptions): StreamHooks['decide'] =>
    (part) =>
      calls.decide(part, readSignal(request));

  const prepare = async (options: unknown, method: string) => {
    if (!isCallOptions(options)) throw createUnexpectedTypeError(method, options);
    const prompt = calls.restoreDeniedCalls(options.prompt);
    const given = prompt === options.prompt ? options : { ...options, prompt };
    const stopped = stoppedAnswer(given);
    if (stopped !== undefined) return { given, request: given, response: stopped };
    const { request = given, response } = (await prepareModelCall(hooks, callOf(given))) ?? {};
    return { given, request, response };
  };

  const callModel = async (
    method: 'doGenerate' | 'doStream',
    request: SdkCallOptions,
    given: SdkCallOptions,
  ): Promise<unknown> => {
    if (request.model === undefined || request.model === given.model)
      return Reflect.apply(model[method], model, [request]);
    const other = findModelByName('hookedModel', modelFor, request.model);
    return Reflect.apply(other[method], other, [removeModel(request)]);
  };

  const doGenerate = async (given: unknown): Promise<object> => {
    const { given: original, request, response } = await prepare(given, 'doGenerate');
    if (response !== undefined) return response;
    const result = await callModel('doGenerate', request, original);
    if (!isResult(result)) throw createUnexpectedTypeError('doGenerate', result);
    const kept = await finishModelCall(hooks, callOf(request), result);
    const decide = decideFor(request);
    const content = await decideParts(kept.content, decide);
    expectNotAborted(readSignal(request));
    return content.every((part, index) => part === kept.content[index]) ? kept : { ...kept, content };
  };

  const doStream = async (given: unknown): Promise<object> => {
    const { given: original, request, response } = await prepare(given, 'doStream');
    if (response !== undefined) return { stream: toStream(response) };
    const result = await callModel('doStream', request, original);
    if (!isRecord(result) || !(result.stream instanceof ReadableStream))
      throw createUnexpectedTypeError('doStream', result);
    const finish = (whole: GenerateResult): Promise<GenerateResult> => finishModelCall(hooks, callOf(request), whole);
    const stream = (mustHoldBack(hooks, mode, 'AfterModel') ? holdBackStream : passOnStream)(result.stream, {
      finish,
      decide: decideFor(request),
      isJudged: () => hooks.system.wouldRun('AfterModel'),
    });
    return { ...result, stream };
  };

  const hooked = new Map<PropertyKey, unknown>([
    ['doGenerate', doGenerate],
    ['doStream', doStream],
  ]);
  return createProxy(model, hooked);
};

interface StreamHooks {
  readonly finish: (whole: GenerateResult) => Promise<GenerateResult>;
  readonly decide: (part: object) => Promise<object> | undefined;
  readonly isJudged: () => boolean;
}

const isStreamPart = (value: unknown): value is StreamPart => isRecord(value) && typeof value.type === 'string';

function* toStreamParts(result: GenerateResult): Iterable<Members> {
  const { content, finishReason, usage, warnings } = result;
  const { response, providerMetadata }: Members = { ...result };
  yield { type: 'stream-start', warnings };
  if (isRecord(response)) {
    const { headers, body, ...metadata } = response;
    yield { type: 'response-metadata', ...metadata };
  }
  for (const [index, item] of content.entries()) {
    const { type, text, ...others }: Members = { ...item };
    if (type !== 'text' && type !== 'reasoning') yield { ...item };
    else {
      const id = `hooked-${index}`;
      yield { type: `${type}-start`, id, ...others };
      yield { type: `${type}-delta`, id, delta: text };
      yield { type: `${type}-end`, id };
    }
  }
  yield { type: 'finish', finishReason, usage, ...(providerMetadata === undefined ? {} : { providerMetadata }) };
}

const toStream = (result: GenerateResult): ReadableStream<unknown> =>
  new ReadableStream({
    start: (controller) => {
      for (const part of toStreamParts(result)) controller.enqueue(part);
      controller.close();
    },
  });

const isFinishPart = (part: StreamPart): boolean => part.type === 'finish';

const createFailedEnd = (error: unknown, finish: StreamPart | undefined): unknown[] => [
  { type: 'error', error },
  ...(finish === undefined ? [] : [{ ...finish, finishReason: { unified: 'error', raw: undefined } }]),
];

const isErrorPart = (part: StreamPart): boolean => part.type === 'error';

/** Hooks do not see incomplete answers. */
const isComplete = (parts: readonly StreamPart[]): boolean => parts.some(isFinishPart) && !parts.some(isErrorPart);

/** Ends a stream that broke off without its content, which AfterModel hooks could not judge. */
const endBrokenStream = (parts: readonly StreamPart[]): unknown[] => {
  if (parts.some(isErrorPart)) return parts.filter((part) => isErrorPart(part) || isFinishPart(part));
  const reason = 'it broke off, so AfterModel hooks cannot judge it';
  return createFailedEnd(createBlockedError('AfterModel', 'Answer of the model', reason), undefined);
};

const holdBackStream = (
  source: ReadableStream<unknown>,
  { finish, decide, isJudged }: StreamHooks,
): ReadableStream<unknown> => {
  const parts: StreamPart[] = [];
  return source.pipeThrough(
    new TransformStream<unknown, unknown>({
      transform: (part) => {
        if (isStreamPart(part)) parts.push(part);
      },
      flush: async (controller) => {
        const pass = (all: Iterable<unknown>): void => {
          for (const part of all) controller.enqueue(part);
        };
        if (!isComplete(parts)) return pass(isJudged() ? endBrokenStream(parts) : parts);
        const whole = aiSdkTranslator.joinStream(parts);
        try {
          const kept = await finish(whole);
          pass(await decideParts(kept === whole ? parts : [...toStreamParts(kept)], decide));
        } catch (error) {
          pass(createFailedEnd(error, parts.find(isFinishPart)));
        }
      },
    }),
  );
};

const decideParts = (parts: readonly object[], decide: StreamHooks['decide']): Promise<object[]> =>
  Promise.all(parts.map((part) => decide(part) ?? part));

/**
 * Passes a stream on. While hooks decide a tool call, later parts are read but held back, so that the calls of one answer
 * are decided in parallel. Hooks see the complete answer when most of it has been sent, so changing it is an error.
 */
const passOnStream = (source: ReadableStream<unknown>, { finish, decide }: StreamHooks): ReadableStream<unknown> => {
  const parts: StreamPart[] = [];
  const waiting: (object | Promise<object>)[] = [];
  const reader = source.getReader();

  const ended = async (part: StreamPart): Promise<unknown[]> => {
    if (!isComplete(parts)) return [...(await Promise.all(waiting.splice(0))), part];
    const whole = aiSdkTranslator.joinStream(parts);
    try {
      const [kept, ...calls] = await Promise.all([finish(whole), ...waiting.splice(0)]);
      return kept === whole
        ? [...calls, part]
        : createFailedEnd(createTooLateError('hookedModel(hooks, model, { stream: "hold" })'), part);
    } catch (error) {
      return createFailedEnd(error, part);
    }
  };

  return new ReadableStream<unknown>(
    {
      // Each `pull` must enqueue a part or close the stream, or the reader waits forever.
      pull: async (controller) => {
        for (;;) {
          const { done, value: part } = await reader.read();
          if (done) {
            for (const one of await Promise.all(waiting.splice(0))) controller.enqueue(one);
            return controller.close();
          }
          if (!isStreamPart(part)) return controller.enqueue(part);
          parts.push(part);
          if (isFinishPart(part)) {
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

/** Turns a language model of the AI SDK into `askModel` of an engine, which answers hooks of type `prompt`. */
export const fromLanguageModel = (model: LanguageModelLike): AskModel => {
  expectModel('fromLanguageModel', model);
  return async ({ prompt, system, signal }) => {
    const user = { role: 'user', content: [{ type: 'text', text: prompt }] };
    const messages = system === undefined ? [user] : [{ role: 'system', content: system }, user];
    const options = { prompt: messages, responseFormat: { type: 'json' }, abortSignal: signal };
    const result: unknown = await Reflect.apply(model.doGenerate, model, [options]);
    const content = isRecord(result) && Array.isArray(result.content) ? result.content : [];
    return content.flatMap((part) => (isRecord(part) && part.type === 'text' ? [part.text] : [])).join('');
  };
};
