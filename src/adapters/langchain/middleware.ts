import { type AgentMiddleware, createMiddleware } from 'langchain';
import type { Hooks } from '../../facade/index.ts';
import { expectHooks } from '../core/hooks-given.ts';
import { type AgentModel, ModelCalls } from './model-call.ts';
import { hookedCall } from './tool-call.ts';
import { afterTurn, beforeTurn } from './turns.ts';

export interface HooksMiddlewareOptions {
  /**
   * What becomes of the tokens of a streamed answer while AfterModel hooks have not seen the whole of it. `hold`: who streams
   * messages gets it when they have spoken. `live`: as they come, and what hooks change is what the agent keeps. `auto` when left out: held while there are AfterModel hooks.
   */
  readonly stream?: 'auto' | 'hold' | 'live' | undefined;
  /** The model to ask when a hook names another one. Without it such a call is refused with an error. */
  readonly modelFor?: ((modelId: string) => AgentModel | undefined) | undefined;
  /**
   * What becomes of an error of a tool: `message`, when left out, tells the model, as an agent without middleware does; `throw`
   * throws it, for a middleware before this one that tries again.
   */
  readonly toolErrors?: 'message' | 'throw' | undefined;
}

/**
 * Middleware for `createAgent` that puts hooks around prompts, calls of the model and tool calls. It stands first in the list,
 * so that hooks have the last word on what a tool is given and what becomes of its result.
 */
export const hooksMiddleware = (hooks: Hooks, options: HooksMiddlewareOptions = {}): AgentMiddleware => {
  expectHooks('hooksMiddleware', hooks);
  const { stream = 'auto', modelFor, toolErrors = 'message' } = options;
  const models = new ModelCalls(hooks, { stream, modelFor });
  return createMiddleware({
    name: 'hookwright',
    beforeAgent: {
      canJumpTo: ['end'],
      hook: ({ messages }, { signal }) => beforeTurn(hooks, { messages, signal }),
    },
    wrapModelCall: (request, handler) => models.call(request, handler),
    wrapToolCall: (request, handler) => hookedCall(hooks, request, handler, { errors: toolErrors }),
    afterAgent: {
      canJumpTo: ['model'],
      hook: ({ messages }, { signal }) => afterTurn(hooks, { messages, signal }),
    },
  });
};
