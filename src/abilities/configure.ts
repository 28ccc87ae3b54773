import { basename } from 'node:path';
import { abilityCatalogue, isAbilityEventType } from '../events/ability-catalogue.ts';
import { ignoredKeys, matchSummary } from '../planner/ability-match.ts';
import type { ConfiguredAbilityHook } from '../planner/ability-planner.ts';
import { formatProblem } from '../protocol/format-problem.ts';
import type { SkipReason } from '../protocol/rows.ts';
import { type ConfigProblem, ConfigSource } from '../protocol/settings.ts';
import { HookIds } from '../registry/hook-id.ts';
import type { TrustVerdict } from '../registry/registry.ts';
import type { HookFile } from './declaration/read-hook-file.ts';

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

const warningsOf = ({ hook }: HookFile): readonly string[] => {
  if (hook === undefined || !isAbilityEventType(hook.eventType)) return [];
  const ignored = ignoredKeys(hook.match, abilityCatalogue[hook.eventType].match);
  return ignored.map((key) => `${hook.eventType} has nothing to compare ${key} with; it is ignored`);
};

const duplicateProblem = ({ hook, file }: HookFile, original: string): ConfigProblem => {
  const line = hook?.line ?? 1;
  const message = `the id "${hook?.id}" is taken by ${original}; give one of the two another id`;
  return {
    severity: 'error',
    skipped: true,
    path: 'id',
    source: ConfigSource.Project,
    message,
    expected: 'an id of its own',
    found: `"${hook?.id}"`,
    hint: 'give one of the two another id',
    file,
    line,
    column: 1,
  };
};

/**
 * Puts what the files hold into the order of their names. An id is declared once: a further hook of that name that could
 * run is left out, and what cannot run takes nobody's name.
 */
export const configure = (judged: readonly JudgedFile[]): Configured => {
  const declaredIn = new Map<string, string>();
  const taken = new Map<string, { readonly file: string; readonly hookId: string }>();
  const problems: ConfigProblem[] = [];
  const hooks = judged.map((one): ConfiguredAbilityHook => {
    const { file, hookId } = one;
    const { hook, id = basename(file.file), eventType: eventName = '' } = file;
    const barriers = barriersOf(one);
    const original = hook === undefined ? undefined : taken.get(hook.id);
    problems.push(...file.problems);
    const other = hook === undefined ? undefined : declaredIn.get(hook.id);
    if (other !== undefined) problems.push(duplicateProblem(file, other));
    else if (hook !== undefined) declaredIn.set(hook.id, file.file);
    const isDuplicate = original !== undefined && barriers.length === 0;
    if (hook !== undefined && barriers.length === 0 && original === undefined) {
      taken.set(hook.id, { file: file.file, hookId });
    }
    const matcher = summaryOf(file);
    const [first] = barriers;
    const problem = file.problems.find(({ skipped }) => skipped);
    const unreadable = problem && `${formatProblem(problem)}.`;
    const detail = isDuplicate
      ? `It is the same as ${original.hookId} in ${original.file}.`
      : first === 'invalid-config' || first === 'unknown-event'
        ? unreadable
        : first && details[first];
    const warnings = warningsOf(file);
    return {
      hookId,
      name: id,
      eventName,
      source: { kind: ConfigSource.Project, file: file.file, line: hook?.line ?? 1 },
      ...(matcher === undefined ? {} : { matcher }),
      ...(hook === undefined ? {} : { hook }),
      barriers: isDuplicate ? ['duplicate'] : barriers,
      ...(detail === undefined ? {} : { detail }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  });
  return { hooks, problems };
};
