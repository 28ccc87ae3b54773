// B17: what does an event cost whose tool nobody has called before, with many hooks registered for others?
import { createHooks } from 'hookwright';
import { payloadAt } from './payloads.mjs';
import { alternate, manyCalls, scaledRow } from './support.mjs';

const entries = (count) => Array.from({ length: count }, (_, index) => `tool_${index}|other_${index}`);

const registered = (count) => async () => {
  const hooks = await createHooks({
    hooks: {
      BeforeTool: entries(count).map((matcher, index) => ({
        matcher,
        hooks: [{ type: 'runtime', name: `hook-${index}`, action: () => ({ decision: 'deny' }) }],
      })),
    },
  });
  const handler = hooks.system.getEventHandler();
  let calls = 0;
  return manyCalls((index) => {
    calls += 1;
    return handler.fire('BeforeTool', { ...payloadAt(index), tool_name: `new ${calls}` });
  });
};

/** What every agent does for every event: it tries one regular expression after the other. */
const bare = (count) => () => {
  const patterns = entries(count).map((matcher) => new RegExp(matcher));
  let calls = 0;
  return manyCalls(async () => {
    calls += 1;
    const name = `new ${calls}`;
    if (patterns.some((pattern) => pattern.test(name))) throw new Error('it matched');
  });
};

export const variants = {
  'bare 100': bare(100),
  'bare 1000': bare(1_000),
  'ours 100': registered(100),
  'ours 1000': registered(1_000),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 15 });
  const row = (count, budget, bareInDocument) =>
    scaledRow({
      id: 'B17',
      what: `a tool never seen before, ${count} hooks registered`,
      ours: figures[`ours ${count}`],
      bare: figures[`bare ${count}`],
      bareInDocument,
      budget,
    });
  return [row(100, 15, 3.3), row(1_000, 150, 33)];
};
