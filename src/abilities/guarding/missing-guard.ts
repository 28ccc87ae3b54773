// Decides what is refused in place of an ability hook that cannot run.
import { basename } from 'node:path';
import { type AbilityEventType, abilityCatalogue, abilityEventTypes, isAbilityEventType } from '../../events/index.ts';
import { findNearestName } from '../../kit/index.ts';
import type { MissingGuard } from '../../planner/index.ts';
import type { AbilityMatch, AbilityOnFault } from '../../protocol/index.ts';
import type { ReadableParts } from '../declaration/readable-parts.ts';

/** The approved version of a declaration. It stays in force as a guard after its file has changed or gone. */
export interface ApprovedDeclaration {
  readonly id: string;
  readonly eventType: AbilityEventType;
  readonly enabled: boolean;
  readonly blocking: boolean;
  readonly onFault?: AbilityOnFault | undefined;
  readonly match: AbilityMatch;
  /** Relative to the repository. */
  readonly file?: string | undefined;
}

export interface AbsentHook {
  /** The file of the declaration. It also names the guard in results and logs if the id is unknown. */
  readonly file: string;
  readonly line: number;
  readonly code: MissingGuard['code'];
  /** Why it cannot run, with file and line. */
  readonly why: string;
  readonly remains: ReadableParts;
  readonly approved?: ApprovedDeclaration | undefined;
}

/** Whether hooks of an event can refuse an action. */
const decides = (eventType: AbilityEventType): boolean =>
  Object.values(abilityCatalogue[eventType].signals).some((codes) => codes !== 'any');

const isHeard = (eventType: AbilityEventType): boolean => abilityCatalogue[eventType].isAiFacing;

/**
 * The event itself, the one that the name misspells, or, if neither exists, every event whose hooks can answer the AI.
 */
const eventsOf = (name: string | undefined): readonly AbilityEventType[] => {
  if (isAbilityEventType(name)) return [name];
  const near = name === undefined ? undefined : findNearestName(name, abilityEventTypes);
  return isAbilityEventType(near) ? [near] : abilityEventTypes.filter(isAbilityEventType).filter(isHeard);
};

/**
 * The fault policy of a hook that cannot run. The approved policy overrides the file's: editing the file must not
 * weaken a guard. Only `fail` is taken from the file as well.
 */
const policyOf = (
  { approved, remains }: Pick<AbsentHook, 'approved' | 'remains'>,
  hostDefault: AbilityOnFault | undefined,
): AbilityOnFault | undefined => {
  const said = approved === undefined || remains.onFault === 'fail' ? remains.onFault : undefined;
  return approved?.onFault ?? said ?? hostDefault;
};

/** The consequence of a fault at an event. Without a policy, events whose hooks can refuse fail. */
export const faultAt = (eventType: AbilityEventType, policy: AbilityOnFault | undefined): AbilityOnFault =>
  policy ?? (decides(eventType) ? 'fail' : 'skip');

export const faultOnExpiry = (
  { eventType, onFault }: { readonly eventType: string; readonly onFault?: AbilityOnFault | undefined },
  hostDefault: AbilityOnFault | undefined,
): AbilityOnFault => {
  const policy = onFault ?? hostDefault;
  return isAbilityEventType(eventType) ? faultAt(eventType, policy) : (policy ?? 'skip');
};

/** The stand-in for a hook that cannot run; `undefined` if the event would not have waited for it. */
export const missingGuard = (
  absentee: AbsentHook,
  hostDefault: AbilityOnFault | undefined,
): MissingGuard | undefined => {
  const { file, line, code, why, remains, approved } = absentee;
  const { enabled, blocking, eventType, match = {}, id = basename(file) } = approved ?? remains;
  if (enabled === false || blocking === false) return undefined;
  const policy = policyOf(absentee, hostDefault);
  const events = Object.fromEntries(eventsOf(eventType).map((event) => [event, faultAt(event, policy)]));
  return { id, events, match, file, line, code, message: why };
};

export const refuses = ({ events }: MissingGuard): boolean => Object.values(events).includes('fail');
