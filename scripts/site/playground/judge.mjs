// What the engine makes of the answers of hooks, for the playground: read, judged by onFault and merged. Pure.
import { findOutputFates, HookAggregator } from '../../../src/merging/index.ts';
import { createResult, parseOutput } from '../../../src/runners/answer/parse-output.ts';
import { applyOnFault } from '../../../src/runners/schedule/run-hook.ts';

const verdictOf = (output) => {
  if (output === undefined) return 'none';
  if (output.shouldStopExecution()) return 'stop';
  if (output.isBlockingDecision()) return 'deny';
  if (output.isAskDecision()) return 'ask';
  return output.decision === undefined ? 'none' : 'allow';
};

const outcomeOf = ({ code, output }) => {
  if (code !== undefined) return `fault: ${code}`;
  return output === undefined ? 'no opinion' : 'answered';
};

/** `hooks` are `{name, stdout, stderr, exitCode, onFault}`, in configured order. */
export const judge = (eventName, hooks) => {
  const results = hooks.map(({ name, onFault, exitCode, stdout, stderr }) => {
    const parsed = parseOutput({ exitCode, stdout, stderr });
    return applyOnFault(createResult({ type: 'command', name, command: name, onFault }, eventName, parsed, 0));
  });
  const { finalOutput } = new HookAggregator().aggregateResults(results, eventName);
  const verdict = verdictOf(finalOutput);
  const names = hooks.map(({ name }) => name);
  const fates = findOutputFates(results, eventName, names);
  return {
    verdict,
    reason: verdict === 'none' || verdict === 'allow' ? undefined : finalOutput.getEffectiveReason(),
    hooks: results.map((result, at) => ({
      name: names[at],
      outcome: outcomeOf(result),
      fault: result.error?.message,
      fates: Object.entries(fates[at]).map(([field, { fate, by, note }]) => ({ field, fate, by, note })),
    })),
  };
};
