// B12: does anything pile up? The heap after 100,000 requests, beside the heap after the first 10,000.
import { createHooks, requestHooks } from 'hookwright';
import { payloads } from './payloads.mjs';
import { absoluteRow, alternate } from './support.mjs';

/** By both ways, by tools of a thousand names, with and without a hook, a deadline, a signal, a fault. */
const request = async ({ bus, system, beforeTool }, index) => {
  const payload = { ...payloads[0], tool_name: `tool_${index % 5_000}` };
  const ways = [
    () => requestHooks(bus, 'BeforeTool', payload),
    () => requestHooks(bus, 'BeforeTool', payload, { timeoutMs: 5_000, signal: new AbortController().signal }),
    () => system.getEventHandler().fire('BeforeTool', payload),
    () => beforeTool({ tool: payload.tool_name, input: payload.tool_input }),
    () => requestHooks(bus, 'AfterAgent', { prompt: 'now', prompt_response: 'then' }),
  ];
  await ways[index % ways.length]();
};

const grow = async () => {
  const hooks = await createHooks({
    hooks: {
      BeforeTool: [
        { matcher: 'tool_[1-4]', hooks: [{ type: 'runtime', name: 'sync', action: () => ({ decision: 'allow' }) }] },
        {
          matcher: '7$',
          hooks: [
            { type: 'runtime', name: 'async', action: async (_input, { signal }) => ({ reason: `${signal.aborted}` }) },
          ],
        },
        { matcher: '99$', hooks: [{ type: 'runtime', name: 'faulty', action: () => Promise.reject(new Error('no')) }] },
      ],
    },
  });
  let done = 0;
  const heapAfter = async (count) => {
    for (; done < count; done += 1) await request(hooks, done);
    // What a finished request leaves to timers and other turns of the loop is not kept for ever.
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (let pass = 0; pass < 3; pass += 1) globalThis.gc();
    return process.memoryUsage().heapUsed / 1_000_000;
  };
  const early = await heapAfter(10_000);
  return (await heapAfter(100_000)) - early;
};

export const variants = { ours: () => grow };

export const measure = async () => {
  const { ours } = await alternate(import.meta.url, ['ours'], { rounds: 1, execArgv: ['--expose-gc'] });
  return [absoluteRow({ id: 'B12', what: 'heap: 100,000 requests beside 10,000', ours, unit: 'MB', budget: 5 })];
};
