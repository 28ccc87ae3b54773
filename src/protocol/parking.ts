/** Tool calls that wait for an approval, longer than the process may live: what is signed, and what signs it. */

/** A call that was not run, as it stands in its token: what a person approves is what runs. */
export interface ParkedCall extends CallToPark {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly parkedAt: number;
  readonly expiresAt: number;
}

export interface CallToPark {
  /** Directory of the project; the call is resumed there and nowhere else. */
  readonly project: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  /** Why hooks asked. */
  readonly reason: string;
  /** Which hooks asked: an approval answers these and no others. */
  readonly askedBy: readonly string[];
  /** What hooks read of the call besides. */
  readonly context: {
    readonly mcpContext?: Record<string, unknown> | undefined;
    readonly originalName?: string | undefined;
    readonly id?: string | undefined;
    readonly more?: Readonly<Record<string, unknown>> | undefined;
  };
  /** The same before and after the tool. */
  readonly callId: string;
  /** The id of the request that hooks answered with `ask`, if it was shown on a bus. */
  readonly correlationId?: string | undefined;
}

/** What `confirm` answers to park a call. */
export interface ParkAnswer {
  /** The token; keep it until a person has decided. */
  readonly park: string;
}

/** Signs calls that are to wait, and spends each token once. Made with `parkedCalls`. */
export interface Parking {
  readonly park: (call: CallToPark) => Promise<{ readonly token: string; readonly call: ParkedCall }>;
  /** The call of a token. Rejects with `token_refused` if the token was changed, is too old, or belongs elsewhere. */
  readonly open: (token: string, project: string) => Promise<ParkedCall>;
  /** Rejects with `token_refused` if another did so before, in this process or in any that shares the store. */
  readonly spend: (call: ParkedCall) => Promise<void>;
  /** Runs a tool of the host by its name. */
  readonly runTool?: RunParkedTool | undefined;
}

/** Remembers which tokens are spent. Processes that resume the same calls share one. */
export interface TokenStore {
  /**
   * True for the first caller with this id and for no other, whichever process calls; what it rejects with keeps the call from
   * running. After `expiresAt`, in milliseconds since 1970, the token counts no more.
   */
  readonly claim: (id: string, expiresAt: number) => boolean | Promise<boolean>;
}

export type RunParkedTool = (
  name: string,
  args: Record<string, unknown>,
  context: { readonly signal: AbortSignal },
) => unknown;

/** How a person decided about a parked call. */
export interface ParkedDecision {
  readonly approved: boolean;
  /** Who decided; hooks, the model and recordings are told. */
  readonly by: string;
  /** Why a call is refused; the model is told. */
  readonly reason?: string | undefined;
}
