// The user interface: it holds the bus and nothing else. It shows what hooks do and answers when one of them asks.
import { say } from './print.mjs';
import { whatItSaid } from './words.mjs';

export const startUi = (bus) => {
  const running = new Set();

  bus.subscribe('hook-started', ({ hookName }) => running.add(hookName));
  bus.subscribe('hook-finished', ({ hookName, eventName, total }) => {
    running.delete(hookName);
    const names = [...running].join(', ');
    say.progress(
      `${eventName}: ${total - running.size} of ${total} hooks are done${names && `, waiting for ${names}`}`,
    );
  });

  bus.subscribe('hook-execution-trace', ({ eventName, rows }) => {
    const ran = rows.filter(({ planned }) => planned === 'run');
    for (const [index, row] of ran.entries()) {
      const { text, colour } = whatItSaid(row);
      // Another hook changed the call, so a guard was asked once more, about what will run.
      say.story(index === 0 ? eventName : '', row.name, row.recheck ? `asked again: ${text}` : text, colour);
    }
  });

  bus.subscribe('hook-confirmation-request', ({ correlationId, toolName, reason }) => {
    say.story('UI', 'a person', `is asked about ${toolName} (${reason}) and says yes`);
    bus.publish({ type: 'hook-confirmation-response', correlationId, approved: true, by: 'the demo' });
  });
};
