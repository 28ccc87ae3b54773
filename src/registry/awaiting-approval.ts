import { type ConfigProblem, isBroughtByProject, isUnapproved, originOf, shownName } from '../protocol/index.ts';
import type { ConfiguredHook } from './configured-hook.ts';

/** Whether nothing but an approval keeps a hook from running. */
export const waitsForApproval = ({ barriers, config, source, hint }: ConfiguredHook): boolean =>
  config !== undefined &&
  hint === undefined &&
  isBroughtByProject(source.kind, config) &&
  barriers.length > 0 &&
  barriers.every(isUnapproved);

/** Whether calls it would check are refused until the user has approved or rejected it. */
const refusesMeanwhile = ({ approved }: ConfiguredHook): boolean => (approved?.onFault ?? 'allow') !== 'allow';

/** What becomes of calls meanwhile: what was approved counts, and not what stands there now. */
const fateOf = (guards: readonly ConfiguredHook[]): string => {
  const asks = guards.some(({ approved }) => approved?.onFault === 'ask');
  const denies = guards.some(({ approved }) => approved?.onFault === 'deny');
  const words = [...(denies ? ['refused'] : []), ...(asks ? ['asked about'] : [])];
  return `calls that the approved matcher matches are ${words.join(' or ')}`;
};

const MAX_NAMES = 20;

const namesOf = (hooks: readonly ConfiguredHook[]): string => {
  const names = [...new Set(hooks.map(({ name }) => shownName(name)))];
  const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, 100));
  return names.length > MAX_NAMES ? `${shown.join(', ')} and ${names.length - MAX_NAMES} more` : shown.join(', ');
};

const HOW = 'review with hookwright trust';

/** Logs the configured hooks that do not run, for the author of the host. */
export const awaitingApproval = (hooks: readonly ConfiguredHook[]): ConfigProblem | undefined => {
  const all = hooks.filter(waitsForApproval);
  const [first] = all;
  if (first === undefined) return undefined;
  const guards = all.filter(refusesMeanwhile);
  const count = all.length === 1 ? '1 hook waits' : `${all.length} hooks wait`;
  const isOfUser = ({ config }: ConfiguredHook): boolean =>
    config !== undefined && originOf(config)?.programInProject !== undefined;
  const isMisplaced = ({ approved }: ConfiguredHook): boolean => approved?.misplaced !== undefined;
  const ofUser = all.filter(isOfUser);
  const changed = guards.filter((hook) => !isOfUser(hook) && !isMisplaced(hook));
  const misplaced = new Set(all.flatMap(({ approved }) => approved?.misplaced ?? []));
  const refusing = [
    ...(changed.length === 0
      ? []
      : [`; ${namesOf(changed)} changed after the approval: until you decide, ${fateOf(changed)}`]),
    ...[...misplaced].map((why) => `; ${why}`),
    ...(ofUser.length === 0 ? [] : [`; what ${namesOf(ofUser)} starts lies in this project`]),
    ...(guards.some(isOfUser) ? [', and what a guard of these would check is refused'] : []),
  ].join('');
  return {
    code: 'awaiting-approval',
    severity: guards.length === 0 ? 'warning' : 'error',
    skipped: true,
    path: 'hooks',
    source: first.source.kind,
    message: `${count} for an approval and will not run: ${namesOf(all)}${refusing}; ${HOW}`,
    hint: HOW,
  };
};
