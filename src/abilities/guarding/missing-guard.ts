// Decides what is refused in place of an ability hook that cannot run.
import { basename } from 'node:path';
import { type AbilityEventType, abilityCatalogue, abilityEventTypes, isAbilityEventType } from '../../events/index.ts';
import { findNearestName } from '../../kit/index.ts';
import type { MissingGuard } from '../../planner/index.ts';
import type { AbilityMatch, AbilityOnFault } from '../../protocol/index.ts';
import type { ReadableParts } from '../declaration/readable-parts.ts';

/** Stays in force as a guard after its file has changed or gone. */
export interface ApprovedDeclaration {
  readonly id: string;
  readonly eventType: AbilityEventType;
  readonly enabled: boolean;
  readonly blocking: boolean;
  readonly onFault?: AbilityOnFault | undefined;
  readonly match: AbilityMatch;
  readonly file?: string | undefined;
}

export interface AbsentHook {
  readonly file: string;
  readonly line: number;
  readonly code: MissingGuard['code'];
  readonly why: string;
  readonly remains: ReadableParts;
  readonly approved?: ApprovedDeclaration | undefined;
}

const canRefuse = (eventType: AbilityEventType): boolean =>
  Object.values(abilityCatalogue[eventType].signals).some((codes) => codes !== 'any');

const isAiFacing = (eventType: AbilityEventType): boolean => abilityCatalogue[eventType].isAiFacing;

/** The event, the one that the name misspells, or, if neither exists, every event whose hooks can answer the AI. */
const findEvents = (name: string | undefined): readonly AbilityEventType[] => {
  if (isAbilityEventType(name)) return [name];
  const near = name === undefined ? undefined : findNearestName(name, abilityEventTypes);
  return isAbilityEventType(near) ? [near] : abilityEventTypes.filter(isAbilityEventType).filter(isAiFacing);
};

/**
 * The approved policy overrides the file's, so that editing the file cannot weaken a guard. Only `fail` is taken from
 * the file as well.
 */
const findFaultPolicy = (
  { approved, remains }: Pick<AbsentHook, 'approved' | 'remains'>,
  hostDefault: AbilityOnFault | undefined,
): AbilityOnFault | undefined => {
  const said = approved === undefined || remains.onFault === 'fail' ? remains.onFault : undefined;
  return approved?.onFault ?? said ?? hostDefault;
};

export const resolveOnFault = (eventType: AbilityEventType, policy: AbilityOnFault | undefined): AbilityOnFault =>
  policy ?? (canRefuse(eventType) ? 'fail' : 'skip');

export const resolveOnFaultOfExpired = (
  { eventType, onFault }: { readonly eventType: string; readonly onFault?: AbilityOnFault | undefined },
  hostDefault: AbilityOnFault | undefined,
): AbilityOnFault => {
  const policy = onFault ?? hostDefault;
  return isAbilityEventType(eventType) ? resolveOnFault(eventType, policy) : (policy ?? 'skip');
};

/** `undefined` if the event would not have waited for the hook. */
export const createMissingGuard = (
  absentee: AbsentHook,
  hostDefault: AbilityOnFault | undefined,
): MissingGuard | undefined => {
  const { file, line, code, why, remains, approved } = absentee;
  const { enabled, blocking, eventType, match = {}, id = basename(file) } = approved ?? remains;
  if (enabled === false || blocking === false) return undefined;
  const policy = findFaultPolicy(absentee, hostDefault);
  const events = Object.fromEntries(findEvents(eventType).map((event) => [event, resolveOnFault(event, policy)]));
  return { id, events, match, file, line, code, message: why };
};

export const refusesAnyEvent = ({ events }: MissingGuard): boolean => Object.values(events).includes('fail');
