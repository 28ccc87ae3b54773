import { abilityCatalogue, isAbilityEventType } from '../events/index.ts';
import { hookKey } from '../protocol/index.ts';
import { type OutputReader, parseAbilityOutput } from '../runners/commands.ts';

/** Reads how an ability hook ended, by what may be said at its event. */
export const readAbilityOutput: OutputReader = (end, hook, eventType) => {
  const signals = isAbilityEventType(eventType) ? abilityCatalogue[eventType].signals : {};
  return parseAbilityOutput(end, { eventType, hookId: hookKey(hook), signals });
};
