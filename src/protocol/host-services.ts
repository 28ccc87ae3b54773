// Services of the host that hooks use: its model and its MCP clients.
/** A request of a hook to the host's model. */
export interface ModelQuestion {
  /** The prompt, including the event, which is marked as data. */
  readonly prompt: string;
  /** Instructions about the role of the model and the form of its answer. */
  readonly system?: string;
  /** JSON Schema of the answer. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Aborts at the timeout of the hook and when the request is cancelled. */
  readonly signal: AbortSignal;
}

/** Sends a prompt to a model of the host. Returns the text of its answer, or the JSON value in it. */
export type AskModel = (question: ModelQuestion) => unknown;

/** A connected client of an MCP server. `Client` of `@modelcontextprotocol/sdk` has this shape. */
export interface McpToolClient {
  callTool(
    call: { name: string; arguments?: Record<string, unknown> },
    resultSchema?: undefined,
    options?: { signal?: AbortSignal; timeout?: number },
  ): Promise<unknown>;
}

/** MCP clients by the server names that hooks use. */
export type McpClients = Readonly<Record<string, McpToolClient>>;

/** Services of the host for hooks. */
export interface HostServices {
  /** Runs hooks of type `prompt`. `fromLanguageModel(model)` of the adapters creates one from a model. */
  readonly askModel?: AskModel | undefined;
  /** MCP clients for hooks of type `mcp`. */
  readonly mcp?: McpClients | undefined;
}
