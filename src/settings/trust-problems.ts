/** Judges the hooks of settings files once a load, and finds approved guards that are off, moved, unreadable or gone. */
import { isHookEventName } from '../events/index.ts';
import { within } from '../kit/node.ts';
import { type ConfigProblem, ConfigSource, type LostGuard } from '../protocol/index.ts';
import {
  awaitingApproval,
  HookIds,
  type HookReading,
  ownConfig,
  trustQuestion,
  withVerdict,
} from '../registry/index.ts';
import { type Approval, guardIn, judgeHooks, stampOf, type TrustPlace } from '../trust/index.ts';
import type { SourceSnapshot } from './files-source.ts';
import { guardsMoved, guardsSwitchedOff, guardsUnread, keepKnown, knownGuardsFile } from './known-guards.ts';

/** Abilities and their hooks share the store, and are looked at by those who load them. */
const isOfSettings = ({ content: { kind, event, source } }: Approval): boolean =>
  kind === 'hook' && source !== 'user' && source !== 'system' && typeof event === 'string' && isHookEventName(event);

const removed = (gone: readonly Approval[]): ConfigProblem[] => {
  const names = [...new Set(gone.filter(isOfSettings).map(({ name }) => name))];
  if (names.length === 0) return [];
  const hint = 'hookwright trust --revoke <name> forgets it';
  const message = `no longer there although approved: ${names.join(', ')}; nothing is refused for it; ${hint}`;
  const severity = gone.some((approval) => guardIn(approval) !== undefined) ? 'error' : 'warning';
  return [{ code: 'removed', severity, skipped: false, path: 'hooks', source: ConfigSource.Project, message, hint }];
};

export interface JudgedFiles {
  /** The hooks of all files with what keeps each from running; `undefined` if they cannot be compared with approvals. */
  readonly reading?: HookReading | undefined;
  readonly problems: readonly ConfigProblem[];
  readonly lost: readonly LostGuard[];
  /** Why the store of approvals cannot be relied on. */
  readonly troubles: readonly string[];
  /** Whether judging the same files again would come to the same. */
  isCurrent(): boolean;
}

export interface JudgedLook extends SourceSnapshot {
  readonly reportRemoved: boolean;
}

/** Before the first look. */
export const notJudged: JudgedFiles = { problems: [], lost: [], troubles: [], isCurrent: () => false };

export const judgeFiles = async (
  place: TrustPlace,
  { reportRemoved, gathered, guarded: found }: JudgedLook,
): Promise<JudgedFiles> => {
  const ids = new HookIds();
  const rows = gathered.shares.flatMap((share) => share.rows);
  const asked = rows.map((row) => {
    const hook = { ...ownConfig(row), hookId: ids.unique(row.hookId) };
    return { hook, question: trustQuestion(hook) };
  });
  const questions = asked.flatMap(({ question }) => question ?? []);
  // A hook that nests too deep to be compared leaves all of them unapproved; the registry reports that.
  const judged = await judgeHooks(questions, place).catch(() => undefined);
  const { projects, troubles, isCurrent } = judged ?? (await judgeHooks([], place));
  const verdicts = new Map(questions.map((question, index) => [question, judged?.verdicts[index] ?? 'untrusted']));
  const hooks = asked.map(({ hook, question }) =>
    question === undefined ? hook : withVerdict(hook, verdicts.get(question) ?? 'untrusted'),
  );
  const waiting = awaitingApproval(hooks);
  const problems = waiting === undefined ? [] : [waiting];
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
    const unread = guardsUnread(
      files,
      { projectDir, home: place.home, approvals },
      { rows, problems: gathered.problems },
    );
    lost.push(...unread, ...guardsMoved(moved));
    problems.push(...guardsSwitchedOff(own, gathered, off));
    if (!reportRemoved) continue;
    const unreadable = new Set(
      files.filter((file) => file.unread !== undefined).map(({ file }) => within(projectDir, file.path)),
    );
    const missed = gone
      .filter(({ content: { file } }) => typeof file !== 'string' || !unreadable.has(file))
      .filter(({ name }) => !unread.some((guard) => guard.name === name))
      .filter((approval) => !isOuter || guardIn(approval) !== undefined);
    problems.push(...removed(missed));
  }
  await keepKnown(place.home, found, gathered.shares, lost);
  const knownFile = knownGuardsFile(place.home);
  const knownStamp = stampOf(knownFile);
  return {
    reading: judged && { hooks, problems: gathered.shares.flatMap((share) => share.problems), isJudged: true },
    problems,
    lost,
    troubles,
    isCurrent: () => isCurrent() && stampOf(knownFile) === knownStamp,
  };
};
