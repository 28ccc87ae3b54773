import { AIMessage, type BaseMessage, ToolMessage, type WrapModelCallHook } from 'langchain';
import { HookwrightError } from '../../errors.ts';
import type { Hooks } from '../../facade/index.ts';
import { describeValue, isRecord, once, textOf } from '../../kit/index.ts';
import { type LangChainRequest, type LangChainResponse, langchainTranslator } from '../../models/translators.ts';
import { type AdapterModelCall, afterModelCall, beforeModelCall } from '../core/model-call.ts';
import { stoppedText, takeStopped } from '../core/stopped-calls.ts';
import { shownAs } from './kept-answer.ts';
import { marked, retold, textIn } from './messages.ts';
import { type AgentRequest, fromView, viewOf } from './request-view.ts';

export type AgentModel = AgentRequest['model'];
type Handler = Parameters<WrapModelCallHook>[1];

export interface ModelOptions {
  readonly stream: 'auto' | 'hold' | 'live';
  readonly modelFor: ((modelId: string) => AgentModel | undefined) | undefined;
}

/** The tool calls whose results the model is to be told, at the end of the conversation. */
function* answeredCalls(messages: readonly BaseMessage[]): Iterable<string> {
  for (const message of [...messages].reverse()) {
    if (!ToolMessage.isInstance(message)) return;
    yield message.tool_call_id;
  }
}

const finishOf = ({ response_metadata: metadata = {} }: AIMessage): string | undefined =>
  textOf(metadata.finish_reason) ?? textOf(metadata.stop_reason) ?? textOf(metadata.finishReason);

const shown = (answer: AIMessage): LangChainResponse => {
  const finish = finishOf(answer);
  return { content: answer.content, usage: answer.usage_metadata ?? {}, ...(finish === undefined ? {} : { finish }) };
};

/** What the agent's own handler gives where an answer has to fit a schema: the answer is among its messages. */
const structuredAnswer = (answer: object): AIMessage | undefined => {
  const messages: unknown = Reflect.get(answer, 'messages');
  return Array.isArray(messages) ? messages.find((message) => AIMessage.isInstance(message)) : undefined;
};

/** Callbacks that show tokens of a model to the users of the agent leave models with this tag alone. */
const HELD = 'nostream';

const held = (request: AgentRequest): AgentRequest => {
  const { model, modelSettings, responseFormat } = request;
  // A model that is bound to something is asked for structured answers in another way.
  if (responseFormat === undefined && isRecord(model) && typeof model.withConfig === 'function') {
    return { ...request, model: model.withConfig({ tags: [HELD] }) };
  }
  return { ...request, modelSettings: { ...modelSettings, tags: [HELD] } };
};

/** Asks the hooks before a call of the model, and shows them its answer. */
export class ModelCalls {
  readonly #hooks: Hooks;
  readonly #options: ModelOptions;

  constructor(hooks: Hooks, options: ModelOptions) {
    this.#hooks = hooks;
    this.#options = options;
  }

  async call(original: AgentRequest, handler: Handler): Promise<AIMessage> {
    const stopped = takeStopped(this.#hooks, () => answeredCalls(original.messages));
    if (stopped !== undefined) return shownAs(new AIMessage({ content: stoppedText(stopped), ...marked('stopped') }));
    const view = once(() => viewOf(original));
    const { signal } = original.runtime;
    const before = await beforeModelCall(this.#hooks, callOf(view, signal));
    if (before?.response !== undefined) return shownAs(new AIMessage({ content: textIn(before.response.content) }));
    const request = before === undefined ? original : this.#changed(original, view(), before.request);
    const isHeld = this.#isHeld();
    const answer = await handler(isHeld ? held(request) : request);
    const kept = await this.#after(callOf(before === undefined ? view : () => before.request, signal), answer);
    return isHeld && AIMessage.isInstance(kept) ? shownAs(kept) : kept;
  }

  async #after(call: AdapterModelCall<LangChainRequest, LangChainResponse>, answer: AIMessage): Promise<AIMessage> {
    const message = answer.type === 'ai' ? answer : structuredAnswer(answer);
    if (message === undefined) throw unknownAnswer(answer);
    const before = shown(message);
    const after = await afterModelCall(this.#hooks, call, before);
    if (after === before || after.content === before.content) return answer;
    if (message !== answer) throw structured();
    return retold(message, after.content);
  }

  #isHeld(): boolean {
    const { stream } = this.#options;
    return stream === 'auto' ? this.#hooks.system.wouldRun('AfterModel') : stream === 'hold';
  }

  #changed(original: AgentRequest, before: LangChainRequest, after: LangChainRequest): AgentRequest {
    const request = fromView(original, before, after);
    const wanted = after.model;
    if (wanted === undefined || wanted === before.model) return request;
    const { modelFor } = this.#options;
    const model = modelFor?.(wanted);
    if (model !== undefined) return { ...request, model };
    const why = modelFor === undefined ? 'hooksMiddleware was given no `modelFor`' : '`modelFor` has none of that name';
    throw new HookwrightError('not_supported', `A BeforeModel hook asks for the model "${wanted}", and ${why}`);
  }
}

const callOf = (
  request: () => LangChainRequest,
  signal: AbortSignal | undefined,
): AdapterModelCall<LangChainRequest, LangChainResponse> => ({ request, translator: langchainTranslator, signal });

const structured = (): HookwrightError =>
  new HookwrightError(
    'not_supported',
    'An AfterModel hook changed the text of a structured answer, which the agent had read already; hooks can only take it away',
  );

const unknownAnswer = (found: unknown): HookwrightError =>
  new HookwrightError('not_supported', `the model was expected to give an AIMessage; found ${describeValue(found)}`);
