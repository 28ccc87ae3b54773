import { describeThrown } from '../kit/index.ts';
import {
  type HookConfig,
  type HostConfig,
  isBroughtByProject,
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

/** What is asked about a hook from a project or an extension before it may run. */
export interface TrustQuestion {
  readonly hookId: string;
  readonly name: string;
  readonly eventName: string;
  /** With file and line when the hook was read from a file. */
  readonly source: RowSource;
  readonly matcher?: string;
  readonly sequential: boolean;
  readonly config: HookConfig;
}

/** Asked once per load for every hook of a project or extension. */
export type TrustCheck = (question: TrustQuestion) => TrustVerdict | Promise<TrustVerdict>;

/** Who decides whether a hook is trusted: the check where there is one, else the host. */
export interface Trusting {
  readonly trustCheck?: TrustCheck | undefined;
  readonly config: Pick<HostConfig, 'isTrustedFolder'>;
  readonly logger?: Logger | undefined;
}

export const trustBarriers = (verdict: TrustVerdict): readonly SkipReason[] => {
  if (verdict === true || verdict === 'trusted') return [];
  const isChanged = typeof verdict === 'object' || verdict === 'changed-since-trusted';
  return isChanged ? ['changed-since-trusted'] : ['untrusted'];
};

const judge = async (
  { trustCheck, config: host, logger }: Trusting,
  hook: ConfiguredHook,
  config: HookConfig,
): Promise<TrustVerdict> => {
  const { hookId, name, eventName, source, matcher, sequential } = hook;
  if (trustCheck === undefined) return source.file === undefined && host.isTrustedFolder?.() !== false;
  const asked = matcher === undefined ? {} : { matcher };
  try {
    return await trustCheck({ hookId, name, eventName, source, sequential, config, ...asked });
  } catch (error) {
    logger?.error?.(`The trust check failed for ${hookId}, so it stays untrusted: ${describeThrown(error)}`);
    return 'untrusted';
  }
};

/** The hook with the reason that keeps it from running until it is trusted. */
export const withTrust = async (trusting: Trusting, hook: ConfiguredHook): Promise<ConfiguredHook> => {
  const { config, source } = hook;
  // A hook from a source that cannot be trusted is not offered for approval.
  const isSettled = config === undefined || hook.barriers.includes('untrusted');
  if (isSettled || !isBroughtByProject(source.kind, config)) return hook;
  const verdict = await judge(trusting, hook, config);
  const barriers = trustBarriers(verdict);
  if (barriers.length === 0) return hook;
  // Of a hook of the user its own file says what its fault means: only what it runs is the project's.
  const isOfUser = originOf(config)?.programInProject !== undefined;
  const { onFault } = config;
  const changed = typeof verdict === 'object' ? verdict.changed : undefined;
  const before = isOfUser ? { ...changed, onFault, matcher: hook.matcher } : changed;
  const approved = before === undefined ? {} : { approved: before };
  return { ...hook, ...approved, barriers: [...hook.barriers, ...barriers] };
};
