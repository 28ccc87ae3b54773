/** Checks names of events that were given on the command line. */
import {
  abilityEventTypes,
  catalogue,
  findEventByOtherName,
  type HookEventName,
  hookEventNames,
  isAbilityEventType,
  isHookEventName,
} from '../../events/index.ts';
import { formatSuggestion } from '../../kit/index.ts';
import { UsageError } from '../usage-error.ts';

export const allEventNames: readonly string[] = [...hookEventNames, ...abilityEventTypes];

const createUnknownEventError = (name: string, known: readonly string[]): UsageError => {
  const own = findEventByOtherName(name);
  return own === undefined
    ? new UsageError(
        `${JSON.stringify(name)} is not an event${formatSuggestion(name, known)}`,
        `events: ${known.join(', ')}`,
      )
    : new UsageError(
        `${JSON.stringify(name)} is the name that other agents use for ${own}`,
        `write ${own}; list, explain, run and doctor look at the hooks of another agent with --agent <name>`,
      );
};

export const expectKnownEvents = (names: readonly string[]): void => {
  const unknown = names.find((name) => !allEventNames.includes(name));
  if (unknown !== undefined) throw createUnknownEventError(unknown, allEventNames);
};

export const expectHookEvent = (name: string): HookEventName => {
  if (isHookEventName(name)) return name;
  if (isAbilityEventType(name))
    throw new UsageError(
      `${name} is an ability event; this command is for events of settings`,
      `ability events are fired by hookwright ability run, hookwright task create and the runtime of an agent; hookwright explain ${name} shows its hooks`,
    );
  throw createUnknownEventError(name, hookEventNames);
};

export const expectHookEvents = (names: readonly string[]): readonly HookEventName[] => names.map(expectHookEvent);

export const isToolEvent = (eventName: HookEventName): boolean => catalogue[eventName].subject?.from === 'toolName';
