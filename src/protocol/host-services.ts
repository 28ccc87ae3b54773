/** What a hook asks the host's model. */
export interface ModelQuestion {
  /** What is asked, the event included and marked as data. */
  readonly prompt: string;
  /** What the model is there for, and the form of its answer. */
  readonly system?: string;
  /** JSON Schema of the answer. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Aborts at the timeout of the hook and when the request is cancelled. */
  readonly signal: AbortSignal;
}

/** Asks a model of the host. It gives the text of the model's answer, or the JSON value in it. */
export type AskModel = (question: ModelQuestion) => unknown;

/** A connected client of an MCP server. `Client` of `@modelcontextprotocol/sdk` fits as it is. */
export interface McpToolClient {
  callTool(
    call: { name: string; arguments?: Record<string, unknown> },
    resultSchema?: undefined,
    options?: { signal?: AbortSignal; timeout?: number },
  ): Promise<unknown>;
}

/** The host's MCP clients, by the names that hooks call their servers. */
export type McpClients = Readonly<Record<string, McpToolClient>>;

/** What hooks may use of the host, beside the machine. */
export interface HostServices {
  /** Answers hooks of type `prompt`. `fromLanguageModel(model)` of the adapters makes one of a model. */
  readonly askModel?: AskModel | undefined;
  /** Where hooks of type `mcp` call their tools. */
  readonly mcp?: McpClients | undefined;
}
