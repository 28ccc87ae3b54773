// Services of the host that hooks use: its model for `prompt` hooks, its MCP clients for `mcp` hooks.
export interface ModelQuestion {
  /** The event is part of the prompt, marked as data. */
  readonly prompt: string;
  /** Tells the model its role and the form of its answer. */
  readonly system?: string;
  /** JSON Schema of the expected answer. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Sends a prompt to the host's model. Returns the model's text, or the JSON value in it. */
export type AskModel = (question: ModelQuestion) => unknown;

/** A connected client of an MCP server, in the shape of `Client` of `@modelcontextprotocol/sdk`. */
export interface McpToolClient {
  callTool(
    call: { name: string; arguments?: Record<string, unknown> },
    resultSchema?: undefined,
    options?: { signal?: AbortSignal; timeout?: number },
  ): Promise<unknown>;
}

/** Server name, as hooks write it → client. */
export type McpClients = Readonly<Record<string, McpToolClient>>;

export interface HostServices {
  /** Runs hooks of type `prompt`. `fromLanguageModel(model)` of an adapter creates this function from a model. */
  readonly askModel?: AskModel | undefined;
  readonly mcp?: McpClients | undefined;
}
