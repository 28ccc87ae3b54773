// Parked tool calls, which wait for a person's approval, possibly longer than the process lives.

/** The call as signed in its token: after an approval, this call runs. */
export interface ParkedCall extends CallToPark {
  readonly id: string;
  readonly parkedAt: number;
  readonly expiresAt: number;
}

export interface CallToPark {
  /** The only project directory in which the call can be resumed. */
  readonly project: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly reason: string;
  /** The hooks that answered `ask`; an approval counts only for them. */
  readonly askedBy: readonly string[];
  readonly context: {
    readonly mcpContext?: Record<string, unknown> | undefined;
    readonly originalName?: string | undefined;
    readonly id?: string | undefined;
    readonly more?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly callId: string;
  /** The bus request whose hooks answered `ask`; `undefined` for a direct call. */
  readonly correlationId?: string | undefined;
}

export interface ParkAnswer {
  /** The token; keep it until a person has decided. */
  readonly park: string;
}

/** Signs parked calls into tokens, and accepts each once. Created by `parkedCalls`. */
export interface Parking {
  readonly park: (call: CallToPark) => Promise<{ readonly token: string; readonly call: ParkedCall }>;
  /** Rejects with `token_refused` if the token was changed, has expired or belongs to another project. */
  readonly open: (token: string, project: string) => Promise<ParkedCall>;
  /** Marks the token as used; rejects with `token_refused` if a process with the same store has used it before. */
  readonly spend: (call: ParkedCall) => Promise<void>;
  readonly runTool?: ParkedToolRunner | undefined;
}

/** Stores used tokens. All processes that resume the same calls must share a store. */
export interface TokenStore {
  /**
   * Returns `true` only to the first caller with this id. If it rejects, the call does not run. The id may be forgotten
   * after `expiresAt` (milliseconds since 1970).
   */
  readonly claim: (id: string, expiresAt: number) => boolean | Promise<boolean>;
}

export type ParkedToolRunner = (
  name: string,
  args: Record<string, unknown>,
  context: { readonly signal: AbortSignal },
) => unknown;

export interface ParkedDecision {
  readonly approved: boolean;
  /** The name of the person, for hooks, the model and recordings. */
  readonly by: string;
  /** Why the call was refused, for the model. */
  readonly reason?: string | undefined;
}
