// Turns declaration files, whose approvals are checked, into hooks for the planner, and reports problems.
import { basename } from 'node:path';
import { abilityCatalogue, isAbilityEventType } from '../events/index.ts';
import { omitUndefined } from '../kit/index.ts';
import { type ConfiguredAbilityHook, findIgnoredKeys, type MissingGuard, summarizeMatch } from '../planner/index.ts';
import {
  type AbilityHook,
  type AbilityOnFault,
  type ConfigProblem,
  ConfigSource,
  copyOrigin,
  describeUnapproved,
  type Notice,
  notice,
  type SkipReason,
} from '../protocol/index.ts';
import { toTrustReasons } from '../registry/index.ts';
import type { AbilityHookFile } from './declaration/read-hook-file.ts';
import type { JudgedFile } from './guarding/judge-files.ts';
import { createMissingGuard, refusesAnyEvent, resolveOnFaultOfExpired } from './guarding/missing-guard.ts';

export interface ConfigureOptions {
  readonly onFault?: AbilityOnFault | undefined;
  /** Ids of hooks that the user continues without: nothing is refused in their place. */
  readonly without?: readonly string[] | undefined;
}

export interface ConfiguredAbilities {
  readonly hooks: readonly ConfiguredAbilityHook[];
  readonly problems: readonly ConfigProblem[];
}

const findSkipReasons = ({ file, verdict }: JudgedFile): SkipReason[] => {
  const { hook, eventType = '' } = file;
  if (hook === undefined) return ['invalid-config'];
  const unknown: SkipReason[] = isAbilityEventType(eventType) ? [] : ['unknown-event'];
  return [...unknown, ...(hook.enabled ? [] : (['disabled'] as const)), ...toTrustReasons(verdict)];
};

const describeMatch = ({ hook }: AbilityHookFile): { matcher?: string; warnings?: readonly Notice[] } => {
  if (hook === undefined || !isAbilityEventType(hook.eventType)) return {};
  const { everything, match } = abilityCatalogue[hook.eventType];
  const warnings = findIgnoredKeys(hook.match, match).map((key) =>
    notice('no-effect', `${hook.eventType} has nothing to compare ${key} with; it is ignored`),
  );
  return { matcher: summarizeMatch(hook.match, everything), ...(warnings.length === 0 ? {} : { warnings }) };
};

const describeFirstReason = (first: SkipReason | undefined, { problems }: AbilityHookFile): string | undefined => {
  if (first === 'disabled') return 'Its declaration says enabled: false.';
  if (first !== 'invalid-config' && first !== 'unknown-event') return undefined;
  return problems.find(({ skipped }) => skipped)?.message;
};

const mayBlock = ({ mayDecide, awaitsApproval, file }: JudgedFile): boolean =>
  mayDecide || (awaitsApproval && (file.hook ?? file.remains)?.onFault === 'fail');

const withOnLapse = (hook: AbilityHook, { onFault }: ConfigureOptions): AbilityHook => {
  const onLapse = resolveOnFaultOfExpired(hook, onFault);
  if (onLapse === 'skip' || !hook.blocking) return { ...hook, onLapse };
  return { ...hook, onLapse, config: copyOrigin({ ...hook.config, onFault: 'deny' }, hook.config) };
};

const createGuardOfUnusableFile = (judged: JudgedFile, { onFault }: ConfigureOptions): MissingGuard | undefined => {
  const { verdict, awaitsApproval, approved } = judged;
  const { file, hook, remains = {}, problems } = judged.file;
  const first = problems.find(({ skipped }) => skipped);
  if (first === undefined && toTrustReasons(verdict).length === 0) return undefined;
  const line = first?.line ?? hook?.line ?? 1;
  const absent = { file, line, remains: hook ?? remains, approved };
  if (first !== undefined) {
    const message = `${file}:${line} cannot be used: ${first.message}`;
    return createMissingGuard({ ...absent, code: 'invalid-config', message }, onFault);
  }
  const code = awaitsApproval ? 'untrusted' : 'changed-since-trusted';
  return createMissingGuard({ ...absent, code, message: describeUnapproved(code, `${file}:${line}`) }, onFault);
};

const findMissingGuard = (judged: JudgedFile, options: ConfigureOptions): MissingGuard | undefined => {
  const missing = mayBlock(judged) ? createGuardOfUnusableFile(judged, options) : undefined;
  return missing !== undefined && options.without?.includes(missing.id) ? undefined : missing;
};

const describeConsequence = (missing: MissingGuard): string =>
  refusesAnyEvent(missing) ? 'what it might check is refused' : 'what it might check continues without it';

const withConsequence = (detail: string | undefined, missing: MissingGuard): string =>
  detail === undefined ? `Until then ${describeConsequence(missing)}.` : `${detail}; ${describeConsequence(missing)}.`;

const createWaitingProblems = (
  { file, awaitsApproval: isNew }: JudgedFile,
  missing: MissingGuard | undefined,
): ConfigProblem[] => {
  const { file: path, hook } = file;
  if (hook?.enabled !== true && missing === undefined) return [];
  const state = isNew ? 'waits for an approval' : 'changed after it was approved';
  const consequence = missing === undefined ? 'does not run until then' : describeConsequence(missing);
  return [
    {
      code: isNew ? 'awaiting-approval' : 'changed-since-trusted',
      severity: !isNew && missing !== undefined && refusesAnyEvent(missing) ? 'error' : 'warning',
      skipped: true,
      path: '',
      source: ConfigSource.Project,
      message: `"${missing?.id ?? hook?.id}" ${state}, and ${consequence}; review and approve it: hookwright trust`,
      hint: 'hookwright trust',
      file: path,
      line: hook?.line ?? 1,
      column: 1,
    },
  ];
};

const collectProblems = (
  judged: JudgedFile,
  missing: MissingGuard | undefined,
  { without = [] }: ConfigureOptions,
): readonly ConfigProblem[] => {
  const { file, verdict, awaitsApproval, mayDecide } = judged;
  const { problems } = file;
  if (problems.some(({ skipped }) => skipped)) {
    if (missing === undefined) return problems;
    return problems.map((problem) =>
      problem.skipped ? { ...problem, message: `${problem.message}; ${describeConsequence(missing)}` } : problem,
    );
  }
  const isSkippedByUser = without.includes(file.hook?.id ?? '');
  const isWaiting = toTrustReasons(verdict).length > 0 && (mayDecide || awaitsApproval) && !isSkippedByUser;
  return isWaiting ? [...problems, ...createWaitingProblems(judged, missing)] : problems;
};

const configureHook = (judged: JudgedFile, ids: DeclaredIds, options: ConfigureOptions): ConfiguredAbilities => {
  const { file, hookId } = judged;
  const { hook, eventType: eventName = '' } = file;
  const id = file.id ?? judged.approved?.id ?? file.remains?.id ?? basename(file.file);
  const own = findSkipReasons(judged);
  const { displacement, problem }: IdConflict = hook === undefined ? {} : ids.enter(hook, own.length === 0);
  const missing = displacement?.missing ?? findMissingGuard(judged, options);
  const reason = describeFirstReason(own[0], file);
  const ownDetail = missing === undefined ? reason : withConsequence(reason, missing);
  const isUnread = hook === undefined && (judged.awaitsApproval || options.without?.includes(id) === true);
  const configuredHook: ConfiguredAbilityHook = omitUndefined({
    hookId,
    name: id,
    eventName,
    source: { kind: ConfigSource.Project, file: file.file, line: hook?.line ?? 1 },
    ...describeMatch(file),
    hook: hook && withOnLapse(hook, options),
    skipReasons: displacement === undefined ? own : ['duplicate'],
    detail: displacement === undefined ? ownDetail : displacement.detail,
    missing,
    unread: isUnread ? createGuardOfUnusableFile(judged, options) : undefined,
  });
  const problems = collectProblems(judged, displacement === undefined ? missing : undefined, options);
  return { hooks: [configuredHook], problems: problem === undefined ? problems : [...problems, problem] };
};

/** Only the first runnable hook with an id runs; calls that later hooks with the id would check are refused. */
export const configureAbilities = (judged: readonly JudgedFile[], options: ConfigureOptions): ConfiguredAbilities => {
  const ids = new DeclaredIds();
  const parts = judged.map((file) => configureHook(file, ids, options));
  return { hooks: parts.flatMap(({ hooks }) => hooks), problems: parts.flatMap(({ problems }) => problems) };
};

const CHOOSE_ANOTHER_ID = 'give one of the two another id';

interface IdConflict {
  /** Set if another hook has the id. */
  readonly displacement?: { readonly missing: MissingGuard | undefined; readonly detail: string } | undefined;
  readonly problem?: ConfigProblem | undefined;
}

const describeTakenId = ({ blocking }: AbilityHook, takenBy: string): string =>
  `taken by ${takenBy}${blocking ? ', and what this hook would check is refused' : ''}; ${CHOOSE_ANOTHER_ID}`;

const createDisplacedGuard = (hook: AbilityHook, takenBy: string): MissingGuard | undefined => {
  const { id, eventType, match, blocking, file, line } = hook;
  if (!blocking || !isAbilityEventType(eventType)) return undefined;
  const message = `${basename(file)} does not run: its id is taken by ${basename(takenBy)}; ${CHOOSE_ANOTHER_ID}`;
  return { id, events: { [eventType]: 'fail' }, match, file, line, code: 'not-supported', message };
};

const createDuplicateIdProblem = (hook: AbilityHook, first: string, takenBy: string | undefined): ConfigProblem => {
  const { id, file, line } = hook;
  const state =
    takenBy === undefined ? `declared by ${first} too; ${CHOOSE_ANOTHER_ID}` : describeTakenId(hook, takenBy);
  return {
    code: 'duplicate-name',
    severity: 'error',
    skipped: takenBy !== undefined,
    path: 'id',
    source: ConfigSource.Project,
    message: `the id "${id}" is ${state}`,
    expected: 'an id of its own',
    found: `"${id}"`,
    hint: CHOOSE_ANOTHER_ID,
    file,
    line,
    column: 1,
  };
};

class DeclaredIds {
  readonly #declared = new Map<string, string>();
  readonly #taken = new Map<string, string>();

  enter(hook: AbilityHook, isReady: boolean): IdConflict {
    const { id, file } = hook;
    const first = this.#declared.get(id);
    const takenBy = isReady ? this.#taken.get(id) : undefined;
    if (first === undefined) this.#declared.set(id, file);
    if (isReady && takenBy === undefined) this.#taken.set(id, file);
    const problem = first === undefined ? undefined : createDuplicateIdProblem(hook, first, takenBy);
    if (takenBy === undefined) return { problem };
    const missing = createDisplacedGuard(hook, takenBy);
    return { displacement: { missing, detail: `Its id is ${describeTakenId(hook, takenBy)}.` }, problem };
  }
}
