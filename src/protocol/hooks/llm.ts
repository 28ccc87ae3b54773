import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';
import { listOf } from './list-of.ts';

/**
 * The model's request and response as hooks see them: text only, the same whatever SDK the agent uses. Unknown keys of
 * `config` pass through, so a hook can set an option this library has never heard of.
 */
export const llmMessageSchema = once(() =>
  z.object({ role: z.enum(['user', 'model', 'system']), content: z.string() }),
);

export const hookToolConfigSchema = once(() =>
  z.object({
    mode: z.optional(z.enum(['AUTO', 'ANY', 'NONE'])),
    allowedFunctionNames: z.optional(listOf(z.string())),
  }),
);

export const llmRequestSchema = once(() =>
  z.looseObject({
    model: z.string(),
    messages: listOf(llmMessageSchema()),
    config: z.optional(
      z.looseObject({
        temperature: z.optional(z.number()),
        maxOutputTokens: z.optional(z.number()),
        topP: z.optional(z.number()),
        topK: z.optional(z.number()),
      }),
    ),
    toolConfig: z.optional(hookToolConfigSchema()),
  }),
);

export const finishReasons = ['STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'OTHER'] as const;

export const llmResponseSchema = once(() =>
  z.looseObject({
    text: z.optional(z.string()),
    candidates: listOf(
      z.looseObject({
        content: z.object({ role: z.literal('model'), parts: listOf(z.string()) }),
        finishReason: z.optional(z.enum(finishReasons)),
        index: z.optional(z.number()),
        safetyRatings: z.optional(listOf(z.object({ category: z.string(), probability: z.string() }))),
      }),
    ),
    usageMetadata: z.optional(
      z.object({
        promptTokenCount: z.optional(z.number()),
        candidatesTokenCount: z.optional(z.number()),
        totalTokenCount: z.optional(z.number()),
      }),
    ),
  }),
);

export type LLMMessage = z.infer<ReturnType<typeof llmMessageSchema>>;
export type HookToolConfig = z.infer<ReturnType<typeof hookToolConfigSchema>>;
export type LLMRequest = z.infer<ReturnType<typeof llmRequestSchema>>;
export type LLMResponse = z.infer<ReturnType<typeof llmResponseSchema>>;
