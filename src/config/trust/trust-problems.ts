import { isHookEventName } from '../../events/index.ts';
import { within } from '../../kit/node.ts';
import { type ConfigProblem, ConfigSource, type HostConfig, type LostGuard } from '../../protocol/index.ts';
import { HookRegistry } from '../../registry/index.ts';
import type { Look } from '../files-source.ts';
import type { Approval } from './approval.ts';
import { createTrustCheck, type TrustPlace } from './index.ts';
import type { Judged } from './judge.ts';
import { guardIn, guardsMoved, guardsOfUnread, guardsSwitchedOff, isUnread, keepKnown } from './known-guards.ts';
import { TrustStore } from './store/store.ts';

/** Abilities and their hooks share the store, and are looked at by those who load them. */
const isOfSettings = ({ content: { kind, event } }: Approval): boolean =>
  kind === 'hook' && typeof event === 'string' && isHookEventName(event);

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

export interface TrustLook extends Look {
  readonly reportRemoved: boolean;
  readonly hookTypes: readonly string[];
}

/** Why nothing is trusted, which hooks wait for an approval, and which approved ones are off, moved, unreadable or gone. */
export const trustProblems = async (
  config: HostConfig,
  place: TrustPlace,
  { reportRemoved, hookTypes, gathered, found }: TrustLook,
): Promise<TrustFindings> => {
  const judged: Judged[] = [];
  const trustCheck = createTrustCheck({ ...place, onJudged: (all) => judged.push(all) });
  const registry = new HookRegistry(withoutProblems(config), { trustCheck, hookTypes });
  await registry.initialize();
  const { approvals, off } = await new TrustStore(place.home).approvalsFor(place.projectDir);
  const hooks = registry.getConfiguredHooks();
  await keepKnown(place.home, found, gathered.rows);
  const moved = judged
    .flatMap(({ judgements }) => judgements)
    .flatMap(({ subject, previous }) =>
      previous === undefined ? [] : [{ previous, event: String(subject.content.event), ...subject.position }],
    );
  const lost = [...guardsOfUnread(found, { ...place, approvals }), ...guardsMoved(moved)];
  const problems = [
    ...registry.getProblems().filter(({ code }) => code === 'awaiting-approval'),
    ...guardsSwitchedOff(hooks, gathered, off),
  ];
  if (!reportRemoved) return { problems, lost };
  const isUnreadable = new Set(found.filter(isUnread).map(({ file }) => within(place.projectDir, file.path)));
  const gone = (judged.length === 0 ? approvals : judged.flatMap((all) => all.gone)).filter(
    ({ content: { file } }) => typeof file !== 'string' || !isUnreadable.has(file),
  );
  return { problems: [...problems, ...removed(gone)], lost };
};

/** The hooks of a configuration, with none of what it makes beside them. */
const withoutProblems = (config: HostConfig): HostConfig => ({
  getSessionId: () => config.getSessionId(),
  getWorkingDir: () => config.getWorkingDir?.() ?? process.cwd(),
  getHooks: () => config.getHooks(),
  getExtensions: () => config.getExtensions?.(),
  getDisabledHooks: () => config.getDisabledHooks?.(),
});
