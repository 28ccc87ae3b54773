import { isRecord } from '../../kit/index.ts';
import type { AskModel } from '../../protocol/index.ts';
import { expectModel, type LanguageModelLike } from './model.ts';

/** A language model of the AI SDK as the `askModel` of an engine: it answers hooks of type `prompt`. */
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
