/** The content of a hook's answer, converted from the format of an agent such as Claude Code. */
export interface Said {
  readonly decision?: 'allow' | 'ask' | 'deny' | undefined;
  readonly reason?: string | undefined;
  readonly stop?: { readonly reason?: string } | undefined;
  readonly context?: string | undefined;
  readonly message?: string | undefined;
  /** Changed arguments for the tool, with the agent's names. */
  readonly toolInput?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The result that replaces the tool's result, in the agent's format. `null` if the hook gave one that cannot be read.
   */
  readonly toolOutput?: unknown;
  readonly isMcpOutput?: true | undefined;
  /** True if the answer was plain text. Some agents treat it as an `allow` that grants no permission. */
  readonly isText?: true | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** A value that the agent's description in `src/agents/packs` needs to merge several answers. */
  readonly mark?: string | undefined;
  readonly scope?: string | undefined;
  readonly suppressOutput?: boolean | undefined;
  /** Members of `hookSpecificOutput` that hookwright supports under the same name, such as `llm_request`. */
  readonly specific?: Readonly<Record<string, unknown>> | undefined;
}

/** How an agent interprets the exit code and output of a hook's process. */
export interface Answer {
  readonly said?: Said;
  /** Why the agent treats the run as failed. Then only the members of `said` still have an effect. */
  readonly failed?: string;
  /** Parts of the answer that the agent ignores without a message. */
  readonly swallowed: readonly string[];
}
