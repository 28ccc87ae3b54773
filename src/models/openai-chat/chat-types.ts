/**
 * The shapes of Chat Completions that the translator reads and writes, by structure: the library needs no SDK at run time
 * or compile time, and servers that speak the same protocol are served too. What is only carried along is typed `object`.
 */
export interface ChatTools {
  readonly tools?: readonly object[];
  readonly tool_choice?: string | object;
}

export interface ChatRequest extends ChatTools {
  readonly model: string;
  readonly messages: readonly object[];
}

export interface ChatResponse {
  readonly object?: string;
  readonly choices: readonly object[];
  readonly usage?: object | null;
}

/** One piece of a streamed response. */
export interface ChatChunk {
  readonly choices: readonly object[];
  readonly usage?: object | null;
}
