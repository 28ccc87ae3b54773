/** The shapes of the Responses API that the translator reads and writes, by structure; see `openai-chat/sdk-types.ts`. */
export interface ResponsesTools {
  readonly tools?: readonly object[];
  readonly tool_choice?: string | object;
}

export interface ResponsesRequest extends ResponsesTools {
  readonly model?: string;
  readonly input?: string | readonly object[];
}

export interface ResponsesResponse {
  readonly output: readonly object[];
  readonly usage?: object;
  readonly output_text?: string;
}

/** One event of a streamed response. */
export interface ResponsesEvent {
  readonly type: string;
}
