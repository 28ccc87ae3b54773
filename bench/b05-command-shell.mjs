// B5: one command hook whose line needs a shell, against the same shell started by hand with the same line.
import { ours, shellLine, startInShell } from './commands.mjs';
import { alternate, fewCalls, ratioRow } from './support.mjs';

export const variants = {
  ours: async () => fewCalls(await ours(1, shellLine), 2),
  bare: () => fewCalls(startInShell, 2),
};

export const measure = async () => {
  const { ours, bare } = await alternate(import.meta.url, ['ours', 'bare'], { rounds: 120 });
  return [ratioRow({ id: 'B5', what: 'one command with shell syntax', ours, bare, budget: 1.12 })];
};
