import { basename } from 'node:path';
import { abilityCatalogue, isAbilityEventType } from '../events/index.ts';
import { type ConfiguredAbilityHook, ignoredKeys, type MissingGuard, matchSummary } from '../planner/index.ts';
import {
  type AbilityOnFault,
  type ConfigProblem,
  ConfigSource,
  type Notice,
  notice,
  type SkipReason,
} from '../protocol/index.ts';
import { trustBarriers } from '../registry/index.ts';
import type { HookFile } from './declaration/read-hook-file.ts';
import { DeclaredIds, type EnteredId } from './declared-ids.ts';
import type { JudgedFile } from './guarding/judge.ts';
import { missingGuard, onLapse } from './guarding/missing-guard.ts';

export interface ConfigureOptions {
  /** What the host says faults of blocking hooks lead to, if it does. */
  readonly onFault?: AbilityOnFault | undefined;
  /** Ids of hooks that a person goes on without. */
  readonly without?: readonly string[] | undefined;
}

export interface Configured {
  readonly hooks: readonly ConfiguredAbilityHook[];
  readonly problems: readonly ConfigProblem[];
}

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

/** What this file says of a hook that does not run, for results and rows. */
const whyMissing = ({ file, verdict }: JudgedFile): Pick<MissingGuard, 'line' | 'code' | 'message'> | undefined => {
  const { hook, problems, file: path } = file;
  const first = problems.find(({ skipped }) => skipped);
  const line = first?.line ?? hook?.line ?? 1;
  const place = `${path}:${line}`;
  if (first !== undefined)
    return { line, code: 'invalid-config', message: `${place} cannot be used: ${first.message}` };
  if (trustBarriers(verdict).length === 0) return undefined;
  return {
    line,
    code: 'changed-since-trusted',
    message: `${place} is not what was approved; hookwright trust shows it`,
  };
};

const missingIn = (one: JudgedFile, { onFault, without }: ConfigureOptions): MissingGuard | undefined => {
  const why = one.mayDecide ? whyMissing(one) : undefined;
  if (why === undefined) return undefined;
  const { file, approved } = one;
  const { line, code, message } = why;
  const remains = file.hook ?? file.remains ?? {};
  const missing = missingGuard({ file: file.file, line, code, why: message, remains, approved }, onFault);
  return missing !== undefined && without?.includes(missing.id) ? undefined : missing;
};

const withRefusal = (said: string | undefined): string =>
  said === undefined ? `Until then ${REFUSED}.` : `${said}; ${REFUSED}.`;

const REFUSED = 'what it may have looked at is refused';

/** What is wrong with the file, and what comes of it. */
const problemsOf = ({ file }: JudgedFile, missing: MissingGuard | undefined): readonly ConfigProblem[] => {
  const { problems, file: path, hook } = file;
  if (missing === undefined) return problems;
  if (missing.code === 'invalid-config') {
    return problems.map((one) => (one.skipped ? { ...one, message: `${one.message}; ${REFUSED}` } : one));
  }
  const message = `"${missing.id}" is not what was approved, and ${REFUSED}; look at the change and approve it again`;
  const place = { file: path, line: hook?.line ?? 1, column: 1 };
  const code = missing.code;
  const lapsed = { code, severity: 'error', skipped: true, path: '', source: ConfigSource.Project, message } as const;
  return [...problems, { ...lapsed, hint: 'hookwright trust', ...place }];
};

const configureOne = (one: JudgedFile, ids: DeclaredIds, options: ConfigureOptions): Configured => {
  const { file, hookId } = one;
  const { hook, eventType: eventName = '' } = file;
  const id = file.id ?? one.approved?.id ?? file.remains?.id ?? basename(file.file);
  const own = barriersOf(one);
  const { displacement, problem }: EnteredId = hook === undefined ? {} : ids.enter(hook, own.length === 0);
  const barriers: SkipReason[] = displacement === undefined ? own : ['duplicate'];
  const missing = displacement?.missing ?? missingIn(one, options);
  const said = displacement === undefined ? detailOf(own[0], file) : displacement.detail;
  const detail = displacement === undefined && missing !== undefined ? withRefusal(said) : said;
  const matcher = summaryOf(file);
  const warnings = warningsOf(file);
  const configuredHook: ConfiguredAbilityHook = {
    hookId,
    name: id,
    eventName,
    source: { kind: ConfigSource.Project, file: file.file, line: hook?.line ?? 1 },
    ...(matcher === undefined ? {} : { matcher }),
    ...(hook === undefined ? {} : { hook: { ...hook, onLapse: onLapse(hook, options.onFault) } }),
    barriers,
    ...(detail === undefined ? {} : { detail }),
    ...(missing === undefined ? {} : { missing }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  const problems = problemsOf(one, displacement === undefined ? missing : undefined);
  return { hooks: [configuredHook], problems: problem === undefined ? problems : [...problems, problem] };
};

/**
 * Puts what the files hold into the order of their names. An id is declared once: a further hook of that name that could
 * run is left out, and what it would check is refused if it is blocking. What cannot run takes nobody's id.
 */
export const configure = (judged: readonly JudgedFile[], options: ConfigureOptions): Configured => {
  const ids = new DeclaredIds();
  const parts = judged.map((one) => configureOne(one, ids, options));
  return { hooks: parts.flatMap(({ hooks }) => hooks), problems: parts.flatMap(({ problems }) => problems) };
};
