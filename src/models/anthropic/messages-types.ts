/** The shapes of the Messages API that the translator reads and writes, by structure; see `openai-chat/sdk-types.ts`. */
export interface MessagesTools {
  readonly tools?: readonly object[];
  readonly tool_choice?: object;
}

export interface MessagesRequest extends MessagesTools {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly object[];
}

export interface MessagesResponse {
  readonly content: readonly object[];
  readonly stop_reason: string | null;
  readonly usage: object;
}

/** One event of a streamed message. */
export interface MessagesEvent {
  readonly type: string;
}
