import { hookEventNames } from '../../src/events/index.ts';
import { engineOf, fn, groupOf, type Input } from '../support/engine.ts';

export const empty = { success: true, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 };

/** An engine whose hooks of every event keep what they read. */
export const readingEngine = async (host = {}) => {
  const inputs: Input[] = [];
  const reader = fn('reader', (input) => {
    inputs.push(input);
  });
  const hooks = Object.fromEntries(hookEventNames.map((name) => [name, groupOf(reader)]));
  const system = await engineOf({ hooks, host });
  return { handler: system.getEventHandler(), inputs };
};
