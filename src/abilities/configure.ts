// Turns declaration files, whose approvals are checked, into hooks for the planner, and reports problems.
import { basename } from 'node:path';
import { abilityCatalogue, isAbilityEventType } from '../events/index.ts';
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
import { toTrustBarriers } from '../registry/index.ts';
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
  return [...unknown, ...(hook.enabled ? [] : (['disabled'] as const)), ...toTrustBarriers(verdict)];
};

const details: Readonly<Partial<Record<SkipReason, string>>> = {
  disabled: 'Its declaration says enabled: false.',
};

const summarizeHookMatch = ({ hook }: AbilityHookFile): string | undefined => {
  if (hook === undefined || !isAbilityEventType(hook.eventType)) return undefined;
  return summarizeMatch(hook.match, abilityCatalogue[hook.eventType].everything);
};

const findIgnoredKeyWarnings = ({ hook }: AbilityHookFile): readonly Notice[] => {
  if (hook === undefined || !isAbilityEventType(hook.eventType)) return [];
  const ignored = findIgnoredKeys(hook.match, abilityCatalogue[hook.eventType].match);
  return ignored.map((key) =>
    notice('no-effect', `${hook.eventType} has nothing to compare ${key} with; it is ignored`),
  );
};

const describeFirstReason = (first: SkipReason | undefined, { problems }: AbilityHookFile): string | undefined => {
  if (first !== 'invalid-config' && first !== 'unknown-event') return first && details[first];
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
  if (toTrustBarriers(verdict).length === 0) return undefined;
  return awaitsApproval
    ? { line, code: 'untrusted', message: describeUnapproved('untrusted', place) }
    : {
        line,
        code: 'changed-since-trusted',
        message: describeUnapproved('changed-since-trusted', place),
      };
};

const mayBlock = ({ mayDecide, awaitsApproval, file }: JudgedFile): boolean =>
  mayDecide || (awaitsApproval && (file.hook ?? file.remains)?.onFault === 'fail');

const withOnLapse = (hook: AbilityHook, { onFault }: ConfigureOptions): AbilityHook => {
  const leadsTo = resolveOnFaultOfExpired(hook, onFault);
  if (leadsTo === 'skip' || !hook.blocking) return { ...hook, onLapse: leadsTo };
  return { ...hook, onLapse: leadsTo, config: copyOrigin({ ...hook.config, onFault: 'deny' }, hook.config) };
};

const createStandIn = (one: JudgedFile, { onFault }: ConfigureOptions): MissingGuard | undefined => {
  const why = whyMissing(one);
  if (why === undefined) return undefined;
  const { file, approved } = one;
  const { line, code, message } = why;
  const remains = file.hook ?? file.remains ?? {};
  return createMissingGuard({ file: file.file, line, code, why: message, remains, approved }, onFault);
};

const findMissingGuard = (one: JudgedFile, options: ConfigureOptions): MissingGuard | undefined => {
  const missing = mayBlock(one) ? createStandIn(one, options) : undefined;
  return missing !== undefined && options.without?.includes(missing.id) ? undefined : missing;
};

const describeConsequence = (missing: MissingGuard): string =>
  refusesAnyEvent(missing) ? 'what it might check is refused' : 'what it might check continues without it';

const withConsequence = (said: string | undefined, missing: MissingGuard): string =>
  said === undefined ? `Until then ${describeConsequence(missing)}.` : `${said}; ${describeConsequence(missing)}.`;

const createWaitingProblems = (
  { file, awaitsApproval: isNew }: JudgedFile,
  missing: MissingGuard | undefined,
): ConfigProblem[] => {
  const { file: path, hook } = file;
  if (hook?.enabled !== true && missing === undefined) return [];
  const what = isNew ? 'waits for an approval' : 'changed after it was approved';
  const comes = missing === undefined ? 'does not run until then' : describeConsequence(missing);
  return [
    {
      code: isNew ? 'awaiting-approval' : 'changed-since-trusted',
      severity: !isNew && missing !== undefined && refusesAnyEvent(missing) ? 'error' : 'warning',
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

const collectProblems = (
  one: JudgedFile,
  missing: MissingGuard | undefined,
  { without = [] }: ConfigureOptions,
): readonly ConfigProblem[] => {
  const { file, verdict, awaitsApproval, mayDecide } = one;
  const { problems } = file;
  if (problems.some(({ skipped }) => skipped)) {
    if (missing === undefined) return problems;
    return problems.map((problem) =>
      problem.skipped ? { ...problem, message: `${problem.message}; ${describeConsequence(missing)}` } : problem,
    );
  }
  const isKnown = without.includes(file.hook?.id ?? '');
  const isWaiting = toTrustBarriers(verdict).length > 0 && (mayDecide || awaitsApproval) && !isKnown;
  return isWaiting ? [...problems, ...createWaitingProblems(one, missing)] : problems;
};

const configureHook = (one: JudgedFile, ids: DeclaredIds, options: ConfigureOptions): ConfiguredAbilities => {
  const { file, hookId } = one;
  const { hook, eventType: eventName = '' } = file;
  const id = file.id ?? one.approved?.id ?? file.remains?.id ?? basename(file.file);
  const own = findSkipReasons(one);
  const { displacement, problem }: EnteredHook = hook === undefined ? {} : ids.enter(hook, own.length === 0);
  const barriers: SkipReason[] = displacement === undefined ? own : ['duplicate'];
  const missing = displacement?.missing ?? findMissingGuard(one, options);
  const unread =
    hook === undefined && (one.awaitsApproval || options.without?.includes(id))
      ? createStandIn(one, options)
      : undefined;
  const said = displacement === undefined ? describeFirstReason(own[0], file) : displacement.detail;
  const detail = displacement === undefined && missing !== undefined ? withConsequence(said, missing) : said;
  const matcher = summarizeHookMatch(file);
  const warnings = findIgnoredKeyWarnings(file);
  const configuredHook: ConfiguredAbilityHook = {
    hookId,
    name: id,
    eventName,
    source: { kind: ConfigSource.Project, file: file.file, line: hook?.line ?? 1 },
    ...(matcher === undefined ? {} : { matcher }),
    ...(hook === undefined ? {} : { hook: withOnLapse(hook, options) }),
    barriers,
    ...(detail === undefined ? {} : { detail }),
    ...(missing === undefined ? {} : { missing }),
    ...(unread === undefined ? {} : { unread }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  const problems = collectProblems(one, displacement === undefined ? missing : undefined, options);
  return { hooks: [configuredHook], problems: problem === undefined ? problems : [...problems, problem] };
};

/**
 * Only one runnable hook can have an id. Later hooks with that id do not run, and calls that they would check are
 * refused.
 */
export const configureAbilities = (judged: readonly JudgedFile[], options: ConfigureOptions): ConfiguredAbilities => {
  const ids = new DeclaredIds();
  const parts = judged.map((one) => configureHook(one, ids, options));
  return { hooks: parts.flatMap(({ hooks }) => hooks), problems: parts.flatMap(({ problems }) => problems) };
};

const CHOOSE_ANOTHER_ID = 'give one of the two another id';

interface Displacement {
  readonly missing?: MissingGuard | undefined;
  readonly detail: string;
}

interface EnteredHook {
  readonly displacement?: Displacement | undefined;
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

const createDisplacement = (hook: AbilityHook, takenBy: string): Displacement => ({
  missing: createDisplacedGuard(hook, takenBy),
  detail: `Its id is ${describeTakenId(hook, takenBy)}.`,
});

const createDuplicateIdProblem = (hook: AbilityHook, first: string, takenBy: string | undefined): ConfigProblem => {
  const { id, file, line } = hook;
  const what =
    takenBy === undefined ? `declared by ${first} too; ${CHOOSE_ANOTHER_ID}` : describeTakenId(hook, takenBy);
  return {
    code: 'duplicate-name',
    severity: 'error',
    skipped: takenBy !== undefined,
    path: 'id',
    source: ConfigSource.Project,
    message: `the id "${id}" is ${what}`,
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

  enter(hook: AbilityHook, isReady: boolean): EnteredHook {
    const { id, file } = hook;
    const first = this.#declared.get(id);
    const taken = this.#taken.get(id);
    const takenBy = isReady ? taken : undefined;
    if (first === undefined) this.#declared.set(id, file);
    if (isReady && taken === undefined) this.#taken.set(id, file);
    return {
      displacement: takenBy === undefined ? undefined : createDisplacement(hook, takenBy),
      problem: first === undefined ? undefined : createDuplicateIdProblem(hook, first, takenBy),
    };
  }
}
