// Does the agent fire what it must, on every path, and heed what hooks answer?
import { Config, MessageBus } from 'hookwright';
import { hostCoverage } from 'hookwright/testing';
import { expect, test } from 'vitest';
import { Agent } from './agent.mjs';

const driverOf = (agent) => ({
  config: agent.config,
  callTool(name, input, { run, signal }) {
    agent.tools[name] = run;
    return agent.callTool(name, input, signal);
  },
  callModel: (request, { model }) => agent.ask(model, request),
  startSession: () => agent.start(),
  endSession: (reason) => agent.end(reason),
});

test('the agent fires its hooks', async () => {
  const config = new Config({ enableHooks: true, bus: new MessageBus() });
  const report = await hostCoverage(driverOf(new Agent(config, {})));
  expect(report.ok, report.toText()).toBe(true);
});
