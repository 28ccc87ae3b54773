// B2: what does a request over the bus cost when nothing matches? Ours is validated twice, envelope and payload.
import { createHooks, MessageBusType, requestHooks } from 'hookwright';
import mitt from 'mitt';
import { payloadAt } from './payloads.mjs';
import { peerRequests } from './peers.mjs';
import { alternate, manyCalls, scaledRow } from './support.mjs';

const { HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE } = MessageBusType;

const createBus = async () => {
  const hook = { type: 'runtime', name: 'never', action: () => ({ decision: 'deny' }) };
  const { bus } = await createHooks({ hooks: { BeforeTool: [{ matcher: 'no_such_tool', hooks: [hook] }] } });
  const { success } = await requestHooks(bus, 'BeforeTool', { tool_name: '', tool_input: {} });
  if (success) throw new Error('a payload without a tool name was not refused');
  return bus;
};

const withRequestHooks = async () => {
  const bus = await createBus();
  return manyCalls((index) => requestHooks(bus, 'BeforeTool', payloadAt(index)));
};

const withRequest = async () => {
  const bus = await createBus();
  return manyCalls((index) =>
    bus.request(
      {
        type: HOOK_EXECUTION_REQUEST,
        correlationId: bus.createCorrelationId(),
        eventName: 'BeforeTool',
        payload: payloadAt(index),
      },
      HOOK_EXECUTION_RESPONSE,
    ),
  );
};

/** Request and response on mitt, paired by a counter: nothing is validated, nothing ends in time, nobody may fail. */
const bare = () => {
  const emitter = mitt();
  const waiting = new Map();
  let count = 0;
  emitter.on(HOOK_EXECUTION_REQUEST, ({ correlationId }) => {
    const result = { success: true, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 };
    emitter.emit(HOOK_EXECUTION_RESPONSE, { type: HOOK_EXECUTION_RESPONSE, correlationId, success: true, result });
  });
  emitter.on(HOOK_EXECUTION_RESPONSE, (response) => {
    waiting.get(response.correlationId)?.(response);
    waiting.delete(response.correlationId);
  });
  const request = async (payload) => {
    count += 1;
    const correlationId = String(count);
    const response = await new Promise((resolve) => {
      waiting.set(correlationId, resolve);
      emitter.emit(HOOK_EXECUTION_REQUEST, { type: HOOK_EXECUTION_REQUEST, correlationId, payload });
    });
    return response.result;
  };
  return manyCalls((index) => request(payloadAt(index)));
};

const withHook = (action) => async () => {
  const hook = { type: 'runtime', name: 'one', action };
  const { bus } = await createHooks({ hooks: { BeforeTool: [{ hooks: [hook] }] } });
  return manyCalls((index) => requestHooks(bus, 'BeforeTool', payloadAt(index)));
};

export const variants = {
  requestHooks: withRequestHooks,
  request: withRequest,
  oneHook: withHook(() => ({ decision: 'allow' })),
  oneAsync: withHook(async () => ({ decision: 'allow' })),
  bare,
  peer: () => peerRequests([]),
  peerHook: () => peerRequests([{ run: async () => ({ decision: 'allow' }) }]),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 25 });
  const { bare, peer, peerHook } = figures;
  const row = (what, measured) => scaledRow({ id: 'B2', what, bare, bareInDocument: 0.39, ...measured });
  return [
    row('requestHooks, nothing matches', { ours: figures.requestHooks, peer, budget: 1.3 }),
    row('bus.request, nothing matches', { ours: figures.request, peer, budget: 1.3 }),
    row('requestHooks, 1 function hook', { ours: figures.oneHook, peer: peerHook, budget: 3.5 }),
    row('requestHooks, 1 asynchronous function hook', { ours: figures.oneAsync, peer: peerHook }),
  ];
};
