// Parked tool calls: they wait for an approval, possibly longer than the process lives.

/** A call that waits, as signed in its token. An approval runs exactly this call. */
export interface ParkedCall extends CallToPark {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly parkedAt: number;
  readonly expiresAt: number;
}

export interface CallToPark {
  /** Project directory; the call can only be resumed there. */
  readonly project: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  /** Reason of the hooks that asked. */
  readonly reason: string;
  /** Hooks that asked; an approval answers only these. */
  readonly askedBy: readonly string[];
  /** Further payload of the call for hooks. */
  readonly context: {
    readonly mcpContext?: Record<string, unknown> | undefined;
    readonly originalName?: string | undefined;
    readonly id?: string | undefined;
    readonly more?: Readonly<Record<string, unknown>> | undefined;
  };
  /** Id of the call, the same before and after the tool runs. */
  readonly callId: string;
  /** Id of the request that hooks answered with `ask`, if it was published on a bus. */
  readonly correlationId?: string | undefined;
}

/** Return value of `confirm` to park a call. */
export interface ParkAnswer {
  /** The token; keep it until a person has decided. */
  readonly park: string;
}

/** Signs parked calls and redeems each token once. Created by `parkedCalls`. */
export interface Parking {
  readonly park: (call: CallToPark) => Promise<{ readonly token: string; readonly call: ParkedCall }>;
  /** The call of a token. Rejects with `token_refused` if the token is altered, expired or of another project. */
  readonly open: (token: string, project: string) => Promise<ParkedCall>;
  /** Redeems a token. Rejects with `token_refused` if it was redeemed before, in any process that shares the store. */
  readonly spend: (call: ParkedCall) => Promise<void>;
  /** Runs a tool of the host by name. */
  readonly runTool?: RunParkedTool | undefined;
}

/** Remembers redeemed tokens. Processes that resume the same calls share one. */
export interface TokenStore {
  /**
   * Returns true for the first caller with this id, across all processes. A rejection keeps the call from running.
   * After `expiresAt`, in milliseconds since 1970, the token is invalid anyway.
   */
  readonly claim: (id: string, expiresAt: number) => boolean | Promise<boolean>;
}

export type RunParkedTool = (
  name: string,
  args: Record<string, unknown>,
  context: { readonly signal: AbortSignal },
) => unknown;

/** The decision of a person about a parked call. */
export interface ParkedDecision {
  readonly approved: boolean;
  /** Name of the person, passed to hooks, the model and recordings. */
  readonly by: string;
  /** Reason of a refusal, passed to the model. */
  readonly reason?: string | undefined;
}
