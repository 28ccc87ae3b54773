// Stands in for the way to the agent: a WebSocket, the port of a worker, a pipe. Only JSON passes.
import { playAgent } from './recorded-agent.mjs';

const outward = ['hook-execution-request', 'hook-execution-cancel', 'hook-confirmation-response'];

/** What the page says goes to the agent, what the agent says is heard on the page. */
export const connectToAgent = (bus) => {
  const agent = playAgent((json) => bus.publish(JSON.parse(json)));
  const ends = outward.map((type) => bus.subscribe(type, (message) => agent.hear(JSON.stringify(message))));
  return async () => {
    await agent.worked;
    for (const end of ends) end();
  };
};
