/**
 * The shapes of the language model specification of the Vercel AI SDK (v3 of its version 6, v4 of 7) that the translator
 * reads and writes, by structure; see `openai-chat/sdk-types.ts`.
 */
export interface CallTools {
  readonly tools?: readonly object[];
  readonly toolChoice?: object;
}

export interface SdkCallOptions extends CallTools {
  readonly prompt: readonly object[];
  /** Not the SDK's: the adapter tells hooks by it which model is asked. */
  readonly model?: string;
}

export interface GenerateResult {
  readonly content: readonly object[];
  readonly finishReason: object | string;
  readonly usage: object;
  readonly warnings: readonly object[];
}

export interface StreamPart {
  readonly type: string;
}
