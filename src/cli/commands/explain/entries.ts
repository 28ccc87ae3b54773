import { nearest, suggestion } from '../../../kit/index.ts';
import { lapsedGuard, type PlanContext } from '../../../planner/index.ts';
import { type HookConfig, type HookRow, named } from '../../../protocol/index.ts';
import type { ConfiguredHook } from '../../../registry/index.ts';
import { allEventNames, expectKnownEvents } from '../../arguments/events.ts';
import type { CliProblem } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { readAbilityHooks } from '../../sources/ability-hooks.ts';
import { type Configuration, readConfiguration } from '../../sources/configured.ts';
import { UsageError } from '../../usage-error.ts';

/** A hook of the settings, or one that is declared for abilities. */
export interface Entry {
  readonly row: HookRow;
  /** Absent when it could not be read. */
  readonly config: HookConfig | undefined;
  /** The matcher it was approved with, where that decides until a change is approved. */
  readonly approvedMatcher?: string | undefined;
  /** Whether it is declared for abilities, where some keys are written differently. */
  readonly isAbility: boolean;
}

export interface ExplainedEntries {
  readonly entries: readonly Entry[];
  readonly problems: readonly CliProblem[];
  readonly config: Configuration['config'];
}

/** Everything that is configured here, of both kinds. */
export const readEntries = async (
  context: Context,
  about: PlanContext,
  event?: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<ExplainedEntries> => {
  const { config, hooks, problems } = await readConfiguration(context, { about });
  const abilities = await readAbilityHooks(config, event, fields);
  return {
    entries: [
      ...hooks.map(({ row, hook }) => ({ row, config: hook?.config, isAbility: false, ...approvedOf(hook) })),
      ...abilities.declared.map(({ row, config: its }) => ({ row, config: its, isAbility: true })),
    ],
    problems: [...problems, ...abilities.problems],
    config,
  };
};

/** A guard that changed obeys what was approved of it. */
const approvedOf = (hook: ConfiguredHook | undefined): Pick<Entry, 'approvedMatcher'> =>
  hook === undefined || lapsedGuard(hook) === undefined || hook.lost !== undefined
    ? {}
    : { approvedMatcher: hook.approved?.matcher ?? '' };

/** An entry under a name that is no event belongs to the event it was probably meant for. */
const isFor = ({ row: { eventName } }: Entry, event: string): boolean =>
  eventName === event || (!allEventNames.includes(eventName) && nearest(eventName, allEventNames) === event);

/** The event in question. An unknown name is accepted when there are hooks under it. */
const checkEvent = (event: string, entries: readonly Entry[]): void => {
  if (entries.some(({ row }) => row.eventName === event)) return;
  expectKnownEvents([event], allEventNames);
};

export interface EntryChoice {
  readonly event: string | undefined;
  readonly hook: string | undefined;
}

/** The entries that are asked about, by event and by name or id. */
export const choose = (entries: readonly Entry[], { event, hook }: EntryChoice): readonly Entry[] => {
  if (event !== undefined) checkEvent(event, entries);
  const ofEvent = event === undefined ? entries : entries.filter((entry) => isFor(entry, event));
  if (hook === undefined) return ofEvent;
  const byId = ofEvent.filter(({ row }) => row.hookId === hook);
  const wanted = byId.length > 0 ? byId : named(hook, ofEvent, ({ row }) => row.name);
  if (wanted.length > 0) return wanted;
  const names = ofEvent.map(({ row }) => row.name);
  throw new UsageError(
    `no hook is called ${JSON.stringify(hook)}${suggestion(hook, names)}`,
    names.length === 0 ? 'hookwright list shows all of them' : `there are: ${[...new Set(names)].join(', ')}`,
  );
};
