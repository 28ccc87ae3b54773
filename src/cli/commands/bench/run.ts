import { isHookEventName } from '../../../events/index.ts';
import { HookSystem } from '../../../hook-system.ts';
import { type HookConfig, HookType, likeOrigin } from '../../../protocol/index.ts';
import { findShells, launchOf } from '../../../runners/process-api.ts';
import { expectEvent } from '../../arguments/events.ts';
import { type Probes, probesOf } from '../../benching/anatomy.ts';
import { Bench, type BenchedHook, isCommand, TimeBox } from '../../benching/bench.ts';
import { type BenchReport, reportText } from '../../benching/bench-report.ts';
import { type Chain, measureChain } from '../../benching/chains.ts';
import { inputsFor, recordedIn } from '../../benching/recorded-inputs.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { knownTools } from '../../doctor/known-tools.ts';
import { commandsFor, definedIn, ownVariables } from '../../doctor/world.ts';
import { problemsNote } from '../../rendering/problem-lines.ts';
import { styled } from '../../rendering/text.ts';
import {
  type Configuration,
  type ConfiguredEntry,
  nothingConfigured,
  readConfiguration,
} from '../../sources/configured.ts';
import { findHook } from '../../sources/find-hook.ts';
import { recordedSessions, sessionFile } from '../../sources/sessions.ts';
import { UsageError } from '../../usage-error.ts';
import type { benchSpec } from './spec.ts';

const SECONDS = 8;

const wanted = async (
  names: readonly string[],
  event: string | undefined,
  all: Configuration,
  context: Context,
): Promise<readonly ConfiguredEntry[]> => {
  const meant = await Promise.all(names.map((name) => findHook(name, all, context)));
  const hooks = names.length === 0 ? all.hooks : [...new Set(meant.flatMap((found) => found.hooks))];
  return hooks.filter(({ row }) => event === undefined || row.eventName === event);
};

/** What to measure besides; of what is started ahead already nothing can be told apart. */
const probesFor = (hook: HookConfig, { config }: Configuration, context: Context): Probes | undefined => {
  if (!isCommand(hook) || hook.warm === true || process.platform === 'win32') return undefined;
  const variables = ownVariables(config);
  const environment = { ...definedIn(context.env), ...variables };
  const machine = { platform: process.platform, environment, ...findShells(environment, config.getProjectDir()) };
  return probesOf(hook, {
    commands: commandsFor(hook, variables),
    directory: hook.cwd ?? config.getWorkingDir(),
    byShell: launchOf(hook, variables, machine).by === 'shell',
  });
};

interface Found {
  readonly report: BenchReport;
  readonly subject?: BenchedHook;
}

export const run: Run<typeof benchSpec> = async (given, context) => {
  const { hooks: names, event, seconds = SECONDS, session } = given;
  if (!(seconds > 0)) throw new UsageError(`--seconds needs more than 0, got ${seconds}`);
  if (event !== undefined) expectEvent(event);
  const all = await readConfiguration(context);
  const chosen = await wanted(names, event, all, context);
  const file = session === undefined ? recordedSessions(context.cwd)[0] : sessionFile(context.cwd, session);
  const recorded = await recordedIn(file);
  const { names: known } = await knownTools([], context.cwd);

  const found = chosen.map((configured): Found => {
    const { row, hook } = configured;
    const config = hook?.config;
    const report = {
      hookId: row.hookId,
      name: row.name,
      eventName: row.eventName,
      type: config?.type ?? HookType.Command,
      isWarm: config?.warm === true,
    };
    if (config === undefined || row.planned !== 'run')
      return { report: { ...report, skipped: row.reason ?? 'it cannot be read' } };
    const inputs = inputsFor(all.config, configured, recorded, known);
    if ('problem' in inputs) return { report: { ...report, skipped: inputs.problem } };
    const probes = probesFor(config, all, context);
    // By itself a hook is measured to its end, whatever the budget of its event is.
    const alone = config.advisory === true ? likeOrigin({ ...config, advisory: false }, config) : config;
    return { report, subject: { hook: alone, eventName: row.eventName, inputs: inputs.inputs, probes } };
  });

  const box = new TimeBox(seconds * 1_000, context.signal);
  const bench = new Bench(all.config, box);
  const system = new HookSystem(all.config, undefined, { ...all.config.getDeps(), isTrial: true });
  const subjects = found.flatMap(({ subject }) => subject ?? []);
  const chains: Chain[] = [];
  try {
    await system.initialize();
    await bench.measure(subjects, context.progress);
    for (const eventName of new Set(subjects.map((subject) => subject.eventName))) {
      if (!isHookEventName(eventName)) continue;
      context.progress(`all hooks of ${eventName}`);
      const inputs = subjects.filter((subject) => subject.eventName === eventName).flatMap((subject) => subject.inputs);
      const chain = await measureChain(eventName, inputs, { system, config: all.config, box });
      if (chain !== undefined) chains.push(chain);
    }
    await bench.compare(subjects, context.progress);
    await bench.refine(subjects, context.progress);
  } finally {
    context.progress(undefined);
    await Promise.all([bench.dispose(), system.dispose()]);
  }
  const reports = found.map(({ report, subject }): BenchReport => {
    const measured = subject === undefined ? undefined : bench.resultOf(subject);
    return measured === undefined ? report : { ...report, measured };
  });
  context.note(problemsNote(all.problems, context));
  const tookSeconds = Math.round(box.spentMs / 100) / 10;
  return {
    interrupted: context.signal.aborted,
    findings: chains.some(({ isOverBudget }) => isOverBudget),
    data: { hooks: reports, chains, runs: bench.runs, seconds: tookSeconds },
    problems: all.problems,
    text: () =>
      reports.length === 0
        ? nothingConfigured(context, all.problems)
        : [
            ...reportText(reports, chains, context.width),
            '',
            [styled('dim', `hooks were run ${bench.runs} times, in ${tookSeconds.toFixed(1)} s`)],
          ],
  };
};
