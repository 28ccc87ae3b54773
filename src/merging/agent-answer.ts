/** The content of a hook's answer, in terms that are the same for all agents. */
export interface Said {
  readonly decision?: 'allow' | 'ask' | 'deny' | undefined;
  readonly reason?: string | undefined;
  /** The agent is to stop altogether. */
  readonly stop?: { readonly reason?: string } | undefined;
  /** Text for the model. */
  readonly context?: string | undefined;
  /** Text for the user. */
  readonly message?: string | undefined;
  /** Other arguments for the tool, in the dialect's names. */
  readonly toolInput?: Readonly<Record<string, unknown>> | undefined;
  /** Another result in place of the tool's, in the agent's form; `null` if it is there and cannot be read. */
  readonly toolOutput?: unknown;
  /** Set if `toolOutput` may only replace results of MCP tools. */
  readonly isMcpOutput?: true | undefined;
  /** Set if the answer was only plain text, which some agents take for an `allow` that grants nothing. */
  readonly isText?: true | undefined;
  /** Variables for later hooks of the session. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** A value from the agent's pack that the agent's own merging needs. */
  readonly mark?: string | undefined;
  /** Scope of the settings with the hook: `project`, `user` or `system`. */
  readonly scope?: string | undefined;
  readonly suppressOutput?: boolean | undefined;
  /** Members of `hookSpecificOutput` that mean the same to us, such as `llm_request`. */
  readonly specific?: Readonly<Record<string, unknown>> | undefined;
}

/** How the agent would interpret the end of a hook's run. */
export interface Answer {
  readonly said?: Said;
  /** Why the agent treats the run as failed. The rest of the answer is ignored unless it is in `said`. */
  readonly failed?: string;
  /** Parts of the answer that the agent ignores without a message. */
  readonly swallowed: readonly string[];
}
