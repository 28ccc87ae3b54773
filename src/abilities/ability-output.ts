import { abilityCatalogue, isAbilityEventType } from '../events/ability-catalogue.ts';
import { hookKey } from '../protocol/settings.ts';
import { type OutputReader, parseAbilityOutput } from '../runners/commands.ts';

/** Reads how an ability hook ended, by what may be said at its event. */
export const readAbilityOutput: OutputReader = (end, hook, eventType) => {
  const signals = isAbilityEventType(eventType) ? abilityCatalogue[eventType].signals : {};
  return parseAbilityOutput(end, { eventType, hookId: hookKey(hook), signals });
};
