// Marks a planned hook that must not be started, although its row says `run`.
import { copyOrigin, type FaultCode, type HookConfig } from '../protocol/index.ts';

/** Why a planned hook is not started; the runner turns it into a fault. */
export interface StartRefusal {
  readonly code: FaultCode;
  readonly message: string;
}

/** Copies of the hook keep this key, so that a copied plan cannot start it. */
const REFUSAL: unique symbol = Symbol('hookwright.refusal');

/** A copy of the hook with the refusal. */
export const withStartRefusal = (hook: HookConfig, refusal: StartRefusal): HookConfig => {
  const refused = copyOrigin({ ...hook }, hook);
  Object.defineProperty(refused, REFUSAL, { value: refusal, enumerable: true });
  return refused;
};

export const refusalOf = (hook: HookConfig & { [REFUSAL]?: StartRefusal }): StartRefusal | undefined => hook[REFUSAL];
