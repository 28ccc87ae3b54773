// A request and its response over the bus: who publishes knows no engine, who observes disturbs nothing.
import { createHooks, defineHook, MessageBus } from 'hookwright';

const show = (line) => console.log(line);
const bus = new MessageBus();
const greet = defineHook({ event: 'SessionStart', name: 'greet', run: () => ({ systemMessage: 'Welcome.' }) });
const hooks = await createHooks({ bus, hooks: [greet] });

// Observes: every hook that ends, for any request.
bus.subscribe('hook-finished', ({ hookName, outcome }) => show(`${hookName}: ${outcome}`));

// Requests hooks: the response has the correlation id of the request.
const correlationId = 'session-1';
bus.subscribe('hook-execution-response', (response) => {
  if (response.correlationId === correlationId) show(`answered: ${response.success}`);
});
const payload = { source: 'startup' };
bus.publish({ type: 'hook-execution-request', correlationId, eventName: 'SessionStart', payload });

await new Promise((resolve) => bus.subscribe('hook-execution-response', resolve));
await hooks.close();
