// Turns declaration files, whose approvals are checked, into hooks that the planner can use, and problems.
import { basename } from 'node:path';
import { abilityCatalogue, isAbilityEventType } from '../events/index.ts';
import { type ConfiguredAbilityHook, findIgnoredKeys, type MissingGuard, summarizeMatch } from '../planner/index.ts';
import {
  type AbilityHook,
  type AbilityOnFault,
  type ConfigProblem,
  ConfigSource,
  copyOrigin,
  type Notice,
  notice,
  type SkipReason,
  unapprovedText,
} from '../protocol/index.ts';
import { trustBarriers } from '../registry/index.ts';
import type { AbilityHookFile } from './declaration/read-hook-file.ts';
import type { JudgedFile } from './guarding/judge-files.ts';
import { faultOnExpiry, missingGuard, refuses } from './guarding/missing-guard.ts';

export interface ConfigureOptions {
  /** The host's `onFault` for blocking hooks that declare none. */
  readonly onFault?: AbilityOnFault | undefined;
  /** Ids of hooks that the user continues without. */
  readonly without?: readonly string[] | undefined;
}

export interface ConfiguredAbilities {
  readonly hooks: readonly ConfiguredAbilityHook[];
  readonly problems: readonly ConfigProblem[];
}

const barriersOf = ({ file, verdict }: JudgedFile): SkipReason[] => {
  const { hook, eventType = '' } = file;
  if (hook === undefined) return ['invalid-config'];
  const unknown: SkipReason[] = isAbilityEventType(eventType) ? [] : ['unknown-event'];
  return [...unknown, ...(hook.enabled ? [] : (['disabled'] as const)), ...trustBarriers(verdict)];
};

const details: Readonly<Partial<Record<SkipReason, string>>> = {
  disabled: 'Its declaration says enabled: false.',
};

const summaryOf = ({ hook }: AbilityHookFile): string | undefined => {
  if (hook === undefined || !isAbilityEventType(hook.eventType)) return undefined;
  return summarizeMatch(hook.match, abilityCatalogue[hook.eventType].everything);
};

const warningsOf = ({ hook }: AbilityHookFile): readonly Notice[] => {
  if (hook === undefined || !isAbilityEventType(hook.eventType)) return [];
  const ignored = findIgnoredKeys(hook.match, abilityCatalogue[hook.eventType].match);
  return ignored.map((key) =>
    notice('no-effect', `${hook.eventType} has nothing to compare ${key} with; it is ignored`),
  );
};

/** The first reason why the hook does not run, for its row. */
const detailOf = (first: SkipReason | undefined, { problems }: AbilityHookFile): string | undefined => {
  if (first !== 'invalid-config' && first !== 'unknown-event') return first && details[first];
  // The row itself names the file.
  return problems.find(({ skipped }) => skipped)?.message;
};

const whyMissing = ({
  file,
  verdict,
  awaitsApproval,
}: JudgedFile): Pick<MissingGuard, 'line' | 'code' | 'message'> | undefined => {
  const { hook, problems, file: path } = file;
  const first = problems.find(({ skipped }) => skipped);
  const line = first?.line ?? hook?.line ?? 1;
  const place = `${path}:${line}`;
  if (first !== undefined)
    return { line, code: 'invalid-config', message: `${place} cannot be used: ${first.message}` };
  if (trustBarriers(verdict).length === 0) return undefined;
  return awaitsApproval
    ? { line, code: 'untrusted', message: unapprovedText('untrusted', place) }
    : {
        line,
        code: 'changed-since-trusted',
        message: unapprovedText('changed-since-trusted', place),
      };
};

/** A hook that was never approved blocks only if it declares `on_fault: fail`. */
const isHeard = ({ mayDecide, awaitsApproval, file }: JudgedFile): boolean =>
  mayDecide || (awaitsApproval && (file.hook ?? file.remains)?.onFault === 'fail');

/** Adds the consequence of an expired approval; `onFault` in the configuration makes the row show it. */
const withExpiry = (hook: AbilityHook, { onFault }: ConfigureOptions): AbilityHook => {
  const leadsTo = faultOnExpiry(hook, onFault);
  if (leadsTo === 'skip' || !hook.blocking) return { ...hook, onLapse: leadsTo };
  return { ...hook, onLapse: leadsTo, config: copyOrigin({ ...hook.config, onFault: 'deny' }, hook.config) };
};

const absenceOf = (one: JudgedFile, { onFault }: ConfigureOptions): MissingGuard | undefined => {
  const why = whyMissing(one);
  if (why === undefined) return undefined;
  const { file, approved } = one;
  const { line, code, message } = why;
  const remains = file.hook ?? file.remains ?? {};
  return missingGuard({ file: file.file, line, code, why: message, remains, approved }, onFault);
};

const missingIn = (one: JudgedFile, options: ConfigureOptions): MissingGuard | undefined => {
  const missing = isHeard(one) ? absenceOf(one, options) : undefined;
  return missing !== undefined && options.without?.includes(missing.id) ? undefined : missing;
};

const consequence = (missing: MissingGuard): string =>
  refuses(missing) ? 'what it might check is refused' : 'what it might check continues without it';

const withConsequence = (said: string | undefined, missing: MissingGuard): string =>
  said === undefined ? `Until then ${consequence(missing)}.` : `${said}; ${consequence(missing)}.`;

/** A hook that awaits approval does not run, and the host must know. */
const waitingProblem = (
  { file, awaitsApproval: isNew }: JudgedFile,
  missing: MissingGuard | undefined,
): ConfigProblem[] => {
  const { file: path, hook } = file;
  if (hook?.enabled !== true && missing === undefined) return [];
  const what = isNew ? 'waits for an approval' : 'changed after it was approved';
  const comes = missing === undefined ? 'does not run until then' : consequence(missing);
  return [
    {
      code: isNew ? 'awaiting-approval' : 'changed-since-trusted',
      severity: !isNew && missing !== undefined && refuses(missing) ? 'error' : 'warning',
      skipped: true,
      path: '',
      source: ConfigSource.Project,
      message: `"${missing?.id ?? hook?.id}" ${what}, and ${comes}; review and approve it: hookwright trust`,
      hint: 'hookwright trust',
      file: path,
      line: hook?.line ?? 1,
      column: 1,
    },
  ];
};

const problemsOf = (
  one: JudgedFile,
  missing: MissingGuard | undefined,
  { without = [] }: ConfigureOptions,
): readonly ConfigProblem[] => {
  const { file, verdict, awaitsApproval, mayDecide } = one;
  const { problems } = file;
  if (problems.some(({ skipped }) => skipped)) {
    if (missing === undefined) return problems;
    return problems.map((problem) =>
      problem.skipped ? { ...problem, message: `${problem.message}; ${consequence(missing)}` } : problem,
    );
  }
  const isKnown = without.includes(file.hook?.id ?? '');
  const isWaiting = trustBarriers(verdict).length > 0 && (mayDecide || awaitsApproval) && !isKnown;
  return isWaiting ? [...problems, ...waitingProblem(one, missing)] : problems;
};

const configureOne = (one: JudgedFile, ids: DeclaredIds, options: ConfigureOptions): ConfiguredAbilities => {
  const { file, hookId } = one;
  const { hook, eventType: eventName = '' } = file;
  const id = file.id ?? one.approved?.id ?? file.remains?.id ?? basename(file.file);
  const own = barriersOf(one);
  const { displacement, problem }: EnteredId = hook === undefined ? {} : ids.enter(hook, own.length === 0);
  const barriers: SkipReason[] = displacement === undefined ? own : ['duplicate'];
  const missing = displacement?.missing ?? missingIn(one, options);
  const unread =
    hook === undefined && (one.awaitsApproval || options.without?.includes(id)) ? absenceOf(one, options) : undefined;
  const said = displacement === undefined ? detailOf(own[0], file) : displacement.detail;
  const detail = displacement === undefined && missing !== undefined ? withConsequence(said, missing) : said;
  const matcher = summaryOf(file);
  const warnings = warningsOf(file);
  const configuredHook: ConfiguredAbilityHook = {
    hookId,
    name: id,
    eventName,
    source: { kind: ConfigSource.Project, file: file.file, line: hook?.line ?? 1 },
    ...(matcher === undefined ? {} : { matcher }),
    ...(hook === undefined ? {} : { hook: withExpiry(hook, options) }),
    barriers,
    ...(detail === undefined ? {} : { detail }),
    ...(missing === undefined ? {} : { missing }),
    ...(unread === undefined ? {} : { unread }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  const problems = problemsOf(one, displacement === undefined ? missing : undefined, options);
  return { hooks: [configuredHook], problems: problem === undefined ? problems : [...problems, problem] };
};

/**
 * Configures the hooks in the order of their file names. Only one runnable hook can have an id: others are dropped, and
 * the calls that a dropped blocking hook would check are refused. A hook that cannot run takes no id.
 */
export const configureAbilities = (judged: readonly JudgedFile[], options: ConfigureOptions): ConfiguredAbilities => {
  const ids = new DeclaredIds();
  const parts = judged.map((one) => configureOne(one, ids, options));
  return { hooks: parts.flatMap(({ hooks }) => hooks), problems: parts.flatMap(({ problems }) => problems) };
};

const ANOTHER_ID = 'give one of the two another id';

interface Displacement {
  /** Refused in its place, if it could decide anything. */
  readonly missing?: MissingGuard | undefined;
  readonly detail: string;
}

interface EnteredId {
  readonly displacement?: Displacement | undefined;
  readonly problem?: ConfigProblem | undefined;
}

const takenText = ({ blocking }: AbilityHook, takenBy: string): string =>
  `taken by ${takenBy}${blocking ? ', and what this hook would check is refused' : ''}; ${ANOTHER_ID}`;

const missingFor = (hook: AbilityHook, takenBy: string): MissingGuard | undefined => {
  const { id, eventType, match, blocking, file, line } = hook;
  if (!blocking || !isAbilityEventType(eventType)) return undefined;
  const message = `${basename(file)} does not run: its id is taken by ${basename(takenBy)}; ${ANOTHER_ID}`;
  return { id, events: { [eventType]: 'fail' }, match, file, line, code: 'not-supported', message };
};

const displacementOf = (hook: AbilityHook, takenBy: string): Displacement => ({
  missing: missingFor(hook, takenBy),
  detail: `Its id is ${takenText(hook, takenBy)}.`,
});

/** Reported at the later file, even if the earlier hook does not run and nothing is dropped yet. */
const problemWith = (hook: AbilityHook, first: string, takenBy: string | undefined): ConfigProblem => {
  const { id, file, line } = hook;
  const what = takenBy === undefined ? `declared by ${first} too; ${ANOTHER_ID}` : takenText(hook, takenBy);
  return {
    code: 'duplicate-name',
    severity: 'error',
    skipped: takenBy !== undefined,
    path: 'id',
    source: ConfigSource.Project,
    message: `the id "${id}" is ${what}`,
    expected: 'an id of its own',
    found: `"${id}"`,
    hint: ANOTHER_ID,
    file,
    line,
    column: 1,
  };
};

/** Remembers which file declared an id first and which one has it. */
class DeclaredIds {
  readonly #declared = new Map<string, string>();
  readonly #taken = new Map<string, string>();

  /** Takes the id for a hook if nothing else keeps it from running. */
  enter(hook: AbilityHook, isReady: boolean): EnteredId {
    const { id, file } = hook;
    const first = this.#declared.get(id);
    const taken = this.#taken.get(id);
    const takenBy = isReady ? taken : undefined;
    if (first === undefined) this.#declared.set(id, file);
    if (isReady && taken === undefined) this.#taken.set(id, file);
    return {
      displacement: takenBy === undefined ? undefined : displacementOf(hook, takenBy),
      problem: first === undefined ? undefined : problemWith(hook, first, takenBy),
    };
  }
}
