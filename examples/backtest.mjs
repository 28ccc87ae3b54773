// A week of decisions, recorded; then the same requests under another configuration, before anybody works with it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, createHooks } from 'hookwright';
import { backtest, races } from 'hookwright/backtest';
import { readSession, record } from 'hookwright/recorder';

const directory = mkdtempSync(join(tmpdir(), 'hookwright-backtest-'));
const file = join(directory, 'last-week.jsonl');

const noSecrets = {
  type: 'runtime',
  name: 'no-secrets',
  action: ({ tool_input }) =>
    tool_input.path?.endsWith('.env') ? { decision: 'deny', reason: '.env holds secrets' } : undefined,
};
const limitTime = {
  type: 'runtime',
  name: 'limit-time',
  action: () => ({ hookSpecificOutput: { tool_input: { timeout_seconds: 10 } } }),
};
const moreTime = {
  type: 'runtime',
  name: 'more-time',
  action: () => ({ hookSpecificOutput: { tool_input: { timeout_seconds: 60 } } }),
};

const configOf = (BeforeTool) => new Config({ enableHooks: true, hooks: { BeforeTool } });

// What people worked with last week.
const current = [
  { matcher: 'read|write', hooks: [noSecrets] },
  { matcher: 'run_shell', hooks: [limitTime] },
];
await recordLastWeek(configOf(current));

// What somebody would like to have instead: a narrower matcher, and a hook more.
const config = configOf([
  { matcher: 'write', hooks: [noSecrets] },
  { matcher: 'run_shell', hooks: [limitTime, moreTime] },
]);

// Which decisions would come out differently? Nothing is run.
const report = await backtest(readSession(file), config);
console.log(report.toText());

// `more-time` has never answered anything. A real run asks it, and only it.
const real = await backtest(readSession(file), config, { dry: false, only: ['more-time'], tools: ['run_shell'] });
console.log(`\n${real.toText()}`);

// As data, for a gate in a pipeline:
const lost = report.decisions.filter(({ kinds }) => kinds.includes('newly-allowed'));
for (const { line, subject, before, after } of lost) {
  console.log(`\nline ${line}, ${subject}: ${before.verdict} (${before.reason}) is now ${after.verdict}`);
}

// Do two of the hooks depend on their order, or on when they start? They are run for real, again and again.
const payload = { tool_name: 'run_shell', tool_input: { command: 'npm test' } };
const { findings } = await races(config, { eventName: 'BeforeTool', payload });
for (const { hooks, field, results, how } of findings) {
  console.log(`\n${hooks.join(' and ')} race for ${field} by ${how}: ${results.join(' or ')}`);
}

rmSync(directory, { recursive: true });

async function recordLastWeek(config) {
  const agent = await createHooks({ config });
  const recording = record(agent.bus, { file });
  for (const [tool, input] of [
    ['read_file', { path: 'README.md' }],
    ['read_file', { path: '.env' }],
    ['write_file', { path: '.env', text: 'A=1' }],
    ['run_shell', { command: 'npm test' }],
  ]) {
    await agent.beforeTool({ tool, input });
  }
  await recording.close();
  await agent.close();
}
