import { type FaultCode, type HookConfig, likeOrigin } from '../protocol/index.ts';

/** Why a planned hook is not to be started although its row says `run`: the runner turns it into a fault. */
export interface StartRefusal {
  readonly code: FaultCode;
  readonly message: string;
}

/** It travels with every copy of the hook: a plan that was copied must not start what is not to be started. */
const REFUSAL: unique symbol = Symbol('hookwright.refusal');

/** A copy of the hook that carries the refusal. The copy goes wherever plans go and looks like any other hook. */
export const refuse = (hook: HookConfig, refusal: StartRefusal): HookConfig => {
  const refused = likeOrigin({ ...hook }, hook);
  Object.defineProperty(refused, REFUSAL, { value: refusal, enumerable: true });
  return refused;
};

export const refusalOf = (hook: HookConfig & { [REFUSAL]?: StartRefusal }): StartRefusal | undefined => hook[REFUSAL];
