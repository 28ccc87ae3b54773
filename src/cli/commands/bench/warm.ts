/** `hookwright bench --warm`: compares hooks started at their event with hooks started ahead of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { catalogue, isHookEventName } from '../../../events/index.ts';
import { copyOrigin, getOrigin, type HookConfig, type HookExecutionResult } from '../../../protocol/index.ts';
import { HookRunner } from '../../../runners/index.ts';
import { isBlockedOrParked } from '../../../triggers/index.ts';
import { explainNotAhead, isCommandHook, summarizeDurations } from '../../benching/bench.ts';
import { findInputSources, type InputSources, selectInputs } from '../../benching/recorded-inputs.ts';
import type { CommandMain } from '../../command.ts';
import type { Context } from '../../context.ts';
import { formatParagraph } from '../../rendering/layout.ts';
import { formatCount, formatProblems, formatProblemsNote } from '../../rendering/problem-lines.ts';
import { createSpan, type Text } from '../../rendering/text.ts';
import { findVerdict, formatDuration } from '../../rendering/verdict-text.ts';
import type { FileChangeOptions, SettingsFileChange } from '../../settings-edit/change-file.ts';
import { formatChange, splitChanges } from '../../settings-edit/change-lines.ts';
import { changeSettings } from '../../settings-edit/change-settings.ts';
import { type EditResult, type ObjectLocation, setMember } from '../../settings-edit/edit-text.ts';
import { listSettingsFiles, type ScopedFile } from '../../settings-edit/settings-files.ts';
import { findHooks } from '../../sources/find-hook.ts';
import { type Configuration, type ConfiguredEntry, readConfiguration } from '../../sources/read-configuration.ts';
import { UsageError } from '../../usage-error.ts';
import type { benchWarmSpec } from './spec.ts';

const isCommand = ({ hook }: ConfiguredEntry): boolean => hook?.config !== undefined && isCommandHook(hook.config);

const selectCommands = (hooks: readonly ConfiguredEntry[], isNamed: boolean): readonly ConfiguredEntry[] => {
  const other = hooks.find((hook) => !isCommand(hook));
  if (isNamed && other !== undefined)
    throw new UsageError(`${other.row.name} is not a command, and only commands are started ahead`);
  return hooks.filter(isCommand);
};

const canBlock = ({ row, hook }: ConfiguredEntry, comparison: WarmComparison): boolean =>
  (isHookEventName(row.eventName) && catalogue[row.eventName].holdsUp === true) ||
  (hook?.config?.onFault ?? 'allow') !== 'allow' ||
  (comparison.state === 'equal' && comparison.blocked);

const createReport = async (
  entry: ConfiguredEntry,
  { config: settings }: Configuration,
  sources: InputSources,
  signal: AbortSignal,
): Promise<WarmReport> => {
  const { row, hook } = entry;
  const config = hook?.config;
  const about = { hookId: row.hookId, name: row.name, isWarm: config?.warm === true };
  if (config === undefined || row.planned !== 'run') return { ...about, skipped: row.reason ?? 'it cannot be read' };
  const found = selectInputs(settings, entry, sources);
  if ('problem' in found) return { ...about, skipped: found.problem };
  const { from, inputs } = found;
  const runner = new HookRunner(settings, { ...settings.getDeps(), isTrial: true });
  try {
    const comparison = await compareWarm(runner, config, row.eventName, inputs, signal);
    return { ...about, comparison, inputs: { from, count: inputs.length }, canBlock: canBlock(entry, comparison) };
  } catch (error) {
    if (signal.aborted) return { ...about, skipped: 'interrupted' };
    throw error;
  } finally {
    await runner.dispose();
  }
};

interface WarmProposal {
  readonly name: string;
  readonly location: ObjectLocation | undefined;
  readonly file: ScopedFile | undefined;
}

const listProposals = (
  reports: readonly WarmReport[],
  hooks: readonly ConfiguredEntry[],
  files: readonly ScopedFile[],
  gates: boolean,
): WarmProposal[] =>
  reports.flatMap(({ hookId, name, comparison, isWarm, canBlock: mayBlock }) => {
    const hook = hooks.find(({ row }) => row.hookId === hookId)?.hook?.config;
    if (hook === undefined || comparison?.state !== 'equal' || isWarm || (mayBlock === true && !gates)) return [];
    const { position, written } = getOrigin(hook) ?? {};
    const location = position && { ...position, has: { command: written?.command ?? hook.command } };
    return [{ name, location, file: files.find(({ path }) => path === position?.file) }];
  });

const formatUnapproved = async (proposals: readonly WarmProposal[], context: Context): Promise<Text> => {
  const names = new Set(proposals.map(({ name }) => name));
  const { hooks } = await readConfiguration(context);
  return hooks
    .filter(({ row }) => names.has(row.name) && row.planned !== 'run')
    .flatMap(({ row: { name, reason, hint = '' } }) => [
      [createSpan('yellow', `${name} does not run now: ${reason}`)],
      `  ${hint}`,
    ]);
};

export const run: CommandMain<typeof benchWarmSpec> = async (options, context) => {
  const { hooks: names, apply, gates, session, 'dry-run': dryRun } = options;
  const all = await readConfiguration(context);
  const hooks = selectCommands(await findHooks(names, all, context), names.length > 0);
  const sources = await findInputSources(session, context.cwd);
  const reports: WarmReport[] = [];
  for (const hook of hooks) {
    if (context.signal.aborted) break;
    context.progress(`${hook.row.name} runs, cold and warm`);
    reports.push(await createReport(hook, all, sources, context.signal));
  }
  const files = listSettingsFiles(all.config);
  const proposals = listProposals(reports, hooks, files, gates);
  const isApplied = apply && !context.signal.aborted;
  const altered = isApplied ? await applyProposals(proposals, files, { home: all.config.getHome(), dryRun }) : [];
  const { changes, refused } = splitChanges(altered);
  const waiting = changes.length > 0 && !dryRun ? await formatUnapproved(proposals, context) : [];
  const wrong = reports.filter(
    ({ isWarm, comparison }) => isWarm && comparison !== undefined && comparison.state !== 'equal',
  );
  context.note(formatProblemsNote(all.problems, context));
  return {
    interrupted: context.signal.aborted,
    findings: refused.length > 0 || wrong.length > 0,
    data: { hooks: reports, proposed: proposals.map(({ name }) => name), dryRun, files: changes },
    problems: [...all.problems, ...refused],
    text: () => [
      ...(reports.length === 0 ? ['There are no command hooks here.'] : []),
      ...reports.flatMap((report) => formatReport(report, gates, context.width)),
      ...(apply ? [] : formatProposal(proposals, gates)),
      ...changes.flatMap((change) => ['', ...formatChange(change, context.cwd)]),
      ...(apply
        ? proposals
            .filter(({ file }) => file === undefined)
            .map(({ name }): Text[number] => [
              createSpan('yellow', `${name} is configured elsewhere: write "warm": true there yourself`),
            ])
        : []),
      ...waiting,
      ...formatProblems(refused, context),
    ],
  };
};

const formatProposal = (proposals: readonly WarmProposal[], gates: boolean): Text =>
  proposals.length === 0
    ? []
    : [
        '',
        `could be started ahead: ${proposals.map(({ name }) => name).join(', ')}`,
        `  hookwright bench --warm --apply${gates ? ' --gates' : ''}`,
      ];

const setWarmAtAll = (text: string, locations: readonly ObjectLocation[]): EditResult => {
  // Edits from the end of the file upwards keep the earlier positions valid.
  const upwards = [...locations].sort((a, b) => b.line - a.line || b.column - a.column);
  return upwards.reduce<EditResult>(
    (edited, location) => (edited.ok ? setMember(edited.text, location, 'warm', true) : edited),
    { ok: true, text },
  );
};

const applyProposals = async (
  proposals: readonly WarmProposal[],
  files: readonly ScopedFile[],
  options: FileChangeOptions,
): Promise<SettingsFileChange[]> => {
  const altered: SettingsFileChange[] = [];
  for (const file of files) {
    const here = proposals.filter((proposal) => proposal.file === file);
    if (here.length === 0) continue;
    const locations = here.flatMap(({ location }) => location ?? []);
    const name = here.map((proposal) => proposal.name).join(', ');
    const edit = (text: string): EditResult => setWarmAtAll(text, locations);
    altered.push(await changeSettings(file, options, { verb: 'warm', name, edit }));
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

const formatDifferences = (differences: readonly WarmDifference[], one: string, other: string): Text =>
  differences.flatMap(({ what, cold, warm }) => [
    `    ${what}, ${one}: ${cold === undefined ? 'none' : JSON.stringify(cold)}`,
    `    ${what}, ${other}: ${warm === undefined ? 'none' : JSON.stringify(warm)}`,
  ]);

const formatReport = (report: WarmReport, gates: boolean, width: number): Text => {
  const { comparison, inputs, skipped = 'it cannot be read', canBlock, isWarm } = report;
  if (comparison === undefined) return [[createSpan('dim', `- ${report.name} was not run: ${skipped}`)]];
  const name = createSpan('bold', report.name);
  switch (comparison.state) {
    case 'equal': {
      const tried = inputs === undefined ? '' : ` over ${formatCount(inputs.count, inputNames[inputs.from])}`;
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
        ...formatDifferences(comparison.differences, 'cold', 'warm'),
      ];
    case 'unsteady':
      return [
        [createSpan('yellow', '? '), name, ' is another at each run, so nothing can be compared'],
        ...formatDifferences(comparison.differences, 'once', 'again'),
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

type WarmComparison =
  | { readonly state: 'equal'; readonly blocked: boolean; readonly coldMs: number; readonly warmMs: number }
  | { readonly state: 'differs' | 'unsteady'; readonly differences: readonly WarmDifference[] }
  | { readonly state: 'not-served'; readonly why: string };

const findDifferences = (cold: HookExecutionResult, warm: HookExecutionResult): WarmDifference[] =>
  Object.entries(warmFacts).flatMap(([what, of]) =>
    isDeepStrictEqual(of(cold), of(warm)) ? [] : [{ what, cold: of(cold), warm: of(warm) }],
  );

const findMedianMs = (results: readonly HookExecutionResult[]): number =>
  summarizeDurations(results.map(({ duration }) => duration)).p50Ms;

const compareWarm = async (
  runner: HookRunner,
  hook: HookConfig,
  eventName: string,
  inputs: readonly object[],
  signal: AbortSignal,
): Promise<WarmComparison> => {
  const coldHook = copyOrigin({ ...hook, warm: false }, hook);
  const warmHook = copyOrigin({ ...hook, warm: true }, hook);
  const run = async (copy: HookConfig, input: object): Promise<HookExecutionResult> => {
    const [result] = await runner.executeAll([copy], eventName, input, undefined, undefined, signal);
    signal.throwIfAborted();
    if (result === undefined) throw new Error('unreachable: a run has a result');
    return result;
  };
  const cold: HookExecutionResult[] = [];
  const warm: HookExecutionResult[] = [];
  for (const input of inputs) cold.push(await run(coldHook, input));
  const settleMs = 400 + 2 * Math.max(...cold.map(({ duration }) => duration));
  // The first run of a warm hook is cold: it starts the process for the next run.
  for (const input of inputs.slice(0, 1)) await run(warmHook, input);
  for (const [index, input] of inputs.entries()) {
    await sleep(settleMs, undefined, { signal });
    const result = await run(warmHook, input);
    if (result.warm !== 'hit') return { state: 'not-served', why: explainNotAhead(result) ?? NO_PROCESS_TEXT };
    warm.push(result);
    const before = cold[index];
    const differences = before === undefined ? [] : findDifferences(before, result);
    if (before === undefined || differences.length === 0) continue;
    const again = findDifferences(before, await run(coldHook, input));
    return again.length > 0 ? { state: 'unsteady', differences: again } : { state: 'differs', differences };
  }
  return {
    state: 'equal',
    blocked: cold.some(({ output }) => isBlockedOrParked(findVerdict(eventName, output))),
    coldMs: findMedianMs(cold),
    warmMs: findMedianMs(warm),
  };
};

const NO_PROCESS_TEXT =
  'no process of it was waiting: files that it depends on change with each run, or processes are not started ahead here';
