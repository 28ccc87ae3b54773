// A user interface that holds only the bus: no engine, nothing of Node. The same file runs here and, bundled, in a page.
import { linkBus, MessageBus, requestHooks } from 'hookwright/bus';
import { playAgent } from './ui/recorded-agent.mjs';

const show = (line) => {
  if (typeof document === 'undefined') console.log(line);
  else document.body.append(line, document.createElement('br'));
};

// The port may be one of a worker, a WebSocket, a window. The agent: linkBus(hooks.bus, port, { mayAsk: true, mayAnswer: true }).
const { port1, port2 } = new MessageChannel();
const worked = playAgent(port2);
const bus = new MessageBus();
const unlink = linkBus(bus, port1);

// Watches: every hook that starts and ends, whoever asked for it.
bus.subscribe('hook-started', ({ hookName, position, total }) => show(`hook ${position} of ${total}: ${hookName} …`));
bus.subscribe('hook-finished', ({ hookName, outcome }) => show(`${hookName}: ${outcome}`));

// Answers: a hook said "ask", the agent waits.
bus.subscribe('hook-confirmation-request', ({ correlationId, toolName, toolInput, reason }) => {
  show(`May it ${toolName} "${toolInput.command}"? ${reason} [yes]`);
  bus.publish({ type: 'hook-confirmation-response', correlationId, approved: true, by: 'the person at the screen' });
});

// Asks: one call, one merged answer, and no rejection to catch.
const { success, finalOutput } = await requestHooks(bus, 'SessionStart', { source: 'startup' });
show(`session started, all hooks well: ${success}`);
show(`for the model: ${finalOutput?.hookSpecificOutput?.additionalContext}`);

const refused = await requestHooks(bus, 'SessionStart', { source: 'by accident' });
show(`refused: ${refused.errors[0].code}`);

await worked;
unlink();
port1.close();
show('done');
