/** `hookwright bench`: measures each hook, and the hooks of each event together. */
import { isHookEventName } from '../../../events/index.ts';
import { HookSystem } from '../../../hook-system.ts';
import { omitUndefined } from '../../../kit/index.ts';
import { copyOrigin, type HookConfig, HookType } from '../../../protocol/index.ts';
import { createLaunch, findShells } from '../../../runners/process-api.ts';
import { expectHookEvent } from '../../arguments/events.ts';
import { Bench, type BenchedHook, canBeStartedAhead, TimeLimit } from '../../benching/bench.ts';
import { type BenchReport, formatBenchReports } from '../../benching/bench-report.ts';
import { createStartupProbes, type StartupProbes } from '../../benching/hook-probes.ts';
import { type EventMeasurement, measureEvent } from '../../benching/measure-event.ts';
import { findInputSources, selectInputs } from '../../benching/recorded-inputs.ts';
import type { CommandMain } from '../../command.ts';
import type { Context } from '../../context.ts';
import { getOwnVariables, listHookCommands } from '../../doctor/collect-check-input.ts';
import { formatProblemsNote } from '../../rendering/problem-lines.ts';
import { createSpan } from '../../rendering/text.ts';
import { findHooks } from '../../sources/find-hook.ts';
import { type Configuration, formatNoHooks, readConfiguration } from '../../sources/read-configuration.ts';
import { UsageError } from '../../usage-error.ts';
import type { benchSpec } from './spec.ts';

const DEFAULT_BENCH_SECONDS = 8;

export const run: CommandMain<typeof benchSpec> = async (options, context) => {
  const { hooks: names, event, seconds = DEFAULT_BENCH_SECONDS, session } = options;
  if (!(seconds > 0)) throw new UsageError(`--seconds needs more than 0, got ${seconds}`);
  if (event !== undefined) expectHookEvent(event);
  const all = await readConfiguration(context);
  const named = await findHooks(names, all, context);
  const chosen = named.filter(({ row }) => event === undefined || row.eventName === event);
  const sources = await findInputSources(session, context.cwd);
  const found = chosen.map((configured): { report: BenchReport; subject?: BenchedHook } => {
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
    const inputs = selectInputs(all.config, configured, sources);
    if ('problem' in inputs) return { report: { ...report, skipped: inputs.problem } };
    const probes = createProbes(config, all, context);
    // The budget of the event would end an advisory hook early, but `bench` measures the whole duration.
    const alone = config.advisory === true ? copyOrigin({ ...config, advisory: false }, config) : config;
    return { report, subject: { hook: alone, eventName: row.eventName, inputs: inputs.inputs, probes } };
  });
  const limit = new TimeLimit(seconds * 1_000, context.signal);
  const bench = new Bench(all.config, limit);
  const system = new HookSystem(all.config, undefined, { ...all.config.getDeps(), isTrial: true });
  const subjects = found.flatMap(({ subject }) => subject ?? []);
  const chains: EventMeasurement[] = [];
  try {
    await system.initialize();
    await bench.measure(subjects, context.progress);
    for (const eventName of new Set(subjects.map((subject) => subject.eventName))) {
      if (!isHookEventName(eventName)) continue;
      context.progress(`all hooks of ${eventName}`);
      const inputs = subjects.filter((subject) => subject.eventName === eventName).flatMap((subject) => subject.inputs);
      const chain = await measureEvent(eventName, inputs, { system, config: all.config, limit });
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
  context.note(formatProblemsNote(all.problems, context));
  const tookSeconds = Math.round(limit.spentMs / 100) / 10;
  return {
    interrupted: context.signal.aborted,
    findings: chains.some(({ isOverBudget }) => isOverBudget),
    data: { hooks: reports, chains, runs: bench.runs, seconds: tookSeconds },
    problems: all.problems,
    text: () =>
      reports.length === 0
        ? formatNoHooks(context, all.problems)
        : [
            ...formatBenchReports(reports, chains, context.width),
            '',
            [createSpan('dim', `hooks were run ${bench.runs} times, in ${tookSeconds.toFixed(1)} s`)],
          ],
  };
};

const createProbes = (hook: HookConfig, { config }: Configuration, context: Context): StartupProbes | undefined => {
  if (!canBeStartedAhead(hook)) return undefined;
  const variables = getOwnVariables(config);
  const environment = { ...omitUndefined(context.env), ...variables };
  const machine = { platform: process.platform, environment, ...findShells(environment, config.getProjectDir()) };
  return createStartupProbes(hook, {
    commands: listHookCommands(hook, variables),
    directory: hook.cwd ?? config.getWorkingDir(),
    byShell: createLaunch(hook, variables, machine).by === 'shell',
  });
};
