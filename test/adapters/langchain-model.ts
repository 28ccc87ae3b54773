import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel, type BindToolsInput } from '@langchain/core/language_models/chat_models';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { AIMessage, AIMessageChunk, type BaseMessage } from 'langchain';

/** What a model is sent: the messages, and what was bound to the call. */
export interface Asked {
  readonly messages: readonly BaseMessage[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Gives an answer, or the pieces of one. */
export interface Answers {
  readonly answer: (asked: Asked) => AIMessage | Promise<AIMessage>;
  readonly pieces?: (asked: Asked) => AsyncIterable<string> | Iterable<string>;
}

/** A chat model as providers write theirs: tools and settings are bound to it, and it streams. */
export class StubModel extends BaseChatModel {
  readonly asked: Asked[] = [];
  readonly model = 'stub';
  readonly #answers: Answers;

  constructor(answers: Answers) {
    super({});
    this.#answers = answers;
  }

  _llmType(): string {
    return 'stub';
  }

  override bindTools(tools: BindToolsInput[], settings?: Partial<this['ParsedCallOptions']>) {
    const bound: object = { ...settings, tools };
    return this.withConfig(bound);
  }

  async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const message = await this.#answers.answer(this.#note(messages, options));
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const asked = this.#note(messages, options);
    const { pieces } = this.#answers;
    if (pieces === undefined) {
      const { content, tool_calls: calls = [] } = await this.#answers.answer(asked);
      const tool_call_chunks = calls.map(({ name, args, id }, index) => ({
        name,
        args: JSON.stringify(args),
        index,
        ...(id === undefined ? {} : { id }),
      }));
      yield new ChatGenerationChunk({ text: '', message: new AIMessageChunk({ content, tool_call_chunks }) });
      return;
    }
    for await (const text of pieces(asked)) {
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      await run?.handleLLMNewToken(text);
    }
  }

  #note(messages: readonly BaseMessage[], options: object): Asked {
    const asked = { messages: [...messages], options: { ...options } };
    this.asked.push(asked);
    return asked;
  }
}

/** Gives these answers one after the other. */
export const saying = (...answers: AIMessage[]): StubModel => {
  const next = (): AIMessage => {
    const answer = answers.shift();
    if (answer === undefined) throw new Error('the model was asked once too often');
    return answer;
  };
  return new StubModel({ answer: next });
};

export const said = (content: string): AIMessage => new AIMessage(content);

export const calling = (...calls: readonly { name: string; args: Record<string, unknown>; id?: string }[]): AIMessage =>
  new AIMessage({
    content: '',
    tool_calls: calls.map(({ id, ...call }, index) => ({ ...call, id: id ?? `call_${index + 1}`, type: 'tool_call' })),
  });
