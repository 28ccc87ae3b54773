// Everything but describeBus works with any test runner. The matchers are functions that say whether, and what happened.
import assert from 'node:assert';
import { createHooks } from 'hookwright';
import { captureTraffic, fixtureHook, toHaveBlocked } from 'hookwright/testing';

const guard = fixtureHook.answers(({ tool_input }) =>
  tool_input.path === '.env' ? { decision: 'deny', reason: '.env holds secrets' } : undefined,
);
const hooks = await createHooks({ hooks: { BeforeTool: [{ matcher: 'read_file', hooks: [guard] }] } });
const traffic = captureTraffic(hooks.bus);
await hooks.beforeTool({ tool: 'read_file', input: { path: '.env' } });
await hooks.beforeTool({ tool: 'write_file', input: { path: '.env' } });

const reading = toHaveBlocked(traffic, 'BeforeTool', { tool: 'read_file' });
assert(reading.pass, reading.message());

const writing = toHaveBlocked(traffic, 'BeforeTool', { tool: 'write_file' });
console.log(writing.message());
