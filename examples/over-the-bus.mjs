// A request and its response over the bus: who publishes knows no engine, who observes disturbs nothing.
import { createHooks, defineHook, MessageBus, requestHooks } from 'hookwright';

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

/** Fails closed: without an answer, and after a fault, the tool does not run. */
const mayRun = async (tool_name, tool_input) => {
  const { success, finalOutput, errors } = await requestHooks(bus, 'BeforeTool', { tool_name, tool_input });
  const { decision = 'allow', continue: goesOn = true, reason, stopReason } = finalOutput ?? {};
  if (success && ['allow', 'approve'].includes(decision) && goesOn) return true;
  show(`not run: ${reason ?? stopReason ?? errors[0]?.message}`);
  return false;
};

hooks.on('BeforeTool', ({ tool_input }) =>
  tool_input.command === 'rm -rf build' ? { decision: 'deny', reason: 'deletes recursively' } : { decision: 'approve' },
);
show(`may run: ${await mayRun('run_shell', { command: 'ls' })}`);
show(`may run: ${await mayRun('run_shell', { command: 'rm -rf build' })}`);
await hooks.close();
show(`may run: ${await mayRun('run_shell', { command: 'ls' })}`);
