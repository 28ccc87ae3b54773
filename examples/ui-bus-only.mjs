// A user interface that holds only the bus: no engine, nothing of Node. The same file runs here and, bundled, in a page.
import { MessageBus, requestHooks } from 'hookwright/bus';
import { connectToAgent } from './ui/wire.mjs';

const show = (line) => {
  if (typeof document === 'undefined') console.log(line);
  else document.body.append(line, document.createElement('br'));
};

const bus = new MessageBus();
const disconnect = connectToAgent(bus);

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

await disconnect();
show('done');
