/** `hookwright validate`: lists the problems of settings files, each with its line. */
import { resolve } from 'node:path';
import { cacheByKey, toOneLine } from '../../../kit/index.ts';
import { isFile, readRegularFile } from '../../../kit/node.ts';
import { ConfigSource, shortenHookName } from '../../../protocol/index.ts';
import { Redactor } from '../../../sessions/index.ts';
import { toAgentProblem } from '../../agents/judged-hooks.ts';
import { formatSelectedAgent, type SelectedAgent, selectAgent, toAgentData } from '../../agents/select-agent.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { deadMatcherCheck } from '../../doctor/broad-matchers.ts';
import { unsupportedHookCheck } from '../../doctor/cannot-run.ts';
import { collectCheckInput } from '../../doctor/collect-check-input.ts';
import { type DiagnosisGroup, diagnose, groupDiagnoses, type LocatedDiagnosis } from '../../doctor/diagnose.ts';
import { listMissedProblems, withMissedCallNotices } from '../../doctor/known-tools.ts';
import { formatCount, formatProblems } from '../../rendering/problem-lines.ts';
import { createReportingContext, withReporter } from '../../rendering/reporters.ts';
import { createSpan, measureWidth, type Text, type TextLine, takeColumns } from '../../rendering/text.ts';
import { failsCommand, readAbilityHooks } from '../../sources/ability-hooks.ts';
import { formatNoHooks, readConfiguration } from '../../sources/read-configuration.ts';
import { findTargetOutside } from '../../sources/sessions.ts';
import { UsageError } from '../../usage-error.ts';
import type { validateSpec } from './spec.ts';

export const run: CommandMain<typeof validateSpec> = async (options, outer) => {
  const { files, reporter } = options;
  const context = createReportingContext(outer, reporter);
  const selected =
    files.length === 0 || options.agent !== undefined ? await selectAgent(options, undefined, context) : undefined;
  if (selected !== undefined) {
    const found = await validateAgentFiles(selected, files, context);
    return withReporter(found, reporter, { command: 'validate', cwd: context.cwd });
  }
  const named = selectExistingFiles(files, context.cwd)?.map((path) => ({ path, scope: ConfigSource.Project }));
  const { reportUnreadable: _shownBelow, ...quiet } = context;
  const { hooks, problems: unsorted, config } = await readConfiguration(quiet, { files: named });
  const inSettings = [...unsorted].sort((a, b) => Number(concernsWholeFile(b)) - Number(concernsWholeFile(a)));
  const abilities = named === undefined ? await readAbilityHooks(config) : undefined;
  const input = named === undefined ? (await collectCheckInput(quiet, [])).input : undefined;
  const looked = input === undefined ? [] : diagnose(input, [unsupportedHookCheck, deadMatcherCheck]);
  const missed = named === undefined ? [] : listMissedProblems(await withMissedCallNotices(hooks, context));
  const found = [...inSettings, ...(abilities?.problems ?? []), ...missed];
  // The check for matchers without a tool finds the hooks of a mistaken matcher, too.
  const isToldBefore = ({ file, hint }: CliProblem): boolean =>
    inSettings.some((problem) => problem.code === 'invalid-matcher' && problem.file === file && problem.hint === hint);
  const diagnosed = groupDiagnoses(looked, toLineKey).map(toProblem);
  const problems = [...found, ...diagnosed.filter((problem) => !isToldBefore(problem))];
  const count = hooks.length + (abilities?.declared.length ?? 0);
  const outcome: CommandOutcome = {
    findings: found.some(failsCommand) || looked.some(({ severity }) => severity !== 'note'),
    data: { hooks: count },
    problems,
    text: () => [
      ...formatFramedProblems(problems, context, config.getProjectDir()),
      ...(count === 0 && problems.length === 0 ? formatNoHooks(context, problems) : []),
      formatSummary(count, problems),
    ],
  };
  return withReporter(outcome, reporter, { command: 'validate', cwd: context.cwd });
};

const formatSummary = (hooks: number, { length }: readonly CliProblem[]): TextLine => [
  createSpan(length === 0 ? 'green' : 'yellow', `${formatCount(hooks, 'hook')}, ${formatCount(length, 'problem')}`),
];

const selectExistingFiles = (files: readonly string[], cwd: string): readonly string[] | undefined =>
  files.length === 0
    ? undefined
    : files.map((file) => {
        const path = resolve(cwd, file);
        if (isFile(path)) return path;
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
    file,
    line,
    column,
  };
};

const toLineKey = ({ check, what, file, line }: LocatedDiagnosis): string => JSON.stringify([check, what, file, line]);

const validateAgentFiles = async (
  selected: SelectedAgent,
  named: readonly string[],
  context: Context,
): Promise<CommandOutcome> => {
  const { hooks, problems: found } = await selected.agent.judge({ files: selectExistingFiles(named, context.cwd) });
  const problems = found.map(toAgentProblem);
  return {
    findings: problems.some(failsCommand),
    data: { agent: toAgentData(selected), hooks: hooks.length },
    problems,
    text: () => [
      ...formatSelectedAgent(selected, context),
      ...formatFramedProblems(problems, context, selected.agent.projectDir),
      formatSummary(hooks.length, problems),
    ],
  };
};

const formatFramedProblems = (problems: readonly CliProblem[], context: Context, projectDir: string): Text => {
  const linesOf = cacheByKey((file: string) => readLines(file, projectDir));
  const redactor = new Redactor(undefined);
  const formatFrame = ({ file, line, column }: CliProblem): Text => {
    if (file === undefined || line === undefined || column === undefined) return [];
    const text = linesOf(file)[line - 1]?.trimEnd() ?? '';
    const holdsSecret = redactor.redact({ text }, JSON.stringify({ text })) !== undefined;
    return text.trim() === '' || holdsSecret ? [] : formatFrameLines(text, line, column, context.width);
  };
  return problems.flatMap((problem) => [...formatProblems([problem], context), ...formatFrame(problem), '']);
};

const MAX_SHOWN_FILE_BYTES = 1_000_000;
const COLUMNS_BEFORE_PROBLEM = 30;
const FRAME_INDENT = 4;

const readLines = (file: string, projectDir: string): readonly string[] => {
  // A link may lead out of the project to a file of another author, which must not be printed.
  const found =
    findTargetOutside(projectDir, file) === undefined
      ? readRegularFile(file, { maxBytes: MAX_SHOWN_FILE_BYTES })
      : undefined;
  return found !== undefined && 'bytes' in found ? found.bytes.toString('utf8').split('\n') : [];
};

const formatFrameLines = (text: string, line: number, column: number, width: number): Text => {
  const gutter = `${' '.repeat(FRAME_INDENT)}${line} │ `;
  const blank = `${' '.repeat(gutter.length - 2)}│ `;
  const from = Math.max(column - 1 - COLUMNS_BEFORE_PROBLEM, 0, Math.min(text.search(/\S/), column - 1));
  const shown = takeColumns(toOneLine(text.slice(from)), Math.min(width, 100) - gutter.length);
  const at = measureWidth(toOneLine(text.slice(from, column - 1)));
  return [
    [createSpan('dim', gutter), shown],
    [createSpan('dim', blank), createSpan('red', `${' '.repeat(at)}^`)],
  ];
};
