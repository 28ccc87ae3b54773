// B6: many command hooks of one event, against as many programs started by hand, no more at once than the engine allows.
import { byHand, ours, plainLine } from './commands.mjs';
import { alternate, fewCalls, ratioRow } from './support.mjs';

export const variants = {
  'ours, 5 in parallel': async () => fewCalls(await ours(5, plainLine), 1),
  'bare, 5 in parallel': () => fewCalls(byHand(5), 1),
  'ours, 20 in parallel': async () => fewCalls(await ours(20, plainLine), 1),
  'bare, 20 in parallel': () => fewCalls(byHand(20), 1),
  'ours, 5 in sequence': async () => fewCalls(await ours(5, plainLine, { sequential: true }), 1),
  'bare, 5 in sequence': () => fewCalls(byHand(5, 1), 1),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 50 });
  return ['5 in parallel', '20 in parallel', '5 in sequence'].map((what) =>
    ratioRow({
      id: 'B6',
      what: `commands, ${what}`,
      ours: figures[`ours, ${what}`],
      bare: figures[`bare, ${what}`],
      budget: 1.25,
    }),
  );
};
