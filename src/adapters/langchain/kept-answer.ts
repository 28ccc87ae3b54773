import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { ChatResult } from '@langchain/core/outputs';
import type { AIMessage } from 'langchain';

/** Gives one answer: callbacks that show messages to the users of an agent look at models, and at nothing else. */
class KeptAnswer extends BaseChatModel {
  readonly #answer: AIMessage;

  constructor(answer: AIMessage) {
    super({});
    this.#answer = answer;
  }

  _llmType(): string {
    return 'hookwright';
  }

  _generate(): Promise<ChatResult> {
    return Promise.resolve({ generations: [{ text: this.#answer.text, message: this.#answer }] });
  }
}

/** The answer, shown to whoever streams messages as if a model had given it: one that was held back, or that a hook gave. */
export const shownAs = async (answer: AIMessage): Promise<AIMessage> => {
  await new KeptAnswer(answer).invoke([]);
  return answer;
};
