import { isHookEventName } from '../events/index.ts';
import { within } from '../kit/node.ts';
import { type ConfigProblem, ConfigSource, type LostGuard } from '../protocol/index.ts';
import { awaitingApproval, HookIds, withTrust } from '../registry/index.ts';
import type { Judged } from '../trust/index.ts';
import { type Approval, createTrustCheck, guardIn, type TrustPlace, TrustStore } from '../trust/index.ts';
import type { SourceSnapshot } from './files-source.ts';
import { guardsMoved, guardsSwitchedOff, guardsUnread, keepKnown } from './known-guards.ts';
import { ownCopy } from './reading/gather.ts';

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

/** What a look at the approvals of a project finds. */
export interface TrustFindings {
  readonly problems: readonly ConfigProblem[];
  readonly lost: readonly LostGuard[];
}

export interface TrustLook extends SourceSnapshot {
  readonly reportRemoved: boolean;
}

/** Why nothing is trusted, which hooks wait for an approval, and which approved ones are off, moved, unreadable or gone. */
export const trustProblems = async (
  place: TrustPlace,
  { reportRemoved, gathered, guarded: found }: TrustLook,
): Promise<TrustFindings> => {
  const judged = new Map<string, Judged>();
  const trustCheck = createTrustCheck({ ...place, onJudged: (all, projectDir) => judged.set(projectDir, all) });
  const rows = gathered.shares.flatMap((share) => share.rows);
  const ids = new HookIds();
  const trusted = await Promise.all(
    rows.map((row) => withTrust({ trustCheck, config: {} }, { ...ownCopy(row), hookId: ids.unique(row.hookId) })),
  );
  const store = new TrustStore(place.home);
  const waiting = awaitingApproval(trusted);
  const problems = waiting === undefined ? [] : [waiting];
  const lost: LostGuard[] = [];
  for (const projectDir of [place.projectDir, ...(place.outer ?? [])]) {
    const isOuter = projectDir !== place.projectDir;
    const files = found.filter(({ file }) => (isOuter ? file.outer === projectDir : file.outer === undefined));
    const paths = new Set(files.map(({ file }) => file.path));
    const { approvals, off } = await store.approvalsFor(projectDir);
    const hooks = trusted.filter(
      ({ source: { file = '' } }) => isOuter === outerPaths(found).has(file) && (!isOuter || paths.has(file)),
    );
    const { judgements = [], gone = approvals } = judged.get(projectDir) ?? {};
    const moved = judgements.flatMap(({ subject, previous }) =>
      previous === undefined ? [] : [{ previous, event: String(subject.content.event), ...subject.position }],
    );
    const around = { projectDir, home: place.home, approvals };
    const unread = guardsUnread(files, around, { rows, problems: gathered.problems });
    lost.push(...unread, ...guardsMoved(moved));
    problems.push(...guardsSwitchedOff(hooks, gathered, off));
    if (!reportRemoved) continue;
    const unreadable = new Set(
      files.filter(({ unread }) => unread !== undefined).map(({ file }) => within(projectDir, file.path)),
    );
    const missed = gone
      .filter(({ content: { file } }) => typeof file !== 'string' || !unreadable.has(file))
      .filter(({ name }) => !unread.some((guard) => guard.name === name))
      .filter((approval) => !isOuter || guardIn(approval) !== undefined);
    problems.push(...removed(missed));
  }
  await keepKnown(place.home, found, gathered.shares, lost);
  return { problems, lost };
};

const outerPaths = (found: SourceSnapshot['guarded']): ReadonlySet<string> =>
  new Set(found.flatMap(({ file }) => (file.outer === undefined ? [] : [file.path])));
