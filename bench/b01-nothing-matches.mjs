// B1: what does an event cost for which nothing runs, however many hooks are registered for others?
import { createHooks } from 'hookwright';
import { payloadAt } from './payloads.mjs';
import { peerFunctions } from './peers.mjs';
import { alternate, manyCalls, scaledRow } from './support.mjs';

const registered = (count) => async () => {
  const entries = Array.from({ length: count }, (_, index) => ({
    matcher: `tool_${index}|other_${index}`,
    hooks: [{ type: 'runtime', name: `hook-${index}`, action: () => ({ decision: 'deny' }) }],
  }));
  const hooks = await createHooks({ hooks: { BeforeTool: entries } });
  if (hooks.system.getStatus().totalHooks !== count) throw new Error('the hooks were not registered');
  const handler = hooks.system.getEventHandler();
  return manyCalls((index) => handler.fire('BeforeTool', payloadAt(index)));
};

/** The least that can answer: a plan looked up by event and subject, and a fresh result. */
const bare = () => {
  const plans = new Map([
    ['BeforeTool', new Map(Array.from({ length: 8 }, (_, index) => [payloadAt(index).tool_name, null]))],
  ]);
  const fire = (eventName, payload) =>
    plans.get(eventName)?.get(payload.tool_name) === null
      ? Promise.resolve({ success: true, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 })
      : Promise.reject(new Error('no plan'));
  return manyCalls((index) => fire('BeforeTool', payloadAt(index)));
};

const ofPeer = (count) => () =>
  peerFunctions(
    Array.from({ length: count }, (_, index) => ({ matcher: `tool_${index}|other_${index}`, run: async () => ({}) })),
  );

export const variants = {
  bare,
  0: registered(0),
  100: registered(100),
  1000: registered(1_000),
  'peer 0': ofPeer(0),
  'peer 100': ofPeer(100),
  'peer 1000': ofPeer(1_000),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 25 });
  return [0, 100, 1_000].map((count) =>
    scaledRow({
      id: 'B1',
      what: `direct fire, nothing matches, ${count} registered`,
      ours: figures[count],
      bare: figures.bare,
      bareInDocument: 0.05,
      budget: 0.15,
      peer: figures[`peer ${count}`],
    }),
  );
};
