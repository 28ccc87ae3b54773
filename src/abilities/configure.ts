import { basename } from 'node:path';
import { abilityCatalogue, isAbilityEventType } from '../events/ability-catalogue.ts';
import { ignoredKeys, matchSummary } from '../planner/ability-match.ts';
import type { ConfiguredAbilityHook } from '../planner/ability-planner.ts';
import { type Notice, notice } from '../protocol/notices.ts';
import type { SkipReason } from '../protocol/rows.ts';
import { type ConfigProblem, ConfigSource } from '../protocol/settings.ts';
import { HookIds } from '../registry/hook-id.ts';
import type { TrustVerdict } from '../registry/registry.ts';
import type { HookFile } from './declaration/read-hook-file.ts';
import { DeclaredIds, type EnteredId } from './declared-ids.ts';

export interface IdentifiedFile {
  readonly file: HookFile;
  readonly hookId: string;
}

/** Gives every file its id; those of files that cannot be read are by their names. */
export const identify = (files: readonly HookFile[]): IdentifiedFile[] => {
  const ids = new HookIds();
  return files.map((file) => {
    const { id: name = basename(file.file), eventType: eventName = '' } = file;
    return { file, hookId: ids.idFor({ source: ConfigSource.Project, eventName }, file.file, { name }) };
  });
};

/** A file, and whether what it declares is trusted. */
export interface JudgedFile extends IdentifiedFile {
  readonly verdict: TrustVerdict;
}

export interface Configured {
  readonly hooks: readonly ConfiguredAbilityHook[];
  readonly problems: readonly ConfigProblem[];
}

const trustBarriers = (verdict: TrustVerdict): SkipReason[] => {
  if (verdict === true || verdict === 'trusted') return [];
  return verdict === 'changed-since-trusted' ? ['changed-since-trusted'] : ['untrusted'];
};

const barriersOf = ({ file, verdict }: JudgedFile): SkipReason[] => {
  const { hook, eventType = '' } = file;
  if (hook === undefined) return ['invalid-config'];
  const unknown: SkipReason[] = isAbilityEventType(eventType) ? [] : ['unknown-event'];
  return [...unknown, ...(hook.enabled ? [] : (['disabled'] as const)), ...trustBarriers(verdict)];
};

/** How to change what the first barrier says. */
const details: Readonly<Partial<Record<SkipReason, string>>> = {
  disabled: 'Its declaration says enabled: false.',
};

const summaryOf = ({ hook }: HookFile): string | undefined => {
  if (hook === undefined || !isAbilityEventType(hook.eventType)) return undefined;
  return matchSummary(hook.match, abilityCatalogue[hook.eventType].everything);
};

const warningsOf = ({ hook }: HookFile): readonly Notice[] => {
  if (hook === undefined || !isAbilityEventType(hook.eventType)) return [];
  const ignored = ignoredKeys(hook.match, abilityCatalogue[hook.eventType].match);
  return ignored.map((key) =>
    notice('no-effect', `${hook.eventType} has nothing to compare ${key} with; it is ignored`),
  );
};

/** What is particular to this file about the first of its barriers. */
const detailOf = (first: SkipReason | undefined, { problems }: HookFile): string | undefined => {
  if (first !== 'invalid-config' && first !== 'unknown-event') return first && details[first];
  // Which file that is the row says itself.
  return problems.find(({ skipped }) => skipped)?.message;
};

const configureOne = (one: JudgedFile, ids: DeclaredIds): Configured => {
  const { file, hookId } = one;
  const { hook, id = basename(file.file), eventType: eventName = '' } = file;
  const own = barriersOf(one);
  const { displacement, problem }: EnteredId = hook === undefined ? {} : ids.enter(hook, own.length === 0);
  const barriers: SkipReason[] = displacement === undefined ? own : ['duplicate'];
  const detail = displacement === undefined ? detailOf(own[0], file) : displacement.detail;
  const matcher = summaryOf(file);
  const warnings = warningsOf(file);
  const configuredHook: ConfiguredAbilityHook = {
    hookId,
    name: id,
    eventName,
    source: { kind: ConfigSource.Project, file: file.file, line: hook?.line ?? 1 },
    ...(matcher === undefined ? {} : { matcher }),
    ...(hook === undefined ? {} : { hook }),
    barriers,
    ...(detail === undefined ? {} : { detail }),
    ...(displacement === undefined ? {} : { displacement: displacement.message }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  return { hooks: [configuredHook], problems: problem === undefined ? file.problems : [...file.problems, problem] };
};

/**
 * Puts what the files hold into the order of their names. An id is declared once: a further hook of that name that could
 * run is left out, and what it would check is refused if it is blocking. What cannot run takes nobody's id.
 */
export const configure = (judged: readonly JudgedFile[]): Configured => {
  const ids = new DeclaredIds();
  const parts = judged.map((one) => configureOne(one, ids));
  return { hooks: parts.flatMap(({ hooks }) => hooks), problems: parts.flatMap(({ problems }) => problems) };
};
