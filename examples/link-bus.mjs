// A page, or another process, with a bus of its own: linked to that of the agent over a port, it asks and hears as if it were there.
import { MessageChannel } from 'node:worker_threads';
import { createHooks } from 'hookwright';
import { linkBus, MessageBus, requestHooks } from 'hookwright/bus';

const { port1: agentPort, port2: pagePort } = new MessageChannel();
const hooks = await createHooks({ bus: new MessageBus() });
hooks.on('SessionStart', () => ({ systemMessage: 'Welcome.' }));
const bus = new MessageBus();

linkBus(hooks.bus, agentPort, { mayAsk: true, mayAnswer: true }); // the agent
linkBus(bus, pagePort); // the page: its bus gets progress, questions and responses

bus.subscribe('hook-system-message', ({ message }) => console.log(`the page shows: ${message}`));
const { success } = await requestHooks(bus, 'SessionStart', { source: 'startup' });
console.log(`the page asked, and all hooks were well: ${success}`);

agentPort.close();
await hooks.close();
