// Decides what is refused in place of an ability hook that cannot run.
import { basename } from 'node:path';
import {
  type AbilityEventType,
  abilityCatalogue,
  abilityEventTypes,
  isAbilityEventType,
  mayHooksRefuse,
} from '../../events/index.ts';
import { findNearestName } from '../../kit/index.ts';
import type { MissingGuard } from '../../planner/index.ts';
import type { AbilityMatch, AbilityOnFault } from '../../protocol/index.ts';
import type { ReadableParts } from '../declaration/readable-parts.ts';

/** The approved content of a hook. It stays in force as a guard after the hook's file was changed or removed. */
export interface ApprovedDeclaration {
  readonly id: string;
  readonly eventType: AbilityEventType;
  readonly enabled: boolean;
  readonly blocking: boolean;
  readonly onFault?: AbilityOnFault | undefined;
  readonly match: AbilityMatch;
  readonly file?: string | undefined;
}

interface AbsentHook {
  readonly file: string;
  readonly line: number;
  readonly code: MissingGuard['code'];
  readonly message: string;
  readonly remains: ReadableParts;
  readonly approved?: ApprovedDeclaration | undefined;
}

/**
 * The events that a hook may be for: the event of this name, or else the event with the most similar name, or else every
 * event whose hooks can answer the AI.
 */
const findPossibleEvents = (name: string | undefined): readonly AbilityEventType[] => {
  if (isAbilityEventType(name)) return [name];
  const near = name === undefined ? undefined : findNearestName(name, abilityEventTypes);
  if (isAbilityEventType(near)) return [near];
  return abilityEventTypes.filter(isAbilityEventType).filter((event) => abilityCatalogue[event].isAiFacing);
};

/** After an approval without `on_fault`, the file may only add `fail`, so that editing it cannot weaken a guard. */
const chooseOnFault = (
  { approved, remains }: Pick<AbsentHook, 'approved' | 'remains'>,
  hostDefault: AbilityOnFault | undefined,
): AbilityOnFault | undefined => {
  const fromFile = approved === undefined || remains.onFault === 'fail' ? remains.onFault : undefined;
  return approved?.onFault ?? fromFile ?? hostDefault;
};

export const resolveOnFault = (eventType: AbilityEventType, policy: AbilityOnFault | undefined): AbilityOnFault =>
  policy ?? (mayHooksRefuse(eventType) ? 'fail' : 'skip');

export const resolveOnFaultOfExpired = (
  { eventType, onFault }: { readonly eventType: string; readonly onFault?: AbilityOnFault | undefined },
  hostDefault: AbilityOnFault | undefined,
): AbilityOnFault => {
  const policy = onFault ?? hostDefault;
  return isAbilityEventType(eventType) ? resolveOnFault(eventType, policy) : (policy ?? 'skip');
};

/** Returns `undefined` if no event would have waited for the hook. */
export const createMissingGuard = (
  absentee: AbsentHook,
  hostDefault: AbilityOnFault | undefined,
): MissingGuard | undefined => {
  const { file, line, code, message, remains, approved } = absentee;
  const { enabled, blocking, eventType, match = {}, id = basename(file) } = approved ?? remains;
  if (enabled === false || blocking === false) return undefined;
  const onFault = chooseOnFault(absentee, hostDefault);
  const events = Object.fromEntries(
    findPossibleEvents(eventType).map((event) => [event, resolveOnFault(event, onFault)]),
  );
  return { id, events, match, file, line, code, message };
};

export const refusesAnyEvent = ({ events }: MissingGuard): boolean => Object.values(events).includes('fail');
