// Who answers: on bare NATS, on a bus over it, and with an engine and a hook. `<url> <prefix>`
import { connect } from '@nats-io/transport-node';
import { createHooks, MessageBus, MessageBusType, requestHooks } from 'hookwright';
import { natsTransport } from 'hookwright/nats';
import { BARE, BARE_HOOKS, resultOf } from './questions.mjs';

const [url, prefix = 'bench'] = process.argv.slice(2);
const raw = await connect({ servers: url });
raw.subscribe(BARE, {
  queue: 'hosts',
  callback: (_error, message) => {
    const request = JSON.parse(message.string());
    message.respond(JSON.stringify(resultOf(request)));
  },
});

const plain = natsTransport({ servers: url, prefix: `${prefix}-plain` });
const bus = new MessageBus({ transport: plain });
bus.serve(MessageBusType.HOOK_EXECUTION_REQUEST, (request) => bus.publish(resultOf(request)));

const engine = natsTransport({ servers: url, prefix, observed: process.env.OBSERVED === '1' });
/** With HOOKWRIGHT_BENCH_WAIT the hook is one that waits for something else: so many milliseconds, and eight at a time. */
const waitMs = Number(process.env.HOOKWRIGHT_BENCH_WAIT ?? 0);
const waiting = [];
let free = 8;
const place = async () => {
  if (free > 0) free -= 1;
  else await new Promise((resolve) => waiting.push(resolve));
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  const next = waiting.shift();
  if (next === undefined) free += 1;
  else next();
};

const hooks = {
  BeforeTool: [
    {
      hooks: [
        {
          type: 'runtime',
          name: 'guard',
          action: ({ tool_input }) => {
            const answer = { decision: 'deny', reason: tool_input.command };
            return waitMs === 0 ? answer : place().then(() => answer);
          },
        },
      ],
    },
  ],
};
await createHooks({ bus: new MessageBus({ transport: engine }), hooks });

// The same engine and hook behind bare NATS: what is left is what the transport adds.
const behind = new MessageBus();
await createHooks({ bus: behind, hooks });
raw.subscribe(BARE_HOOKS, {
  queue: 'hosts',
  callback: async (_error, message) => {
    const { correlationId, eventName, payload } = JSON.parse(message.string());
    const result = await requestHooks(behind, eventName, payload);
    const type = MessageBusType.HOOK_EXECUTION_RESPONSE;
    const { finalOutput: output } = result;
    message.respond(JSON.stringify({ type, correlationId, eventName, success: true, result, output }));
  },
});
await Promise.all([raw.flush(), plain.flush(), engine.flush()]);
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
