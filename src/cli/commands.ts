/** The table of all commands, in the order of the help. How to add one: CONTRIBUTING.md. */
import { type Command, command } from './command.ts';
import { abilityHooksSpec, abilityListSpec, abilityRunSpec } from './commands/ability/spec.ts';
import { backtestSpec } from './commands/backtest/spec.ts';
import { benchSpec, benchWarmSpec } from './commands/bench/spec.ts';
import { completeSpec } from './commands/complete/spec.ts';
import { completionSpec } from './commands/completion/spec.ts';
import { disableAllSpec, disableSpec } from './commands/disable/spec.ts';
import { doctorSpec } from './commands/doctor/spec.ts';
import { enableAllSpec, enableSpec } from './commands/enable/spec.ts';
import { eventsSchemaSpec, eventsSpec } from './commands/events/spec.ts';
import { explainSpec } from './commands/explain/spec.ts';
import { hereSpec } from './commands/here/spec.ts';
import { importSpec } from './commands/import/spec.ts';
import { initSpec } from './commands/init/spec.ts';
import { inspectSpec } from './commands/inspect/spec.ts';
import { installSpec } from './commands/install/spec.ts';
import { listSpec } from './commands/list/spec.ts';
import { mcpProxySpec } from './commands/mcp-proxy/spec.ts';
import { newSpec } from './commands/new/spec.ts';
import { recordSpec } from './commands/record/spec.ts';
import { replaySpec } from './commands/replay/spec.ts';
import { runSpec } from './commands/run/spec.ts';
import { serveSpec } from './commands/serve/spec.ts';
import { taskCreateSpec, taskListSpec, taskRunSpec } from './commands/task/spec.ts';
import { testRacesSpec, testSpec } from './commands/test/spec.ts';
import { trustSpec } from './commands/trust/spec.ts';
import { undoSpec } from './commands/undo/spec.ts';
import { uninstallSpec } from './commands/uninstall/spec.ts';
import { validateSpec } from './commands/validate/spec.ts';
import { whyFollowSpec, whySpec } from './commands/why/spec.ts';

export const commands: readonly Command[] = [
  command(listSpec, () => import('./commands/list/run.ts')),
  command(explainSpec, () => import('./commands/explain/run.ts')),
  command(whySpec, () => import('./commands/why/run.ts')),
  command(runSpec, () => import('./commands/run/run.ts')),
  command(validateSpec, () => import('./commands/validate/run.ts')),
  command(testSpec, () => import('./commands/test/run.ts')),
  command(doctorSpec, () => import('./commands/doctor/run.ts')),
  command(initSpec, () => import('./commands/init/run.ts')),
  command(eventsSpec, () => import('./commands/events/run.ts')),
  command(newSpec, () => import('./commands/new/run.ts')),
  command(importSpec, () => import('./commands/import/run.ts')),
  command(installSpec, () => import('./commands/install/run.ts')),
  command(uninstallSpec, () => import('./commands/uninstall/run.ts')),
  command(enableSpec, () => import('./commands/enable/run.ts')),
  command(disableSpec, () => import('./commands/disable/run.ts')),
  command(disableAllSpec, () => import('./commands/disable/all.ts')),
  command(enableAllSpec, () => import('./commands/enable/all.ts')),
  command(trustSpec, () => import('./commands/trust/run.ts')),
  command(benchWarmSpec, () => import('./commands/bench/warm.ts')),
  command(benchSpec, () => import('./commands/bench/run.ts')),
  command(undoSpec, () => import('./commands/undo/run.ts')),
  command(recordSpec, () => import('./commands/record/run.ts')),
  command(replaySpec, () => import('./commands/replay/run.ts')),
  command(backtestSpec, () => import('./commands/backtest/run.ts')),
  command(testRacesSpec, () => import('./commands/test/races.ts')),
  command(serveSpec, () => import('./commands/serve/run.ts')),
  command(inspectSpec, () => import('./commands/inspect/run.ts')),
  command(mcpProxySpec, () => import('./commands/mcp-proxy/run.ts')),
  command(whyFollowSpec, () => import('./commands/why/follow.ts')),
  command(taskCreateSpec, () => import('./commands/task/create.ts')),
  command(taskRunSpec, () => import('./commands/task/run.ts')),
  command(taskListSpec, () => import('./commands/task/list.ts')),
  command(abilityListSpec, () => import('./commands/ability/list.ts')),
  command(abilityRunSpec, () => import('./commands/ability/run.ts')),
  command(abilityHooksSpec, () => import('./commands/ability/hooks.ts')),
  command(eventsSchemaSpec, () => import('./commands/events/schema.ts')),
  command(completionSpec, () => import('./commands/completion/run.ts')),
  command(hereSpec, () => import('./commands/here/run.ts')),
  command(completeSpec, async () => {
    const { createCompleteRun } = await import('./commands/complete/run.ts');
    return { run: createCompleteRun(commands.map(({ spec }) => spec)) };
  }),
];
