// B4: one command hook whose line needs no shell, against the same program started by hand.
import { ours, plainLine, startPlainly } from './commands.mjs';
import { alternate, fewCalls, ratioRow } from './support.mjs';

export const variants = {
  ours: async () => fewCalls(await ours(1, plainLine), 2),
  bare: () => fewCalls(startPlainly, 2),
};

export const measure = async () => {
  const { ours, bare } = await alternate(import.meta.url, ['ours', 'bare'], { rounds: 120 });
  return [ratioRow({ id: 'B4', what: 'one command, no shell needed', ours, bare, budget: 1.15 })];
};
