// Wraps a model of the OpenAI Agents SDK with hooks.
import {
  type Model,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  type StreamEvent,
  Usage,
} from '@openai/agents';
import { HookwrightError } from '../../errors.ts';
import type { Hooks } from '../../facade/index.ts';
import { describeValue, isRecord, type Members, once } from '../../kit/index.ts';
import { copyWithPrototype } from '../../models/index.ts';
import { type AgentsRequest, type AgentsResponse, openaiAgentsTranslatorOf } from '../../models/translators.ts';
import type { AskModel } from '../../protocol/index.ts';
import {
  type AdapterModelCall,
  applySettingChanges,
  createTooLateError,
  finishModelCall,
  mustHoldBack,
  pickSettings,
  prepareModelCall,
  type StreamMode,
} from '../core/model-call.ts';
import { formatStop, takeStopReason } from '../core/stopped-calls.ts';
import { removeOwnData } from './agent-calls.ts';

interface HookedModelSettings {
  readonly model: Model | string;
  readonly provider: () => ModelProvider;
  readonly stream: StreamMode;
  readonly decide: <Item extends object>(
    items: readonly Item[],
    signal: AbortSignal | undefined,
  ) => Promise<readonly Item[]>;
  readonly asModelWrote: <Item extends object>(items: readonly Item[]) => readonly Item[];
  readonly isHidden: (toolName: string) => boolean;
}

const toolResultTypes = [
  'function_call_result',
  'shell_call_output',
  'apply_patch_call_output',
  'computer_call_result',
];

function* findAnsweredCalls(input: AgentsRequest['input']): Iterable<string> {
  if (typeof input === 'string') return;
  for (const item of [...input].reverse()) {
    const { type, callId }: Members = { ...item };
    if (!toolResultTypes.includes(String(type)) || typeof callId !== 'string') return;
    yield callId;
  }
}

const readTexts = ({ output }: AgentsResponse): string[] =>
  output.flatMap((item) => {
    const { content }: Members = { ...item };
    return Array.isArray(content)
      ? content.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []))
      : [];
  });

const isModelResponse = (value: AgentsResponse): value is ModelResponse => value.usage instanceof Usage;

export class HookedModel implements Model {
  readonly #hooks: Hooks;
  readonly #source: HookedModelSettings;
  readonly #translator: ReturnType<typeof openaiAgentsTranslatorOf>;

  constructor(hooks: Hooks, source: HookedModelSettings) {
    this.#hooks = hooks;
    this.#source = source;
    const { model } = source;
    this.#translator = openaiAgentsTranslatorOf(typeof model === 'string' && model !== '' ? model : 'default');
  }

  async getResponse(given: ModelRequest): Promise<ModelResponse> {
    const original = this.#removeOwnItems(given);
    const { view, request, model, response } = await this.#prepare(original);
    if (response !== undefined) return toModelResponse(response);
    const answer = await model.getResponse(request);
    const kept = await finishModelCall(this.#hooks, this.#callOf(view, original.signal), answer);
    const output = await this.#source.decide(kept.output, original.signal);
    return output === kept.output ? kept : { ...kept, output: [...output] };
  }

  async *getStreamedResponse(given: ModelRequest): AsyncIterable<StreamEvent> {
    const original = this.#removeOwnItems(given);
    const { view, request, model, response } = await this.#prepare(original);
    if (response !== undefined) return yield* toStreamEvents(response);
    const isHeld = mustHoldBack(this.#hooks, this.#source.stream, 'AfterModel');
    const held: StreamEvent[] = [];
    for await (const event of model.getStreamedResponse(request)) {
      if (event.type !== 'response_done') {
        if (isHeld) held.push(event);
        else yield event;
        continue;
      }
      const whole = this.#translator.joinStream([event]);
      const kept = await finishModelCall(this.#hooks, this.#callOf(view, original.signal), whole);
      if (kept !== whole && !isHeld) throw createTooLateError('hookedAgent(hooks, agent, { stream: "hold" })');
      if (kept !== whole) {
        yield* toStreamEvents({ ...kept, output: await this.#source.decide(kept.output, original.signal) });
      } else {
        yield* held.splice(0);
        const output = await this.#source.decide(event.response.output, original.signal);
        yield { ...event, response: { ...event.response, output: [...output] } };
      }
    }
  }

  #removeOwnItems(request: ModelRequest): ModelRequest {
    const { asModelWrote, isHidden } = this.#source;
    const { input } = request;
    const items = typeof input === 'string' ? input : removeOwnData(asModelWrote(input));
    const isOffered = request.tools.some(({ name }) => isHidden(name));
    if (items === input && !isOffered) return request;
    const tools = isOffered ? request.tools.filter(({ name }) => !isHidden(name)) : request.tools;
    return Object.assign({}, request, { input: items, tools });
  }

  #callOf(
    request: () => AgentsRequest,
    signal: AbortSignal | undefined,
  ): AdapterModelCall<AgentsRequest, AgentsResponse> {
    return { request, translator: this.#translator, signal };
  }

  async #prepare(original: ModelRequest) {
    const seen = once(() => toAgentsRequest(original));
    const stopped = takeStopReason(this.#hooks, () => findAnsweredCalls(original.input));
    if (stopped !== undefined) {
      const content = { role: 'model' as const, parts: [formatStop(stopped)] };
      const response = this.#translator.fromHookLLMResponse({ candidates: [{ content }] });
      return { view: seen, request: original, model: await this.#modelFor(undefined), response };
    }
    const prepared = await prepareModelCall(this.#hooks, this.#callOf(seen, original.signal));
    if (prepared === undefined) {
      return { view: seen, request: original, model: await this.#modelFor(undefined), response: undefined };
    }
    const { request: view, response } = prepared;
    const model = await this.#modelFor(response === undefined ? view.model : undefined);
    return { view: () => view, request: applyRequestChanges(original, seen(), view), model, response };
  }

  async #modelFor(wanted: string | undefined): Promise<Model> {
    const { model, provider } = this.#source;
    if (typeof model === 'string') return provider().getModel(wanted ?? (model === '' ? undefined : model));
    if (wanted === undefined) return model;
    throw new HookwrightError(
      'not_supported',
      `A BeforeModel hook asks for the model "${wanted}", and the agent has a model and not the name of one`,
    );
  }
}

const toModelResponse = (response: AgentsResponse): ModelResponse => {
  const given: AgentsResponse = { ...response, usage: new Usage() };
  if (isModelResponse(given)) return given;
  throw new HookwrightError('internal_error', 'unreachable: the usage is one');
};

const isStreamEvent = (event: { readonly type: string }): event is StreamEvent => event.type === 'response_done';

function* toStreamEvents(response: AgentsResponse): Iterable<StreamEvent> {
  for (const delta of readTexts(response)) yield { type: 'output_text_delta', delta };
  const { output } = toModelResponse(response);
  const { responseId }: Members = { ...response };
  const id = typeof responseId === 'string' ? responseId : 'hookwright';
  const { inputTokens, outputTokens, totalTokens } = new Usage(response.usage);
  const done = { type: 'response_done', response: { id, output, usage: { inputTokens, outputTokens, totalTokens } } };
  if (isStreamEvent(done)) yield done;
}

const settingNames = ['temperature', 'topP', 'maxTokens', 'presencePenalty', 'frequencyPenalty', 'toolChoice'] as const;

const readSettings = (request: object): Members => {
  const { modelSettings }: Members = { ...request };
  return isRecord(modelSettings) ? modelSettings : {};
};

const toAgentsRequest = <R extends AgentsRequest>(request: R): AgentsRequest => {
  const { input, tools = [] } = request;
  return { input, tools, ...pickSettings(readSettings(request), settingNames) };
};

const applyRequestChanges = <R extends AgentsRequest>(request: R, before: AgentsRequest, after: AgentsRequest): R => {
  if (after === before) return request;
  const modelSettings = applySettingChanges(readSettings(request), settingNames, { ...before }, { ...after });
  return Object.assign(copyWithPrototype(request), {
    ...(after.input !== before.input && { input: after.input }),
    ...(after.tools !== before.tools && { tools: after.tools }),
    ...(modelSettings !== undefined && { modelSettings }),
  });
};

/** Turns a model of the OpenAI Agents SDK into `askModel` of an engine, which answers hooks of type `prompt`. */
export const fromLanguageModel = (model: Model): AskModel => {
  if (typeof model?.getResponse !== 'function') {
    const hint = typeof model === 'string' ? '; get one of the name from your model provider' : '';
    const message = `fromLanguageModel takes a model; got ${describeValue(model)}${hint}`;
    throw new HookwrightError('invalid_argument', message);
  }
  return async ({ prompt, system, signal }) => {
    const request: ModelRequest = {
      ...(system === undefined ? {} : { systemInstructions: system }),
      input: prompt,
      modelSettings: {},
      tools: [],
      outputType: 'text',
      handoffs: [],
      tracing: false,
      signal,
    };
    return readTexts(await model.getResponse(request)).join('');
  };
};
