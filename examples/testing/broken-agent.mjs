// What the coverage kit says of an agent whose fast lane for calls at the same time has no hooks after the tool.
import { Config, fireBeforeToolHook, MessageBus } from 'hookwright';
import { hostCoverage } from 'hookwright/testing';
import { Agent } from './agent.mjs';

const agent = new Agent(new Config({ enableHooks: true, bus: new MessageBus() }), {});

const callOne = (name, input, { run, signal }) => {
  agent.tools[name] = run;
  return agent.callTool(name, input, signal);
};

const callQuickly = async ({ name, input, run }) => {
  const before = await fireBeforeToolHook(agent.config, name, input);
  return before?.isBlockingDecision() ? before.reason : run(input);
};

const report = await hostCoverage({
  config: agent.config,
  callTool: callOne,
  parallelTools: (calls) => Promise.all(calls.map(callQuickly)),
  endSession: () => undefined, // forgotten
});

console.log(report.toText());
