import { HookTranslatorGenAIv1 } from '../../src/models/index.ts';
import type { LLMMessage, LLMRequest } from '../../src/protocol/index.ts';
import { deepFreeze } from './support.ts';

export const translator = new HookTranslatorGenAIv1();

export const user = (content: string): LLMMessage => ({ role: 'user', content });

export const model = (content: string): LLMMessage => ({ role: 'model', content });

export const say = (role: string, ...texts: string[]) => ({ role, parts: texts.map((text) => ({ text })) });

export const chat = (...contents: object[]) => deepFreeze({ model: 'gemini', contents });

export const withMessages = (...messages: LLMMessage[]): LLMRequest => ({ model: 'gemini', messages });

export const catchError = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};
