// Applies trust to configured hooks: the question about each, its verdict, and the report about hooks that await approval.
import { describeThrown } from '../kit/index.ts';
import {
  type ConfigProblem,
  displayName,
  type HookConfig,
  type HostConfig,
  isBroughtByProject,
  isUnapproved,
  type Logger,
  originOf,
  type RowSource,
  type SkipReason,
} from '../protocol/index.ts';
import type { ApprovedBefore, ConfiguredHook } from './configured-hook.ts';

export type TrustVerdict =
  | boolean
  | 'trusted'
  | 'untrusted'
  | 'changed-since-trusted'
  | { readonly changed: ApprovedBefore };

/** The question about a hook of a project or an extension before it may run. */
export interface TrustQuestion {
  readonly hookId: string;
  readonly name: string;
  readonly eventName: string;
  /** Source of the hook, with file and line if it was read from a file. */
  readonly source: RowSource;
  readonly matcher?: string;
  readonly sequential: boolean;
  readonly config: HookConfig;
}

/** Called once per load for every hook of a project or extension. */
export type TrustCheck = (question: TrustQuestion) => TrustVerdict | Promise<TrustVerdict>;

/** Decides about trust: the check if there is one, else the host. */
export interface TrustDecider {
  readonly trustCheck?: TrustCheck | undefined;
  readonly config: Pick<HostConfig, 'isTrustedFolder'>;
  readonly logger?: Logger | undefined;
}

/** Adds the reason that keeps an untrusted hook from running. */
export const withTrust = async (trusting: TrustDecider, hook: ConfiguredHook): Promise<ConfiguredHook> => {
  const question = trustQuestion(hook);
  return question === undefined ? hook : withVerdict(hook, await judge(trusting, question));
};

/** The question about a hook; `undefined` if it needs no approval, or none could make it run. */
export const trustQuestion = (hook: ConfiguredHook): TrustQuestion | undefined => {
  const { hookId, name, eventName, source, matcher, sequential, config, barriers } = hook;
  // A hook of an untrusted source is not offered for approval.
  if (config === undefined || barriers.includes('untrusted') || !isBroughtByProject(source.kind, config))
    return undefined;
  return { hookId, name, eventName, source, sequential, config, ...(matcher === undefined ? {} : { matcher }) };
};

/** The hook with the consequences of the verdict. */
export const withVerdict = (hook: ConfiguredHook, verdict: TrustVerdict): ConfiguredHook => {
  const barriers = trustBarriers(verdict);
  if (barriers.length === 0) return hook;
  const { config, matcher } = hook;
  const changed = typeof verdict === 'object' ? verdict.changed : undefined;
  // A user's hook has its fault policy in the user's file; only its program is in the project.
  const isOfUser = config !== undefined && originOf(config)?.programInProject !== undefined;
  const before = isOfUser ? { ...changed, onFault: config.onFault, matcher } : changed;
  const approved = before === undefined ? {} : { approved: before };
  return { ...hook, ...approved, barriers: [...hook.barriers, ...barriers] };
};

export const trustBarriers = (verdict: TrustVerdict): readonly SkipReason[] => {
  if (verdict === true || verdict === 'trusted') return [];
  const isChanged = typeof verdict === 'object' || verdict === 'changed-since-trusted';
  return isChanged ? ['changed-since-trusted'] : ['untrusted'];
};

const judge = async (
  { trustCheck, config: host, logger }: TrustDecider,
  question: TrustQuestion,
): Promise<TrustVerdict> => {
  if (trustCheck === undefined) return question.source.file === undefined && host.isTrustedFolder?.() !== false;
  return askTrustCheck(trustCheck, question, (message) => logger?.error?.(message));
};

/** The verdict of a trust check; a check that throws trusts nothing. */
export const askTrustCheck = async (
  check: TrustCheck,
  question: TrustQuestion,
  onError: (message: string) => void,
): Promise<TrustVerdict> => {
  try {
    return await check(question);
  } catch (error) {
    onError(`The trust check failed for ${question.hookId}, so it stays untrusted: ${describeThrown(error)}`);
    return 'untrusted';
  }
};

/** Whether only an approval keeps a hook from running. */
export const waitsForApproval = ({ barriers, config, source, hint }: ConfiguredHook): boolean =>
  config !== undefined &&
  hint === undefined &&
  isBroughtByProject(source.kind, config) &&
  barriers.length > 0 &&
  barriers.every(isUnapproved);

/** Whether its calls are refused until the user approves or rejects it. */
const refusesMeanwhile = ({ approved }: ConfiguredHook): boolean => (approved?.onFault ?? 'allow') !== 'allow';

/** What happens to calls meanwhile, by the approved version rather than the current one. */
const fateOf = (guards: readonly ConfiguredHook[]): string => {
  const asks = guards.some(({ approved }) => approved?.onFault === 'ask');
  const denies = guards.some(({ approved }) => approved?.onFault === 'deny');
  const words = [...(denies ? ['refused'] : []), ...(asks ? ['asked about'] : [])];
  return `calls that the approved matcher matches are ${words.join(' or ')}`;
};

const MAX_NAMES = 20;

const namesOf = (hooks: readonly ConfiguredHook[]): string => {
  const names = [...new Set(hooks.map(({ name }) => displayName(name)))];
  const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, 100));
  return names.length > MAX_NAMES ? `${shown.join(', ')} and ${names.length - MAX_NAMES} more` : shown.join(', ');
};

const HOW = 'review with hookwright trust';

/** The problem about hooks that await approval; `undefined` if there are none. */
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
