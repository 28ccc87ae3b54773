/** What a hook said, in words of no agent. */
export interface Said {
  readonly decision?: 'allow' | 'ask' | 'deny' | undefined;
  readonly reason?: string | undefined;
  /** The agent is to stop altogether. */
  readonly stop?: { readonly reason?: string } | undefined;
  /** For the model. */
  readonly context?: string | undefined;
  /** For the user. */
  readonly message?: string | undefined;
  /** Other arguments for the tool, in the dialect's names. */
  readonly toolInput?: Readonly<Record<string, unknown>> | undefined;
  /** Another result in place of the tool's, in the agent's form; `null` if it is there and cannot be read. */
  readonly toolOutput?: unknown;
  /** That result counts for tools of MCP servers alone. */
  readonly isMcpOutput?: true | undefined;
  /** It said no more than a text, which some agents take for an `allow` that grants nothing. */
  readonly isText?: true | undefined;
  /** Variables for the hooks that come after it in the session. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** What merging as its agent does has to know besides, in a word of its pack. */
  readonly mark?: string | undefined;
  /** Whose settings the hook stands in: `project`, `user` or `system`. */
  readonly scope?: string | undefined;
  readonly suppressOutput?: boolean | undefined;
  /** Members of `hookSpecificOutput` that mean the same to us, such as `llm_request`. */
  readonly specific?: Readonly<Record<string, unknown>> | undefined;
}

/** What the agent would make of a hook's end. */
export interface Answer {
  readonly said?: Said;
  /** The agent holds the run for failed, and this is why; what it said besides counts for nothing unless it is in `said`. */
  readonly failed?: string;
  /** What the agent ignores in silence. */
  readonly swallowed: readonly string[];
}
