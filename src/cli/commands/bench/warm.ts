/** `hookwright bench --warm`: compares hooks started at their event with hooks started ahead of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { catalogue, isHookEventName } from '../../../events/index.ts';
import { copyOrigin, getOrigin, type HookConfig, type HookExecutionResult } from '../../../protocol/index.ts';
import { HookRunner } from '../../../runners/index.ts';
import type { LoadedConfig } from '../../../settings/index.ts';
import { isBlockedOrParked } from '../../../triggers/index.ts';
import { findInputSources, type InputSources, selectInputs } from '../../benching/recorded-inputs.ts';
import type { RunCommand } from '../../command.ts';
import type { Context } from '../../context.ts';
import { formatParagraph } from '../../rendering/layout.ts';
import { formatProblems, listProblemsNote, withCount } from '../../rendering/problem-lines.ts';
import { createSpan, type Text } from '../../rendering/text.ts';
import { findVerdict, formatDuration } from '../../rendering/verdict-text.ts';
import type { SettingsFileChange } from '../../settings-edit/change-file.ts';
import { changeData, changeText } from '../../settings-edit/change-lines.ts';
import { changeSettings } from '../../settings-edit/change-settings.ts';
import { type EditResult, type ObjectLocation, setMember } from '../../settings-edit/edit-text.ts';
import { listSettingsFiles, type ScopedFile } from '../../settings-edit/settings-files.ts';
import { findHooks } from '../../sources/find-hook.ts';
import { type Configuration, type ConfiguredEntry, readConfiguration } from '../../sources/read-configuration.ts';
import { UsageError } from '../../usage-error.ts';
import type { benchWarmSpec } from './spec.ts';

const isCommand = ({ hook }: ConfiguredEntry): boolean =>
  hook?.config !== undefined && 'command' in hook.config && hook.config.type === 'command';

const keepCommands = (hooks: readonly ConfiguredEntry[], isNamed: boolean): readonly ConfiguredEntry[] => {
  const other = hooks.find((hook) => !isCommand(hook));
  if (isNamed && other !== undefined)
    throw new UsageError(`${other.row.name} is not a command, and only commands are started ahead`);
  return hooks.filter(isCommand);
};

const canBlock = ({ row, hook }: ConfiguredEntry, comparison: WarmComparison): boolean =>
  (isHookEventName(row.eventName) && catalogue[row.eventName].holdsUp === true) ||
  (hook?.config?.onFault ?? 'allow') !== 'allow' ||
  (comparison.state === 'equal' && comparison.blocked);

const reportOf = async (
  hook: ConfiguredEntry,
  all: Configuration,
  sources: InputSources,
  signal: AbortSignal,
): Promise<WarmReport> => {
  const { row } = hook;
  const config: HookConfig | undefined = hook.hook?.config;
  const about = {
    hookId: row.hookId,
    name: row.name,
    isWarm: config !== undefined && 'warm' in config && config.warm === true,
  };
  if (config === undefined || row.planned !== 'run') return { ...about, skipped: row.reason ?? 'it cannot be read' };
  const found = selectInputs(all.config, hook, sources);
  if ('problem' in found) return { ...about, skipped: found.problem };
  const runner = new HookRunner(all.config, { ...all.config.getDeps(), isTrial: true });
  try {
    const comparison = await new WarmTrial(runner, config, row.eventName, signal).compare(found.inputs);
    return {
      ...about,
      comparison,
      inputs: { from: found.from, count: found.inputs.length },
      canBlock: canBlock(hook, comparison),
    };
  } catch (error) {
    if (signal.aborted) return { ...about, skipped: 'interrupted' };
    throw error;
  } finally {
    await runner.dispose();
  }
};

const listProposals = (reports: readonly WarmReport[], hooks: readonly ConfiguredEntry[], gates: boolean): Proposal[] =>
  reports.flatMap((report) => {
    const hook = hooks.find(({ row }) => row.hookId === report.hookId)?.hook?.config;
    const isEqual = report.comparison?.state === 'equal' && !report.isWarm;
    return hook !== undefined && isEqual && (gates || report.canBlock === false) ? [{ name: report.name, hook }] : [];
  });

const formatUnapproved = async (proposals: readonly Proposal[], context: Context): Promise<Text> => {
  const names = new Set(proposals.map(({ name }) => name));
  const { hooks } = await readConfiguration(context);
  return hooks
    .filter(({ row }) => names.has(row.name) && row.planned !== 'run')
    .flatMap(({ row: { name, reason, hint = '' } }) => [
      [createSpan('yellow', `${name} does not run now: ${reason}`)],
      `  ${hint}`,
    ]);
};

export const run: RunCommand<typeof benchWarmSpec> = async (options, context) => {
  const { hooks: names, apply, gates, session, 'dry-run': dryRun } = options;
  const all = await readConfiguration(context);
  const hooks = keepCommands(await findHooks(names, all, context), names.length > 0);
  const sources = await findInputSources(session, context.cwd);
  const reports: WarmReport[] = [];
  for (const hook of hooks) {
    if (context.signal.aborted) break;
    context.progress(`${hook.row.name} runs, cold and warm`);
    reports.push(await reportOf(hook, all, sources, context.signal));
  }
  const proposals = listProposals(reports, hooks, gates);
  const elsewhere = proposals.filter((proposal) => findSettingsFile(proposal, all.config) === undefined);
  const altered = apply && !context.signal.aborted ? await applyWarm(proposals, all.config, dryRun) : [];
  const changes = altered.flatMap((one) => (one.ok ? changeData(one) : []));
  const refused = altered.flatMap((one) => (one.ok ? [] : one.problem));
  const waiting = changes.length > 0 && !dryRun ? await formatUnapproved(proposals, context) : [];
  const wrong = reports.filter(
    ({ isWarm, comparison }) => isWarm && comparison !== undefined && comparison.state !== 'equal',
  );
  context.note(listProblemsNote(all.problems, context));
  return {
    interrupted: context.signal.aborted,
    findings: refused.length > 0 || wrong.length > 0,
    data: { hooks: reports, proposed: proposals.map(({ name }) => name), dryRun, files: changes },
    problems: [...all.problems, ...refused],
    text: () => [
      ...(reports.length === 0 ? ['There are no command hooks here.'] : []),
      ...reports.flatMap((report) => reportText(report, gates, context.width)),
      ...(apply ? [] : formatProposal(proposals, gates)),
      ...changes.flatMap((change) => ['', ...changeText(change, context.cwd)]),
      ...(apply
        ? elsewhere.map(({ name }): Text[number] => [
            createSpan('yellow', `${name} is configured elsewhere: write "warm": true there yourself`),
          ])
        : []),
      ...waiting,
      ...formatProblems(refused, context),
    ],
  };
};

const formatProposal = (proposals: readonly Proposal[], gates: boolean): Text =>
  proposals.length === 0
    ? []
    : [
        '',
        `could be started ahead: ${proposals.map(({ name }) => name).join(', ')}`,
        `  hookwright bench --warm --apply${gates ? ' --gates' : ''}`,
      ];

interface Proposal {
  readonly name: string;
  readonly hook: HookConfig;
}

const findHookLocation = ({ hook }: Proposal): (ObjectLocation & { readonly file: string }) | undefined => {
  const { position, written } = getOrigin(hook) ?? {};
  if (position === undefined || !('command' in hook)) return undefined;
  return { ...position, has: { command: written?.command ?? hook.command } };
};

const findSettingsFile = (proposal: Proposal, config: LoadedConfig): ScopedFile | undefined => {
  const location = findHookLocation(proposal);
  return listSettingsFiles(config).find(({ path }) => path === location?.file);
};

const setAll = (text: string, locations: readonly ObjectLocation[]): EditResult => {
  // Edits from the end of the file upwards keep the earlier positions valid.
  const upwards = [...locations].sort((a, b) => b.line - a.line || b.column - a.column);
  return upwards.reduce<EditResult>(
    (edited, location) => (edited.ok ? setMember(edited.text, location, 'warm', true) : edited),
    {
      ok: true,
      text,
    },
  );
};

const applyWarm = async (
  proposals: readonly Proposal[],
  config: LoadedConfig,
  dryRun: boolean,
): Promise<SettingsFileChange[]> => {
  const altered: SettingsFileChange[] = [];
  for (const file of listSettingsFiles(config)) {
    const here = proposals.filter((proposal) => findSettingsFile(proposal, config)?.path === file.path);
    if (here.length === 0) continue;
    const locations = here.flatMap((proposal) => findHookLocation(proposal) ?? []);
    const name = here.map((proposal) => proposal.name).join(', ');
    const edit = (text: string): EditResult => setAll(text, locations);
    altered.push(await changeSettings(file, { home: config.getHome(), dryRun }, { verb: 'warm', name, edit }));
  }
  return altered;
};

interface WarmReport {
  readonly hookId: string;
  readonly name: string;
  readonly isWarm: boolean;
  readonly skipped?: string;
  readonly comparison?: WarmComparison;
  readonly inputs?: { readonly from: 'recording' | 'sample'; readonly count: number };
  readonly canBlock?: boolean;
}

const inputNames = { recording: 'recorded input', sample: 'plain input' };

const formatDifference = (differences: readonly WarmDifference[], [one, other]: readonly [string, string]): Text =>
  differences.flatMap(({ what, cold, warm }) => [
    `    ${what}, ${one}: ${cold === undefined ? 'none' : JSON.stringify(cold)}`,
    `    ${what}, ${other}: ${warm === undefined ? 'none' : JSON.stringify(warm)}`,
  ]);

const reportText = (report: WarmReport, gates: boolean, width: number): Text => {
  const { comparison, inputs, skipped = 'it cannot be read', canBlock, isWarm } = report;
  if (comparison === undefined) return [[createSpan('dim', `- ${report.name} was not run: ${skipped}`)]];
  const name = createSpan('bold', report.name);
  switch (comparison.state) {
    case 'equal': {
      const tried = inputs === undefined ? '' : ` over ${withCount(inputs.count, inputNames[inputs.from])}`;
      const times = `${formatDuration(comparison.coldMs)} cold, ${formatDuration(comparison.warmMs)} warm`;
      const isLeftOut = canBlock === true && !gates;
      return [
        [createSpan('green', '✓ '), name, ` is the same${tried}: ${times}`],
        ...(isWarm ? ['    it is started ahead already'] : []),
        ...(isLeftOut && !isWarm ? ['    it can block: proposed with --gates only'] : []),
      ];
    }
    case 'differs':
      return [
        [createSpan('red', '✗ '), name, ' is another when it is started ahead'],
        ...formatDifference(comparison.differences, ['cold', 'warm']),
      ];
    case 'unsteady':
      return [
        [createSpan('yellow', '? '), name, ' is another at each run, so nothing can be compared'],
        ...formatDifference(comparison.differences, ['once', 'again']),
      ];
    case 'not-served':
      return [
        [createSpan('red', '✗ '), name, ' cannot be started ahead'],
        ...formatParagraph(comparison.why, width, 4),
      ];
  }
};

const warmFacts = {
  fault: ({ code }: HookExecutionResult) => code,
  'exit code': ({ exitCode, signal }: HookExecutionResult) => exitCode ?? signal,
  stderr: ({ stderr = '' }: HookExecutionResult) => stderr,
  answer: ({ output, stdout = '' }: HookExecutionResult) => output ?? stdout,
} satisfies Readonly<Record<string, (result: HookExecutionResult) => unknown>>;

interface WarmDifference {
  readonly what: string;
  readonly cold: unknown;
  readonly warm: unknown;
}

interface Times {
  readonly coldMs: number;
  readonly warmMs: number;
}

export type WarmComparison =
  | ({ readonly state: 'equal'; readonly blocked: boolean } & Times)
  | { readonly state: 'differs'; readonly differences: readonly WarmDifference[] }
  | { readonly state: 'unsteady'; readonly differences: readonly WarmDifference[] }
  | { readonly state: 'not-served'; readonly why: string };

const settleMs = (cold: readonly HookExecutionResult[]): number =>
  400 + 2 * Math.max(...cold.map(({ duration }) => duration));

const findDifferences = (cold: HookExecutionResult, warm: HookExecutionResult): WarmDifference[] =>
  Object.entries(warmFacts).flatMap(([what, of]) =>
    isDeepStrictEqual(of(cold), of(warm)) ? [] : [{ what, cold: of(cold), warm: of(warm) }],
  );

const findMedian = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;

export class WarmTrial {
  readonly #runner: HookRunner;
  readonly #eventName: string;
  readonly #cold: HookConfig;
  readonly #warm: HookConfig;
  readonly #signal: AbortSignal;

  constructor(runner: HookRunner, hook: HookConfig, eventName: string, signal: AbortSignal) {
    this.#runner = runner;
    this.#eventName = eventName;
    this.#signal = signal;
    this.#cold = copyOrigin({ ...hook, warm: false }, hook);
    this.#warm = copyOrigin({ ...hook, warm: true }, hook);
  }

  async compare(inputs: readonly object[]): Promise<WarmComparison> {
    const cold: HookExecutionResult[] = [];
    const warm: HookExecutionResult[] = [];
    for (const input of inputs) cold.push(await this.#run(this.#cold, input));
    // The first run of a warm hook is cold: it starts the process for the next run.
    for (const input of inputs.slice(0, 1)) await this.#run(this.#warm, input);
    for (const [index, input] of inputs.entries()) {
      await sleep(settleMs(cold), undefined, { signal: this.#signal });
      const result = await this.#run(this.#warm, input);
      if (result.warm !== 'hit') return { state: 'not-served', why: readNotServed(result) };
      warm.push(result);
      const before = cold[index];
      const differences = before === undefined ? [] : findDifferences(before, result);
      if (before === undefined || differences.length === 0) continue;
      const again = findDifferences(before, await this.#run(this.#cold, input));
      return again.length > 0 ? { state: 'unsteady', differences: again } : { state: 'differs', differences };
    }
    return {
      state: 'equal',
      blocked: cold.some(({ output }) => isBlockedOrParked(findVerdict(this.#eventName, output))),
      coldMs: findMedian(cold.map(({ duration }) => duration)),
      warmMs: findMedian(warm.map(({ duration }) => duration)),
    };
  }

  async #run(hook: HookConfig, input: object): Promise<HookExecutionResult> {
    const [result] = await this.#runner.executeAll([hook], this.#eventName, input, undefined, undefined, this.#signal);
    this.#signal.throwIfAborted();
    if (result === undefined) throw new Error('unreachable: a run has a result');
    return result;
  }
}

const readNotServed = ({ warnings = [] }: HookExecutionResult): string =>
  warnings.find(({ code }) => code === 'acts-early')?.message ??
  'no process of it was waiting: files that it depends on change with each run, or processes are not started ahead here';
