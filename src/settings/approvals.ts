/** Compares hooks of settings files with approvals, and finds approved guards that are disabled or missing. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { isHookEventName } from '../events/index.ts';
import { doNothing, omitUndefined, once } from '../kit/index.ts';
import { checkDirectoryNow, readPrivateJson, toPathWithin, writePrivateFile } from '../kit/node.ts';
import { type ConfigProblem, ConfigSource, getOrigin, isGuardEntry, type LostGuard } from '../protocol/index.ts';
import {
  type ConfiguredHook,
  copyWithOwnConfig,
  createApprovalProblem,
  HookIds,
  type HookReading,
  toTrustQuestion,
  withVerdict,
} from '../registry/index.ts';
import {
  type Approval,
  isStrictOnFault,
  judgeHooks,
  type KnownGuard,
  readFileStamp,
  type TrustScope,
  toKnownGuard,
} from '../trust/index.ts';
import type { SettingsSnapshot } from './files-source.ts';
import type { CombinedSettings, HookFile } from './reading/combine-files.ts';
import type { GuardFile } from './source-file.ts';

export interface ApprovalComparison {
  readonly reading?: HookReading | undefined;
  readonly problems: readonly ConfigProblem[];
  readonly lost: readonly LostGuard[];
  readonly troubles: readonly string[];
  isCurrent(): boolean;
}

export const noApprovalComparison: ApprovalComparison = {
  problems: [],
  lost: [],
  troubles: [],
  isCurrent: () => false,
};

export const compareWithApprovals = async (
  place: TrustScope,
  { reportRemoved, gathered, guarded: found, lookedAt }: SettingsSnapshot & { readonly reportRemoved: boolean },
): Promise<ApprovalComparison> => {
  const ids = new HookIds();
  const rows = gathered.hookFiles.flatMap((hookFile) => hookFile.rows);
  const asked = rows.map((row) => {
    const hook = { ...copyWithOwnConfig(row), hookId: ids.unique(row.hookId) };
    return { hook, question: toTrustQuestion(hook) };
  });
  const questions = asked.flatMap(({ question }) => question ?? []);
  // If a hook nests too deep to be compared, all hooks stay unapproved; the registry reports the hook.
  const judged = await judgeHooks(questions, place).catch(() => undefined);
  const { projects, troubles, isCurrent } = judged ?? (await judgeHooks([], place));
  const verdicts = new Map(questions.map((question, index) => [question, judged?.verdicts[index] ?? 'untrusted']));
  const hooks = asked.map(({ hook, question }) =>
    question === undefined ? hook : withVerdict(hook, verdicts.get(question) ?? 'untrusted'),
  );
  const waiting = createApprovalProblem(hooks);
  const problems = [
    ...(questions.length === 0 ? [] : [...new Set(troubles)].map(toStoreProblem)),
    ...(waiting === undefined ? [] : [waiting]),
  ];
  const readHere = new Set(lookedAt.map(({ path }) => path));
  /** A file that exists but was not read here may be read by an agent's loader, which reports the file's lost guards. */
  const isUnread = (file: string): boolean => !(readHere.has(file) || readHere.has(dirname(file))) && existsSync(file);
  const lost: LostGuard[] = [];
  const outerFiles = new Set(found.flatMap(({ file }) => (file.outer === undefined ? [] : [file.path])));
  for (const [projectDir, { approvals, off, judgements, gone }] of projects) {
    const isOuter = projectDir !== place.projectDir;
    const files = found.filter(({ file }) => (isOuter ? file.outer === projectDir : file.outer === undefined));
    const paths = new Set(files.map(({ file }) => file.path));
    const own = hooks.filter(({ source: { file = '' } }) => (isOuter ? paths.has(file) : !outerFiles.has(file)));
    const moved = judgements.flatMap(({ subject, previous }) =>
      previous === undefined ? [] : [{ previous, event: String(subject.content.event), ...subject.position }],
    );
    const { problems: mistakes } = gathered;
    const unread = findUnreadGuards(files, approvals, { ...place, projectDir }, { rows, problems: mistakes });
    lost.push(...unread, ...findGuardsOfMovedHooks(moved, found));
    problems.push(...reportDisabledGuards(own, gathered, off));
    if (!reportRemoved) continue;
    const unreadable = new Set(
      files.filter((file) => file.unread !== undefined).map(({ file }) => toPathWithin(projectDir, file.path)),
    );
    const missed = gone
      .filter(
        ({ content: { file } }) =>
          typeof file !== 'string' || !(unreadable.has(file) || isUnread(join(projectDir, file))),
      )
      .filter(({ name }) => !unread.some((guard) => guard.name === name))
      .filter((approval) => !isOuter || toKnownGuard(approval) !== undefined);
    problems.push(...reportRemovedHooks(missed));
  }
  await recordKnownGuards(place.home, found, gathered.hookFiles, lost);
  const knownFile = getKnownGuardsPath(place.home);
  const knownStamp = readFileStamp(knownFile);
  return {
    reading: judged && { hooks, problems: gathered.hookFiles.flatMap((hookFile) => hookFile.problems), isJudged: true },
    problems,
    lost,
    troubles,
    isCurrent: () => isCurrent() && readFileStamp(knownFile) === knownStamp,
  };
};

const toStoreProblem = (message: string): ConfigProblem => ({
  code: 'unreadable-file',
  severity: 'error',
  skipped: true,
  path: 'hooks',
  source: ConfigSource.User,
  message,
});

/** Approvals of abilities are in the same store; the loader of abilities checks them. */
const isSettingsHook = ({ content: { kind, event, source } }: Approval): boolean =>
  kind === 'hook' && source !== 'user' && source !== 'system' && typeof event === 'string' && isHookEventName(event);

const reportRemovedHooks = (gone: readonly Approval[]): ConfigProblem[] => {
  const names = [...new Set(gone.filter(isSettingsHook).map(({ name }) => name))];
  if (names.length === 0) return [];
  const hint = 'hookwright trust --revoke <name> forgets it';
  const message = `no longer there although approved: ${names.join(', ')}; nothing is refused for it; ${hint}`;
  const severity = gone.some((approval) => toKnownGuard(approval) !== undefined) ? 'error' : 'warning';
  return [{ code: 'removed', severity, skipped: false, path: 'hooks', source: ConfigSource.Project, message, hint }];
};

/** At other events a guard does not decide whether a tool call happens, so a lost guard refuses nothing. */
const eventsBeforeCalls: ReadonlySet<string> = new Set(['BeforeTool', 'PermissionRequest']);

const REPAIR_HINT = 'repair the file, or go on without hooks for ten minutes: hookwright disable --all --for 10m';

interface LossReason {
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly message: string;
}

/** The rules of an agent that a settings entry names are not loaded here, so such a lost guard applies to every call. */
const toCallMatcher = (
  { event, matcher, agent, agentEvent }: KnownGuard,
  guardMatching: GuardFile['guardMatching'],
): Pick<LostGuard, 'matches'> => {
  if (guardMatching !== undefined) return { matches: guardMatching(event, matcher, agentEvent) };
  return agent === undefined ? {} : { matches: () => true };
};

const toLostGuard = (
  guard: KnownGuard,
  kind: ConfigSource,
  { file, line = 1, message }: LossReason,
  guardMatching: GuardFile['guardMatching'],
): LostGuard => ({
  name: guard.name,
  eventName: guard.event,
  ...omitUndefined({ matcher: guard.matcher }),
  ...toCallMatcher(guard, guardMatching),
  onFault: guard.onFault,
  source: { kind, ...(file === undefined ? {} : { file, line }) },
  code: 'invalid-config',
  message,
});

const explainUnreadFile = ({ file, unread }: GuardFile): LossReason => {
  const { line = 1, message = 'it cannot be read' } = unread ?? {};
  return { file: file.path, line, message: `${file.path}:${line} cannot be read (${message}); ${REPAIR_HINT}` };
};

const findMistakeInFile = ({ file }: GuardFile, problems: readonly ConfigProblem[]): LossReason | undefined => {
  const found = problems.find(
    ({ severity, skipped, file: path }) => severity === 'error' && skipped && path === file.path,
  );
  if (found === undefined) return undefined;
  const { line = 1, message } = found;
  return { file: file.path, line, message: `it cannot be read at ${file.path}:${line} (${message}); ${REPAIR_HINT}` };
};

const findUnreadGuards = (
  found: readonly GuardFile[],
  approvals: readonly Approval[],
  { projectDir, home }: Pick<TrustScope, 'projectDir' | 'home'>,
  { rows, problems }: Pick<HookFile, 'rows' | 'problems'>,
): LostGuard[] => {
  const kept = once(() => readKnownGuards(home));
  const isThere = ({ name, event }: KnownGuard): boolean =>
    rows.some(({ config, ...row }) => isGuardEntry({ ...config }) && row.name === name && row.eventName === event);
  return found.flatMap((one) => {
    const isWhole = one.unread === undefined;
    const why = isWhole ? findMistakeInFile(one, problems) : explainUnreadFile(one);
    if (why === undefined) return [];
    const { path, owner, scope } = one.file;
    const place = toPathWithin(projectDir, path);
    const isOfFile = (guard: KnownGuard & { readonly file?: string }): boolean =>
      guard.file === place || (guard.file === undefined && !isWhole);
    const guards =
      owner === 'project'
        ? approvals.flatMap((approval) => toKnownGuard(approval) ?? []).filter(isOfFile)
        : (kept()[path] ?? []);
    return guards
      .filter((guard) => eventsBeforeCalls.has(guard.event) && !(isWhole && isThere(guard)))
      .map((guard) => toLostGuard(guard, scope, why, one.guardMatching));
  });
};

const findGuardsOfMovedHooks = (
  moved: readonly {
    readonly previous: Approval;
    readonly event: string;
    readonly file?: string | undefined;
    readonly line?: number | undefined;
  }[],
  files: readonly GuardFile[],
): LostGuard[] =>
  moved.flatMap(({ previous, event, file, line }) => {
    const guard = toKnownGuard(previous);
    if (guard === undefined || guard.event === event) return [];
    const message = `it was approved for ${guard.event} and stands at ${event} now; review it: hookwright trust`;
    const { guardMatching } = files.find((one) => one.file.path === file) ?? {};
    const loss = toLostGuard(guard, ConfigSource.Project, { file, line, message }, guardMatching);
    return [{ ...loss, code: 'changed-since-trusted' as const }];
  });

const reportDisabledGuards = (
  hooks: readonly ConfiguredHook[],
  { offInProject }: Pick<CombinedSettings, 'offInProject'>,
  recorded: readonly string[],
): ConfigProblem[] => {
  const isOff = ({ disabled, skipReasons, source: { file } }: ConfiguredHook): boolean =>
    disabled === true || (file !== undefined && skipReasons.includes('hooks-disabled') && offInProject.includes(file));
  const isKnown = ({ config, approved }: ConfiguredHook): boolean =>
    isStrictOnFault(approved?.onFault) ||
    (config !== undefined && getOrigin(config)?.approved === true && isGuardEntry({ ...config }));
  return hooks
    .filter((hook) => isOff(hook) && isKnown(hook) && !recorded.includes(hook.name))
    .map(({ name, source }) => {
      const hint = `switch it on again, or record that you want this: hookwright disable ${JSON.stringify(name)}`;
      return {
        code: 'switched-off',
        severity: 'error',
        skipped: true,
        path: 'hooks',
        source: ConfigSource.Project,
        message: `the project switched "${name}" off, a guard that was approved, so it does not run; ${hint}`,
        hint,
        ...(source.file === undefined ? {} : { file: source.file, line: source.line ?? 1, column: 1 }),
      };
    });
};

const MAX_KNOWN_GUARDS_BYTES = 1_048_576;

const getKnownGuardsPath = (home: string): string => join(home, '.hookwright', 'guards.json');

const knownGuardsSchema = once(() =>
  z.object({
    version: z.literal(1),
    files: z.record(
      z.string(),
      z.array(
        z.object({
          name: z.string(),
          event: z.string(),
          matcher: z.optional(z.string()),
          onFault: z.enum(['deny', 'ask']),
          agent: z.optional(z.string()),
        }),
      ),
    ),
  }),
);

const readKnownGuards = (home: string): Readonly<Record<string, readonly KnownGuard[]>> => {
  const known = knownGuardsSchema().safeParse(
    readPrivateJson(getKnownGuardsPath(home), { maxBytes: MAX_KNOWN_GUARDS_BYTES, private: true }).value,
  );
  return known.success ? known.data.files : {};
};

const listGuardsOfHook = ({ name, eventName, matcher, config }: ConfiguredHook): KnownGuard[] => {
  const { onFault, agent } = config ?? {};
  return isStrictOnFault(onFault) ? [omitUndefined({ name, event: eventName, onFault, matcher, agent })] : [];
};

const recordKnownGuards = async (
  home: string,
  found: readonly GuardFile[],
  hookFiles: CombinedSettings['hookFiles'],
  lostNow: readonly LostGuard[],
): Promise<void> => {
  const before = readKnownGuards(home);
  const files: Record<string, readonly KnownGuard[]> = { ...before };
  for (const { file, unread } of found) {
    if (file.owner === 'project' || unread !== undefined) continue;
    const guards = hookFiles
      .filter((hookFile) => hookFile.file.path === file.path)
      .flatMap(({ rows }) => rows.flatMap(listGuardsOfHook));
    const mistaken = lostNow.filter(({ source }) => source.file === file.path).map(({ name }) => name);
    const kept = (before[file.path] ?? []).filter(({ name }) => mistaken.includes(name));
    if (guards.length + kept.length > 0) files[file.path] = [...guards, ...kept];
    else delete files[file.path];
  }
  if (JSON.stringify(files) === JSON.stringify(before)) return;
  // The list is not written into a directory that another user can write.
  if (checkDirectoryNow(join(home, '.hookwright'), 'private') !== 'usable') return;
  const text = `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`;
  await writePrivateFile(getKnownGuardsPath(home), text, 0o600).catch(doNothing);
};
