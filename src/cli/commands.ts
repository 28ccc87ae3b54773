/** The table of all commands. CONTRIBUTING.md says how to add a command. */
import { type Command, defineCommand } from './command.ts';
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
  defineCommand(listSpec, () => import('./commands/list/run.ts')),
  defineCommand(explainSpec, () => import('./commands/explain/run.ts')),
  defineCommand(whySpec, () => import('./commands/why/run.ts')),
  defineCommand(runSpec, () => import('./commands/run/run.ts')),
  defineCommand(validateSpec, () => import('./commands/validate/run.ts')),
  defineCommand(testSpec, () => import('./commands/test/run.ts')),
  defineCommand(doctorSpec, () => import('./commands/doctor/run.ts')),
  defineCommand(initSpec, () => import('./commands/init/run.ts')),
  defineCommand(eventsSpec, () => import('./commands/events/run.ts')),
  defineCommand(newSpec, () => import('./commands/new/run.ts')),
  defineCommand(importSpec, () => import('./commands/import/run.ts')),
  defineCommand(installSpec, () => import('./commands/install/run.ts')),
  defineCommand(uninstallSpec, () => import('./commands/uninstall/run.ts')),
  defineCommand(enableSpec, () => import('./commands/enable/run.ts')),
  defineCommand(disableSpec, () => import('./commands/disable/run.ts')),
  defineCommand(disableAllSpec, () => import('./commands/disable/all.ts')),
  defineCommand(enableAllSpec, () => import('./commands/enable/all.ts')),
  defineCommand(trustSpec, () => import('./commands/trust/run.ts')),
  defineCommand(benchWarmSpec, () => import('./commands/bench/warm.ts')),
  defineCommand(benchSpec, () => import('./commands/bench/run.ts')),
  defineCommand(undoSpec, () => import('./commands/undo/run.ts')),
  defineCommand(recordSpec, () => import('./commands/record/run.ts')),
  defineCommand(replaySpec, () => import('./commands/replay/run.ts')),
  defineCommand(backtestSpec, () => import('./commands/backtest/run.ts')),
  defineCommand(testRacesSpec, () => import('./commands/test/races.ts')),
  defineCommand(serveSpec, () => import('./commands/serve/run.ts')),
  defineCommand(inspectSpec, () => import('./commands/inspect/run.ts')),
  defineCommand(mcpProxySpec, () => import('./commands/mcp-proxy/run.ts')),
  defineCommand(whyFollowSpec, () => import('./commands/why/follow.ts')),
  defineCommand(taskCreateSpec, () => import('./commands/task/create.ts')),
  defineCommand(taskRunSpec, () => import('./commands/task/run.ts')),
  defineCommand(taskListSpec, () => import('./commands/task/list.ts')),
  defineCommand(abilityListSpec, () => import('./commands/ability/list.ts')),
  defineCommand(abilityRunSpec, () => import('./commands/ability/run.ts')),
  defineCommand(abilityHooksSpec, () => import('./commands/ability/hooks.ts')),
  defineCommand(eventsSchemaSpec, () => import('./commands/events/schema.ts')),
  defineCommand(completionSpec, () => import('./commands/completion/run.ts')),
  defineCommand(hereSpec, () => import('./commands/here/run.ts')),
  defineCommand(completeSpec, async () => {
    const { createCompleteRun } = await import('./commands/complete/run.ts');
    return { run: createCompleteRun(commands.map(({ spec }) => spec)) };
  }),
];
