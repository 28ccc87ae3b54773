import { basename } from 'node:path';
import { type AbilityEventType, abilityCatalogue, abilityEventTypes, isAbilityEventType } from '../../events/index.ts';
import { nearest } from '../../kit/index.ts';
import type { MissingGuard } from '../../planner/index.ts';
import type { AbilityMatch, AbilityOnFault } from '../../protocol/index.ts';
import type { Remains } from '../declaration/remains.ts';

/** A declaration as the user approved it: what the hook may still decide when its file changes. */
export interface ApprovedForm {
  readonly id: string;
  readonly eventType: AbilityEventType;
  readonly enabled: boolean;
  readonly blocking: boolean;
  readonly onFault?: AbilityOnFault | undefined;
  readonly match: AbilityMatch;
  /** Relative to the repository. */
  readonly file?: string | undefined;
}

/** A hook that does not run, and what is known of it. */
export interface Absentee {
  /** For results and logs, where neither file nor approval has an id. */
  readonly file: string;
  readonly line: number;
  readonly code: MissingGuard['code'];
  /** Why it cannot be asked, with file and line. */
  readonly why: string;
  /** What its file says, as far as it can be read. */
  readonly remains: Remains;
  /** What was approved of it, where approvals are kept. */
  readonly approved?: ApprovedForm | undefined;
}

/** Events whose hooks decide whether something is done. */
const decides = (eventType: AbilityEventType): boolean =>
  Object.values(abilityCatalogue[eventType].signals).some((codes) => codes !== 'any');

const isHeard = (eventType: AbilityEventType): boolean => abilityCatalogue[eventType].isAiFacing;

/** The events a name may stand for: itself, the one it is a slip of, or any whose hooks are heard. */
const eventsOf = (name: string | undefined): readonly AbilityEventType[] => {
  if (isAbilityEventType(name)) return [name];
  const near = name === undefined ? undefined : nearest(name, abilityEventTypes);
  return isAbilityEventType(near) ? [near] : abilityEventTypes.filter(isAbilityEventType).filter(isHeard);
};

/**
 * The consequence of a fault of a hook that cannot run. The approved policy goes before that of the file now: a writer
 * of the file must not weaken a guard by it. Only `fail` is taken from both.
 */
const policyOf = (
  { approved, remains }: Pick<Absentee, 'approved' | 'remains'>,
  hostDefault: AbilityOnFault | undefined,
): AbilityOnFault | undefined => {
  const said = approved === undefined || remains.onFault === 'fail' ? remains.onFault : undefined;
  return approved?.onFault ?? said ?? hostDefault;
};

/**
 * The consequence of a fault at an event: without a policy, a refusal if the event decides whether something is done.
 */
export const faultAt = (eventType: AbilityEventType, policy: AbilityOnFault | undefined): AbilityOnFault =>
  policy ?? (decides(eventType) ? 'fail' : 'skip');

/** What a lapse of an approval leads to while hooks run. */
export const onLapse = (
  { eventType, onFault }: { readonly eventType: string; readonly onFault?: AbilityOnFault | undefined },
  hostDefault: AbilityOnFault | undefined,
): AbilityOnFault => {
  const policy = onFault ?? hostDefault;
  return isAbilityEventType(eventType) ? faultAt(eventType, policy) : (policy ?? 'skip');
};

/** The result of a hook that cannot run; `undefined` if the event would not have waited for it. */
export const missingGuard = (absentee: Absentee, hostDefault: AbilityOnFault | undefined): MissingGuard | undefined => {
  const { file, line, code, why, remains, approved } = absentee;
  const { enabled, blocking, eventType, match = {}, id = basename(file) } = approved ?? remains;
  if (enabled === false || blocking === false) return undefined;
  const policy = policyOf(absentee, hostDefault);
  const events = Object.fromEntries(eventsOf(eventType).map((event) => [event, faultAt(event, policy)]));
  return { id, events, match, file, line, code, message: why };
};

/** Whether anything is refused in its place. */
export const refuses = ({ events }: MissingGuard): boolean => Object.values(events).includes('fail');
