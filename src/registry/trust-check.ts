// Requests a verdict about the trust of each hook, applies it, and reports hooks that await approval.
import { describeThrown, joinNames } from '../kit/index.ts';
import {
  type ConfigProblem,
  canOthersChangeHook,
  getOrigin,
  type HookConfig,
  type HostConfig,
  isGuard,
  isUnapproved,
  type Logger,
  type RowSource,
  type SkipReason,
  shortenHookName,
} from '../protocol/index.ts';
import type { ConfiguredHook, LastApproval } from './configured-hook.ts';

export type TrustVerdict =
  | boolean
  | 'trusted'
  | 'untrusted'
  | 'changed-since-trusted'
  | { readonly changed: LastApproval };

/** A hook of a project or an extension that may need an approval. */
export interface TrustQuestion {
  readonly hookId: string;
  readonly name: string;
  readonly eventName: string;
  readonly source: RowSource;
  readonly matcher?: string;
  readonly sequential: boolean;
  readonly config: HookConfig;
}

export type TrustCheck = (question: TrustQuestion) => TrustVerdict | Promise<TrustVerdict>;

export interface TrustDeps {
  readonly trustCheck?: TrustCheck | undefined;
  readonly config: Pick<HostConfig, 'isTrustedFolder'>;
  readonly logger?: Logger | undefined;
}

export const withTrust = async (trusting: TrustDeps, hook: ConfiguredHook): Promise<ConfiguredHook> => {
  const question = toTrustQuestion(hook);
  return question === undefined ? hook : withVerdict(hook, await requestVerdict(trusting, question));
};

export const toTrustQuestion = (hook: ConfiguredHook): TrustQuestion | undefined => {
  const { hookId, name, eventName, source, matcher, sequential, config, skipReasons } = hook;
  // Approving a hook of an untrusted source would not make it run.
  if (config === undefined || skipReasons.includes('untrusted') || !canOthersChangeHook(source.kind, config))
    return undefined;
  return { hookId, name, eventName, source, sequential, config, ...(matcher === undefined ? {} : { matcher }) };
};

export const withVerdict = (hook: ConfiguredHook, verdict: TrustVerdict): ConfiguredHook => {
  const skipReasons = toTrustReasons(verdict);
  if (skipReasons.length === 0) return hook;
  const { config, matcher } = hook;
  const changed = typeof verdict === 'object' ? verdict.changed : undefined;
  // The `onFault` and the matcher of a user's hook are in the user's file, so they need no approval.
  const before = isUserHook(hook) ? { ...changed, onFault: config?.onFault, matcher } : changed;
  const approved = before === undefined ? {} : { approved: before };
  return { ...hook, ...approved, skipReasons: [...hook.skipReasons, ...skipReasons] };
};

/** The hook is in the user's file; only its program is in the project. */
const isUserHook = ({ config }: ConfiguredHook): boolean =>
  config !== undefined && getOrigin(config)?.programInProject !== undefined;

export const toTrustReasons = (verdict: TrustVerdict): readonly SkipReason[] => {
  if (verdict === true || verdict === 'trusted') return [];
  const isChanged = typeof verdict === 'object' || verdict === 'changed-since-trusted';
  return isChanged ? ['changed-since-trusted'] : ['untrusted'];
};

const requestVerdict = async (
  { trustCheck, config: host, logger }: TrustDeps,
  question: TrustQuestion,
): Promise<TrustVerdict> => {
  if (trustCheck === undefined) return question.source.file === undefined && host.isTrustedFolder?.() !== false;
  return callTrustCheck(trustCheck, question, (message) => logger?.error?.(message));
};

export const callTrustCheck = async (
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

export const waitsForApproval = ({ skipReasons, config, source, hint }: ConfiguredHook): boolean =>
  config !== undefined &&
  hint === undefined &&
  canOthersChangeHook(source.kind, config) &&
  skipReasons.length > 0 &&
  skipReasons.every(isUnapproved);

const refusesCallsMeanwhile = ({ approved = {} }: ConfiguredHook): boolean => isGuard(approved);

/** Until a changed guard is approved again, the `onFault` of its approved version decides. */
const describeRefusals = (guards: readonly ConfiguredHook[]): string => {
  const asks = guards.some(({ approved }) => approved?.onFault === 'ask');
  const denies = guards.some(({ approved }) => approved?.onFault === 'deny');
  const words = [...(denies ? ['refused'] : []), ...(asks ? ['asked about'] : [])];
  return `calls that the approved matcher matches are ${words.join(' or ')}`;
};

const listNames = (hooks: readonly ConfiguredHook[]): string => {
  const names = new Set(hooks.map(({ name }) => shortenHookName(name)));
  return joinNames([...names].map((name) => name.slice(0, 100)));
};

const REVIEW_HINT = 'review with hookwright trust';

export const createApprovalProblem = (hooks: readonly ConfiguredHook[]): ConfigProblem | undefined => {
  const all = hooks.filter(waitsForApproval);
  const [first] = all;
  if (first === undefined) return undefined;
  const guards = all.filter(refusesCallsMeanwhile);
  const count = all.length === 1 ? '1 hook waits' : `${all.length} hooks wait`;
  const ofUser = all.filter(isUserHook);
  const changed = guards.filter((hook) => !isUserHook(hook) && hook.approved?.misplaced === undefined);
  const misplaced = new Set(all.flatMap(({ approved }) => approved?.misplaced ?? []));
  const refusing = [
    ...(changed.length === 0
      ? []
      : [`; ${listNames(changed)} changed after the approval: until you decide, ${describeRefusals(changed)}`]),
    ...[...misplaced].map((why) => `; ${why}`),
    ...(ofUser.length === 0 ? [] : [`; what ${listNames(ofUser)} starts lies in this project`]),
    ...(guards.some(isUserHook) ? [', and what a guard of these would check is refused'] : []),
  ].join('');
  return {
    code: 'awaiting-approval',
    severity: guards.length === 0 ? 'warning' : 'error',
    skipped: true,
    path: 'hooks',
    source: first.source.kind,
    message: `${count} for an approval and will not run: ${listNames(all)}${refusing}; ${REVIEW_HINT}`,
    hint: REVIEW_HINT,
  };
};
