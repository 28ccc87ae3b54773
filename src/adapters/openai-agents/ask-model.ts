import type { Model, ModelRequest } from '@openai/agents';
import { HookwrightError } from '../../errors.ts';
import { describeValue } from '../../kit/index.ts';
import type { AskModel } from '../../protocol/index.ts';
import { textsIn } from './hooked-model.ts';

/** A model of the OpenAI Agents SDK as the `askModel` of an engine: it answers hooks of type `prompt`. */
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
    return textsIn(await model.getResponse(request)).join('');
  };
};
