// B14: what the orphan guard costs, against the same engine without it.
import { ours, plainLine } from './commands.mjs';
import { alternate, fewCalls, ratioRow } from './support.mjs';

const guarded = { deps: { orphanGuard: true } };

export const variants = {
  'guarded, one command': async () => fewCalls(await ours(1, plainLine, guarded), 2),
  'bare, one command': async () => fewCalls(await ours(1, plainLine), 2),
  'guarded, 20 in parallel': async () => fewCalls(await ours(20, plainLine, guarded), 1),
  'bare, 20 in parallel': async () => fewCalls(await ours(20, plainLine), 1),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 80 });
  return ['one command', '20 in parallel'].map((what) =>
    ratioRow({
      id: 'B14',
      what: `orphanGuard, ${what}`,
      ours: figures[`guarded, ${what}`],
      bare: figures[`bare, ${what}`],
      budget: 1.1,
    }),
  );
};
