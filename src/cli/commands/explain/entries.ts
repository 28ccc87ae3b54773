/** Reads and selects the hooks of settings and abilities, for `explain`. */
import { findNearestName } from '../../../kit/index.ts';
import { type PlanContext, readExpiredGuardOnFault } from '../../../planner/index.ts';
import { findByName, type HookConfig, type HookRow } from '../../../protocol/index.ts';
import type { ConfiguredHook } from '../../../registry/index.ts';
import { allEventNames, expectKnownEvents } from '../../arguments/events.ts';
import type { Context } from '../../context.ts';
import { readAbilityHooks } from '../../sources/ability-hooks.ts';
import { createUnknownHookError } from '../../sources/find-hook.ts';
import { type Configuration, readConfiguration } from '../../sources/read-configuration.ts';

export interface HookEntry {
  readonly row: HookRow;
  readonly config: HookConfig | undefined;
  readonly approvedMatcher?: string | undefined;
  readonly isAbility: boolean;
}

export const readEntries = async (
  context: Context,
  about: PlanContext,
  event?: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Omit<Configuration, 'hooks'> & { readonly entries: readonly HookEntry[] }> => {
  const { config, hooks, problems } = await readConfiguration(context, { about });
  const abilities = await readAbilityHooks(config, event, fields);
  return {
    entries: [
      ...hooks.map(({ row, hook }) => ({
        row,
        config: hook?.config,
        isAbility: false,
        ...pickMatcherOfExpiredGuard(hook),
      })),
      ...abilities.declared.map(({ row, config: its }) => ({ row, config: its, isAbility: true })),
    ],
    problems: [...problems, ...abilities.problems],
    config,
  };
};

const pickMatcherOfExpiredGuard = (hook: ConfiguredHook | undefined): Pick<HookEntry, 'approvedMatcher'> =>
  hook === undefined || readExpiredGuardOnFault(hook) === undefined || hook.lost !== undefined
    ? {}
    : { approvedMatcher: hook.approved?.matcher ?? '' };

const isForEvent = ({ row: { eventName } }: HookEntry, event: string): boolean =>
  eventName === event || (!allEventNames.includes(eventName) && findNearestName(eventName, allEventNames) === event);

const expectEventWithHooks = (event: string, entries: readonly HookEntry[]): void => {
  if (entries.some(({ row }) => row.eventName === event)) return;
  expectKnownEvents([event]);
};

export const chooseEntries = (
  entries: readonly HookEntry[],
  { event, hook }: { readonly event: string | undefined; readonly hook: string | undefined },
): readonly HookEntry[] => {
  if (event !== undefined) expectEventWithHooks(event, entries);
  const ofEvent = event === undefined ? entries : entries.filter((entry) => isForEvent(entry, event));
  if (hook === undefined) return ofEvent;
  const byId = ofEvent.filter(({ row }) => row.hookId === hook);
  const wanted = byId.length > 0 ? byId : findByName(hook, ofEvent, ({ row }) => row.name);
  if (wanted.length > 0) return wanted;
  const names = ofEvent.map(({ row }) => row.name);
  throw createUnknownHookError(hook, names, 'hookwright list shows all of them');
};
