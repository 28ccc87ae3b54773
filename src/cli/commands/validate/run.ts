/** `hookwright validate`: lists the problems of settings files, each with its line. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { toOneLine } from '../../../kit/index.ts';
import { readRegularFile } from '../../../kit/node.ts';
import { ConfigSource, shortenHookName } from '../../../protocol/index.ts';
import { Redactor } from '../../../sessions/index.ts';
import { agentProblem } from '../../agents/judged-hooks.ts';
import { formatSelectedAgent, type SelectedAgent, selectAgent, toAgentData } from '../../agents/select-agent.ts';
import type { RunCommand } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { deadMatcherCheck } from '../../doctor/broad-matchers.ts';
import { unsupportedHookCheck } from '../../doctor/cannot-run.ts';
import { collectCheckInput } from '../../doctor/collect-check-input.ts';
import { type DiagnosisGroup, diagnose, groupDiagnoses, type PlacedDiagnosis } from '../../doctor/diagnose.ts';
import { listMissedProblems, withMissedCalls } from '../../doctor/known-tools.ts';
import { formatProblems, withCount } from '../../rendering/problem-lines.ts';
import { createReportingContext, withReporter } from '../../rendering/reporters.ts';
import { createSpan, measureWidth, type Text, takeColumns } from '../../rendering/text.ts';
import { failsCommand, readAbilityHooks } from '../../sources/ability-hooks.ts';
import { formatNoHooks, readConfiguration } from '../../sources/read-configuration.ts';
import { linkTargetOutside } from '../../sources/sessions.ts';
import { UsageError } from '../../usage-error.ts';
import type { validateSpec } from './spec.ts';

export const run: RunCommand<typeof validateSpec> = async (options, outer) => {
  const { files, reporter } = options;
  const context = createReportingContext(outer, reporter);
  const selected =
    files.length === 0 || options.agent !== undefined ? await selectAgent(options, undefined, context) : undefined;
  if (selected !== undefined) {
    const found = await validateAgentFiles(selected, files, context);
    return withReporter(found, reporter, { command: 'validate', cwd: context.cwd });
  }
  const named = selectExistingFiles(files, context.cwd)?.map((path) => ({ path, scope: ConfigSource.Project }));
  const { broken: _shownBelow, ...quiet } = context;
  const { hooks, problems: unsorted, config } = await readConfiguration(quiet, { files: named });
  const inSettings = [...unsorted].sort((a, b) => Number(concernsWholeFile(b)) - Number(concernsWholeFile(a)));
  const abilities = named === undefined ? await readAbilityHooks(config) : undefined;
  const looked =
    named === undefined
      ? diagnose((await collectCheckInput(quiet, [])).world, [unsupportedHookCheck, deadMatcherCheck])
      : [];
  const missed = named === undefined ? [] : listMissedProblems(await withMissedCalls(hooks, context));
  const problems = [
    ...inSettings,
    ...(abilities?.problems ?? []),
    ...missed,
    ...groupDiagnoses(looked, toLineKey).map(toProblem),
  ];
  const count = hooks.length + (abilities?.declared.length ?? 0);
  const summary = `${withCount(count, 'hook')}, ${withCount(problems.length, 'problem')}`;
  const outcome: CommandOutcome = {
    findings: [...inSettings, ...missed, ...(abilities?.problems ?? [])].some(failsCommand) || looked.some(isTrouble),
    data: { hooks: count },
    problems,
    text: () => [
      ...formatFramedProblems(problems, context, config.getProjectDir()),
      ...(count === 0 && problems.length === 0 ? formatNoHooks(context, problems) : []),
      [createSpan(problems.length === 0 ? 'green' : 'yellow', summary)],
    ],
  };
  return withReporter(outcome, reporter, { command: 'validate', cwd: context.cwd });
};

const selectExistingFiles = (files: readonly string[], cwd: string): readonly string[] | undefined =>
  files.length === 0
    ? undefined
    : files.map((file) => {
        const path = resolve(cwd, file);
        if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
        throw new UsageError(`there is no file ${file}`);
      });

const concernsWholeFile = ({ severity, path }: CliProblem & { path?: string | undefined }): boolean =>
  severity === 'error' && path === '';

const toProblem = ([first, ...others]: DiagnosisGroup): CliProblem => {
  const { check, severity, what, fix, file, line, column } = first;
  const names = [...new Set([first, ...others].map(({ name }) => shortenHookName(name)))];
  return {
    severity: severity === 'error' ? 'error' : 'warning',
    code: check,
    message: `${names.join(', ')}: ${what}`,
    hint: fix,
    ...(file === undefined ? {} : { file, line, column }),
  };
};

const toLineKey = ({ check, what, file, line }: PlacedDiagnosis): string => JSON.stringify([check, what, file, line]);

const isTrouble = ({ severity }: PlacedDiagnosis): boolean => severity !== 'note';

const validateAgentFiles = async (
  selected: SelectedAgent,
  named: readonly string[],
  context: Context,
): Promise<CommandOutcome> => {
  const { hooks, problems: found } = await selected.agent.judge({ files: selectExistingFiles(named, context.cwd) });
  const problems = found.map(agentProblem);
  const summary = `${withCount(hooks.length, 'hook')}, ${withCount(problems.length, 'problem')}`;
  return {
    findings: problems.some(failsCommand),
    data: { agent: toAgentData(selected), hooks: hooks.length },
    problems,
    text: () => [
      ...formatSelectedAgent(selected, context),
      ...formatFramedProblems(problems, context, selected.agent.projectDir),
      [createSpan(problems.length === 0 ? 'green' : 'yellow', summary)],
    ],
  };
};

const formatFramedProblems = (problems: readonly CliProblem[], context: Context, projectDir: string): Text => {
  const frames = new CodeFrames(projectDir);
  return problems.flatMap((problem) => [
    ...formatProblems([problem], context),
    ...frames.frame(problem, context.width),
    '',
  ]);
};

const MAX_BYTES = 1_000_000;
const COLUMNS_BEFORE = 30;
const FRAME_INDENT = 4;

const readLines = (file: string, projectDir: string): readonly string[] => {
  // A link may lead out of the project to a file of another author, which must not be printed.
  const found =
    linkTargetOutside(projectDir, file) === undefined ? readRegularFile(file, { maxBytes: MAX_BYTES }) : undefined;
  return found !== undefined && 'bytes' in found ? found.bytes.toString('utf8').split('\n') : [];
};

class CodeFrames {
  readonly #projectDir: string;
  readonly #files = new Map<string, readonly string[]>();
  readonly #redactor = new Redactor(undefined);

  constructor(projectDir: string) {
    this.#projectDir = projectDir;
  }

  frame({ file, line, column }: CliProblem, width: number): Text {
    if (file === undefined || line === undefined || column === undefined) return [];
    const lines = this.#files.get(file) ?? readLines(file, this.#projectDir);
    this.#files.set(file, lines);
    const text = lines[line - 1]?.trimEnd();
    if (text === undefined || text.trim() === '' || this.#holdsSecret(text)) return [];
    return formatFrameLines(text, line, column, width);
  }

  #holdsSecret(text: string): boolean {
    return this.#redactor.redact({ text }, JSON.stringify({ text })) !== undefined;
  }
}

const formatFrameLines = (text: string, line: number, column: number, width: number): Text => {
  const gutter = `${' '.repeat(FRAME_INDENT)}${line} │ `;
  const blank = `${' '.repeat(gutter.length - 2)}│ `;
  const from = Math.max(column - 1 - COLUMNS_BEFORE, 0, Math.min(text.search(/\S/), column - 1));
  const shown = takeColumns(toOneLine(text.slice(from)), Math.min(width, 100) - gutter.length);
  const at = measureWidth(toOneLine(text.slice(from, column - 1)));
  return [
    [createSpan('dim', gutter), shown],
    [createSpan('dim', blank), createSpan('red', `${' '.repeat(at)}^`)],
  ];
};
