/** What a person (or a policy) is asked when a hook says `ask`. */
export interface ConfirmQuestion {
  readonly eventName: string;
  readonly reason: string;
  readonly toolName?: string;
  readonly toolInput?: Readonly<Record<string, unknown>>;
}

export interface ConfirmContext {
  readonly signal?: AbortSignal | undefined;
}

/** True lets the action happen. Whatever goes wrong while asking counts as a refusal. */
export type Confirm = (question: ConfirmQuestion, context?: ConfirmContext) => boolean | Promise<boolean>;
