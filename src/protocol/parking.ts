// Parked tool calls: calls that wait for a person's approval, possibly longer than the process lives.

/** A waiting call, as signed in its token. If it is approved, exactly this call runs. */
export interface ParkedCall extends CallToPark {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly parkedAt: number;
  readonly expiresAt: number;
}

export interface CallToPark {
  /** The call can only be resumed in this project directory. */
  readonly project: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly reason: string;
  /** The hooks that answered `ask`. The approval counts only for them. */
  readonly askedBy: readonly string[];
  /** More payload for the hooks that run when the call is resumed. */
  readonly context: {
    readonly mcpContext?: Record<string, unknown> | undefined;
    readonly originalName?: string | undefined;
    readonly id?: string | undefined;
    readonly more?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly callId: string;
  /** Id of the bus request whose hooks answered `ask`; `undefined` for a direct call. */
  readonly correlationId?: string | undefined;
}

/** What `confirm` returns to park a tool call. */
export interface ParkAnswer {
  /** The token of the call. Keep it until a person has decided. */
  readonly park: string;
}

/** Signs parked calls into tokens, and accepts each token once. `parkedCalls` creates it. */
export interface Parking {
  readonly park: (call: CallToPark) => Promise<{ readonly token: string; readonly call: ParkedCall }>;
  /**
   * Reads a token. Rejects with `token_refused` if the token was altered, has expired or belongs to another project.
   */
  readonly open: (token: string, project: string) => Promise<ParkedCall>;
  /** Marks a call as resumed. Rejects with `token_refused` the second time, in any process that shares the store. */
  readonly spend: (call: ParkedCall) => Promise<void>;
  readonly runTool?: RunParkedTool | undefined;
}

/** Remembers which tokens were used. All processes that resume the same calls must share one store. */
export interface TokenStore {
  /**
   * Returns true for the first caller with this id, across all processes. If it rejects, the call does not run. The id
   * can be forgotten after `expiresAt` (milliseconds since 1970), when the token is invalid anyway.
   */
  readonly claim: (id: string, expiresAt: number) => boolean | Promise<boolean>;
}

export type RunParkedTool = (
  name: string,
  args: Record<string, unknown>,
  context: { readonly signal: AbortSignal },
) => unknown;

/** A person's decision about a parked call. */
export interface ParkedDecision {
  readonly approved: boolean;
  /** Who decided. Hooks, the model and recordings get this name. */
  readonly by: string;
  /** Why the call was refused. The model gets this text. */
  readonly reason?: string | undefined;
}
