// Explains why a guard whose approval expired does not start, and which verdict it gives instead.
import { describeUnapproved, getOrigin, isUnapproved, type OnFault, type SkipReason } from '../protocol/index.ts';
import type { ConfiguredHook } from '../registry/index.ts';
import type { StartRefusal } from './start-refusal.ts';

const WRITABLE_BY_OTHERS_TEXT = 'others can write to its settings file, so it may not be what its owner wrote';

const describeExpiry = ({ config, approved }: ConfiguredHook): string | undefined => {
  const program = config === undefined ? undefined : getOrigin(config)?.programInProject;
  const changed = (approved?.changes ?? []).filter((what) => what !== program);
  const all = program === undefined ? changed : [`its program ${program} lies in this project`, ...changed];
  return all.length === 0 ? undefined : all.join('; ');
};

/** Explains why a hook is not approved. `undefined` if nothing is known beyond the skip reason. */
export const explainUnapproved = (hook: ConfiguredHook): string | undefined => {
  const reason = hook.skipReasons.find(isUnapproved);
  const detail = describeExpiry(hook);
  if (reason === undefined) return undefined;
  return hook.approved?.misplaced ?? (detail === undefined ? undefined : describeUnapproved(reason, detail));
};

export const createExpiredApprovalRefusal = (hook: ConfiguredHook): StartRefusal => {
  if (hook.lost !== undefined) return hook.lost;
  const reason = hook.skipReasons.find(isUnapproved);
  const isExposed = hook.config !== undefined && getOrigin(hook.config)?.sheet?.isExposed === true;
  return reason === undefined || isExposed
    ? { code: 'invalid-config', message: WRITABLE_BY_OTHERS_TEXT }
    : { code: reason, message: hook.hint ?? explainUnapproved(hook) ?? describeUnapproved(reason) };
};

/** Returns `undefined` for a hook that is no guard or is skipped for another reason than an expired approval. */
export const readExpiredGuardOnFault = ({ skipReasons, approved, lost }: ConfiguredHook): OnFault | undefined => {
  const onFault = lost?.onFault ?? approved?.onFault ?? 'allow';
  return onFault !== 'allow' && skipReasons.every(isExpiredApproval) ? onFault : undefined;
};

const expiredApprovalReasons: ReadonlySet<SkipReason> = new Set([
  'changed-since-trusted',
  'untrusted',
  'invalid-config',
]);

export const isExpiredApproval = (reason: SkipReason): boolean => expiredApprovalReasons.has(reason);
