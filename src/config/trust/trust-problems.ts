import { isHookEventName } from '../../events/index.ts';
import { type ConfigProblem, ConfigSource, type HostConfig } from '../../protocol/index.ts';
import { HookRegistry } from '../../registry/index.ts';
import type { Approval } from './approval.ts';
import { createTrustCheck, type TrustPlace } from './index.ts';
import { TrustStore } from './store/store.ts';

/** Abilities and their hooks share the store, and are looked at by those who load them. */
const isOfSettings = ({ content: { kind, event } }: Approval): boolean =>
  kind === 'hook' && typeof event === 'string' && isHookEventName(event);

const removed = (gone: readonly Approval[]): ConfigProblem[] => {
  const names = [...new Set(gone.filter(isOfSettings).map(({ name }) => name))];
  if (names.length === 0) return [];
  const hint = 'hookwright trust --revoke <name> forgets it';
  const message = `no longer there although approved: ${names.join(', ')}; nothing is refused for it; ${hint}`;
  return [
    {
      code: 'removed',
      severity: 'warning',
      skipped: false,
      path: 'hooks',
      source: ConfigSource.Project,
      message,
      hint,
    },
  ];
};

/** Why nothing is trusted, which hooks wait for an approval, and which approved ones are not there any more. */
export const trustProblems = async (
  config: HostConfig,
  place: TrustPlace,
  { reportRemoved, hookTypes }: { readonly reportRemoved: boolean; readonly hookTypes: readonly string[] },
): Promise<ConfigProblem[]> => {
  const problems: ConfigProblem[] = [];
  let gone: readonly Approval[] | undefined;
  const onGone = (approvals: readonly Approval[]): void => {
    gone = approvals;
  };
  const trustCheck = createTrustCheck({ ...place, onGone });
  const registry = new HookRegistry(withoutProblems(config), { trustCheck, hookTypes });
  await registry.initialize();
  problems.push(...registry.getProblems().filter(({ code }) => code === 'awaiting-approval'));
  if (!reportRemoved) return problems;
  gone ??= (await new TrustStore(place.home).approvalsFor(place.projectDir)).approvals;
  return [...problems, ...removed(gone)];
};

/** The hooks of a configuration, with none of what it makes beside them. */
const withoutProblems = (config: HostConfig): HostConfig => ({
  getSessionId: () => config.getSessionId(),
  getWorkingDir: () => config.getWorkingDir?.() ?? process.cwd(),
  getHooks: () => config.getHooks(),
  getExtensions: () => config.getExtensions?.(),
  getDisabledHooks: () => config.getDisabledHooks?.(),
});
