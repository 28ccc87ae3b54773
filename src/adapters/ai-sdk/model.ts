import { HookwrightError } from '../../errors.ts';
import { expectGoing, type Hooks } from '../../facade/index.ts';
import { describeValue, isRecord } from '../../kit/index.ts';
import { aiSdkTranslatorOf, type GenerateResult, type SdkCallOptions } from '../../models/translators.ts';
import { expectHooks } from '../core/hooks-given.ts';
import { type AdapterModelCall, afterModelCall, beforeModelCall } from '../core/model-call.ts';
import { standIn } from '../core/stand-in.ts';
import { stoppedText, takeStopped } from '../core/stopped-calls.ts';
import { sharedCallsOf } from './shared-calls.ts';
import { allDecided, heldBack, passedOn, type StreamHooks, streamOf } from './stream.ts';

/** A language model of the AI SDK, by structure: specification 3 of its version 6, and 4 of 7. */
export interface LanguageModelLike {
  readonly specificationVersion: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<object>;
  doStream(options: never): PromiseLike<object>;
}

export interface HookedModelOptions {
  /**
   * When a streamed answer is shown while AfterModel hooks still wait for the rest of it. `hold`: parts are held back
   * until the hooks have answered, so that they can change it. `live`: parts are passed on at once; what hooks change
   * or remove afterwards becomes an error of the stream. `auto`, the default: `hold` if there are AfterModel hooks,
   * else `live`.
   */
  readonly stream?: 'auto' | 'hold' | 'live' | undefined;
  /** The model to ask when a hook names another one. Without it such a call is refused with an error. */
  readonly modelFor?: ((modelId: string) => LanguageModelLike | undefined) | undefined;
}

export const expectModel = (taker: string, model: unknown): void => {
  if (isRecord(model) && typeof model.doGenerate === 'function' && typeof model.doStream === 'function') return;
  const hint = typeof model === 'string' ? `; make one of the name, such as gateway("${model}")` : '';
  throw new HookwrightError('invalid_argument', `${taker} takes a language model; got ${describeValue(model)}${hint}`);
};

/** The tool calls whose results the model is to be told, at the end of the conversation. */
function* answeredCalls({ prompt }: SdkCallOptions): Iterable<string> {
  for (const message of [...prompt].reverse()) {
    const { role, content }: Readonly<Record<string, unknown>> = { ...message };
    if (role !== 'tool' || !Array.isArray(content)) return;
    for (const part of content) if (isRecord(part) && typeof part.toolCallId === 'string') yield part.toolCallId;
  }
}

/** A hook may name another model; a provider is not told of it in the request. */
const withoutModel = ({ model, ...request }: SdkCallOptions): SdkCallOptions => request;

const isResult = (value: unknown): value is GenerateResult =>
  isRecord(value) && Array.isArray(value.content) && isRecord(value.usage);

const isCallOptions = (value: unknown): value is SdkCallOptions => isRecord(value) && Array.isArray(value.prompt);

const signalOf = (options: SdkCallOptions): AbortSignal | undefined => {
  const signal: unknown = Reflect.get(options, 'abortSignal');
  return signal instanceof AbortSignal ? signal : undefined;
};

const broken = (method: string, found: unknown): HookwrightError =>
  new HookwrightError(
    'not_supported',
    `the model's ${method} was expected to deal in the AI SDK's types; found ${describeValue(found)}`,
  );

/**
 * The model with hooks around it: BeforeToolSelection and BeforeModel before each call, AfterModel once with the complete
 * answer. It goes wherever the model went. A call that hooks block rejects with a `HookwrightError` of the code `blocked`.
 */
export const hookedModel = <M extends LanguageModelLike>(
  hooks: Hooks,
  model: M,
  options: HookedModelOptions = {},
): M => {
  expectHooks('hookedModel', hooks);
  expectModel('hookedModel', model);
  const { stream = 'auto', modelFor } = options;
  const translator = aiSdkTranslatorOf(model.modelId);

  const stoppedAnswer = (request: SdkCallOptions): GenerateResult | undefined => {
    const why = takeStopped(hooks, () => answeredCalls(request));
    if (why === undefined) return undefined;
    const content = { role: 'model' as const, parts: [stoppedText(why)] };
    return translator.fromHookLLMResponse({ candidates: [{ content, finishReason: 'STOP' }] });
  };

  const callOf = (request: SdkCallOptions): AdapterModelCall<SdkCallOptions, GenerateResult> => ({
    request: () => request,
    translator,
    signal: signalOf(request),
  });

  const calls = sharedCallsOf(hooks);
  const decideFor =
    (request: SdkCallOptions): StreamHooks['decide'] =>
    (part) =>
      calls.decide(part, signalOf(request));

  const prepare = async (options: unknown, method: string) => {
    if (!isCallOptions(options)) throw broken(method, options);
    const prompt = calls.toldOf(options.prompt);
    const given = prompt === options.prompt ? options : { ...options, prompt };
    const stopped = stoppedAnswer(given);
    if (stopped !== undefined) return { given, request: given, response: stopped };
    const { request = given, response } = (await beforeModelCall(hooks, callOf(given))) ?? {};
    return { given, request, response };
  };

  const ask = async (
    method: 'doGenerate' | 'doStream',
    request: SdkCallOptions,
    given: SdkCallOptions,
  ): Promise<unknown> => {
    if (request.model === undefined || request.model === given.model)
      return Reflect.apply(model[method], model, [request]);
    const other = modelFor?.(request.model);
    if (other !== undefined) return Reflect.apply(other[method], other, [withoutModel(request)]);
    const why = modelFor === undefined ? 'hookedModel was given no `modelFor`' : '`modelFor` has none of that name';
    throw new HookwrightError('not_supported', `A BeforeModel hook asks for the model "${request.model}", and ${why}`);
  };

  const doGenerate = async (given: unknown): Promise<object> => {
    const { given: asked, request, response } = await prepare(given, 'doGenerate');
    if (response !== undefined) return response;
    const result = await ask('doGenerate', request, asked);
    if (!isResult(result)) throw broken('doGenerate', result);
    const kept = await afterModelCall(hooks, callOf(request), result);
    const decide = decideFor(request);
    const content = await allDecided(kept.content, decide);
    expectGoing(signalOf(request));
    return content.every((part, index) => part === kept.content[index]) ? kept : { ...kept, content };
  };

  const isHeld = (): boolean => stream === 'hold' || (stream === 'auto' && hooks.system.wouldRun('AfterModel'));

  const doStream = async (given: unknown): Promise<object> => {
    const { given: asked, request, response } = await prepare(given, 'doStream');
    if (response !== undefined) return { stream: streamOf(response) };
    const result = await ask('doStream', request, asked);
    if (!isRecord(result) || !(result.stream instanceof ReadableStream)) throw broken('doStream', result);
    const finish = (whole: GenerateResult): Promise<GenerateResult> => afterModelCall(hooks, callOf(request), whole);
    const stream = (isHeld() ? heldBack : passedOn)(result.stream, { finish, decide: decideFor(request) });
    return { ...result, stream };
  };

  const hooked = new Map<PropertyKey, unknown>([
    ['doGenerate', doGenerate],
    ['doStream', doStream],
  ]);
  return standIn(model, hooked);
};
