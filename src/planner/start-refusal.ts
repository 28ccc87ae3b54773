// Marks a planned hook as refused: the runner does not start it, and its result is a fault.
import { copyOrigin, type FaultCode, type HookConfig } from '../protocol/index.ts';

export interface StartRefusal {
  readonly code: FaultCode;
  readonly message: string;
}

/** Key of the refusal in a hook. The property is enumerable, so that a copy of the hook cannot be started either. */
const REFUSAL: unique symbol = Symbol('hookwright.refusal');

export const withStartRefusal = (hook: HookConfig, refusal: StartRefusal): HookConfig => {
  const refused = copyOrigin({ ...hook }, hook);
  Object.defineProperty(refused, REFUSAL, { value: refusal, enumerable: true });
  return refused;
};

export const readStartRefusal = (hook: HookConfig & { [REFUSAL]?: StartRefusal }): StartRefusal | undefined =>
  hook[REFUSAL];
