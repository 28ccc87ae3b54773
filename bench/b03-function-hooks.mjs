// B3: what do function hooks cost, each with a copy of the input of its own, and what does the facade add?
import { createHooks } from 'hookwright';
import { payloadAt } from './payloads.mjs';
import { peerFunctions } from './peers.mjs';
import { addedCalls, alternate, manyCalls, scaledRow } from './support.mjs';

/** A function for each hook: sharing one would be kinder to the engine than real hooks are. */
const answering = () => () => ({ decision: 'allow' });
const readingSignal =
  () =>
  (_input, { signal }) =>
    signal.aborted ? undefined : { decision: 'allow' };
const asynchronous = () => async () => ({ decision: 'allow' });

const engineWith = async (count, createAction) => {
  const list = Array.from({ length: count }, (_, index) => ({
    type: 'runtime',
    name: `hook-${index}`,
    action: createAction(),
  }));
  const hooks = await createHooks({ hooks: { BeforeTool: [{ hooks: list }] } });
  const { allOutputs } = await hooks.system.getEventHandler().fire('BeforeTool', payloadAt(0));
  if (allOutputs.length !== count) throw new Error(`${allOutputs.length} of ${count} hooks answered`);
  return hooks;
};

const fire = (hooks) => {
  const handler = hooks.system.getEventHandler();
  return (index) => handler.fire('BeforeTool', payloadAt(index));
};

const direct = (count, createAction) => async () => manyCalls(fire(await engineWith(count, createAction)));

const facade = (count, createAction) => async () => {
  const hooks = await engineWith(count, createAction);
  const call = (index) => {
    const { tool_name, tool_input } = payloadAt(index);
    return hooks.beforeTool({ tool: tool_name, input: tool_input });
  };
  return addedCalls(call, fire(hooks));
};

const bare = (count) => () => {
  const hooks = Array.from({ length: count }, asynchronous);
  return manyCalls((index) => Promise.all(hooks.map((hook) => hook(payloadAt(index)))));
};

export const variants = {
  'bare 1': bare(1),
  'bare 20': bare(20),
  'direct 1': direct(1, answering),
  'direct 20': direct(20, answering),
  'signal 1': direct(1, readingSignal),
  'signal 20': direct(20, readingSignal),
  'async 1': direct(1, asynchronous),
  'async 20': direct(20, asynchronous),
  'peer 1': () => peerFunctions([{ run: asynchronous() }]),
  'peer 20': () => peerFunctions(Array.from({ length: 20 }, () => ({ run: asynchronous() }))),
  'facade 0': facade(0, answering),
  'facade 1': facade(1, answering),
  'facade 20': facade(20, answering),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 25 });
  const one = { bare: figures['bare 1'], bareInDocument: 0.13, peer: figures['peer 1'] };
  const twenty = { bare: figures['bare 20'], bareInDocument: 0.93, peer: figures['peer 20'] };
  const row = (what, ours, bareOne, budget) => scaledRow({ id: 'B3', what, ours: figures[ours], ...bareOne, budget });
  const added = (count, bareOne) =>
    row(`createHooks().beforeTool adds, ${count} hooks`, `facade ${count}`, { ...bareOne, peer: undefined }, 1);
  return [
    row('1 function hook', 'direct 1', one, 1.2),
    row('20 function hooks', 'direct 20', twenty, 6.5),
    row('1 function hook that reads signal', 'signal 1', one, 3.5),
    row('20 function hooks that read signal', 'signal 20', twenty, 10),
    row('1 asynchronous function hook', 'async 1', one, 2.3),
    row('20 asynchronous function hooks', 'async 20', twenty, 20),
    added(0, one),
    added(1, one),
    added(20, twenty),
  ];
};
