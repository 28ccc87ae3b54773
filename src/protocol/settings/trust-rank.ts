import { originOf } from './origin.ts';
import { ConfigSource, type HookConfig } from './settings.ts';

/** Sources from the most trusted to the least. */
const byTrust: readonly ConfigSource[] = [
  ConfigSource.System,
  ConfigSource.User,
  ConfigSource.Runtime,
  ConfigSource.Project,
  ConfigSource.Extensions,
];

/** 0 for the most trusted source. */
export const trustRank = (hook: HookConfig): number => byTrust.indexOf(originOf(hook)?.source ?? ConfigSource.Runtime);

export const isOfUserOrSystem = (hook: HookConfig): boolean => trustRank(hook) <= byTrust.indexOf(ConfigSource.User);
