// Services of the host for hooks: its model for `prompt` hooks, its MCP clients for `mcp` hooks.
export interface ModelQuestion {
  /** The hook's prompt, then the event, which is marked as data so that the model does not take it for instructions. */
  readonly prompt: string;
  readonly system?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Sends a prompt to the host's model; returns its text, or the JSON value in it. */
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
  /** Runs hooks of type `prompt`. The adapters create it with `fromLanguageModel(model)`. */
  readonly askModel?: AskModel | undefined;
  readonly mcp?: McpClients | undefined;
}
