import { HookwrightError } from '../../errors.ts';
import { describeValue } from '../../kit/index.ts';
import type { AskModel } from '../../protocol/index.ts';

/** A chat model of LangChain, by structure. */
export interface ChatModelLike {
  invoke(messages: never, options?: never): Promise<unknown>;
}

/** A chat model of LangChain as the `askModel` of an engine: it answers hooks of type `prompt`. */
export const fromLanguageModel = (model: ChatModelLike): AskModel => {
  if (typeof model?.invoke !== 'function') {
    const message = `fromLanguageModel takes a chat model; got ${describeValue(model)}`;
    throw new HookwrightError('invalid_argument', message);
  }
  return async ({ prompt, system, signal }) => {
    const user = { role: 'user', content: prompt };
    const messages = system === undefined ? [user] : [{ role: 'system', content: system }, user];
    const answer: unknown = await Reflect.apply(model.invoke, model, [messages, { signal }]);
    if (typeof answer !== 'object' || answer === null) return answer;
    return 'text' in answer ? answer.text : Reflect.get(answer, 'content');
  };
};
