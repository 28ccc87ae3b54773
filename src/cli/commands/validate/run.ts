import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readRegular } from '../../../kit/node.ts';
import { ConfigSource, shownName } from '../../../protocol/index.ts';
import { Redactor } from '../../../sessions/index.ts';
import type { ConfigFile } from '../../../settings/index.ts';
import { cliProblem } from '../../agents/judged.ts';
import { type Whose, whoseData, whoseHooks, whoseText } from '../../agents/whose-hooks.ts';
import type { Run } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { matchers } from '../../doctor/broad-matchers.ts';
import { notSupported } from '../../doctor/cannot-run.ts';
import { alike, type DiagnosisGroup, diagnose, type PlacedDiagnosis } from '../../doctor/diagnose.ts';
import { misspeltProblems, withMisspeltTools } from '../../doctor/known-tools.ts';
import { lookAround } from '../../doctor/world.ts';
import { counted, problemsText } from '../../rendering/problem-lines.ts';
import { beginning, oneLine, styled, type Text, widthOf } from '../../rendering/text.ts';
import { inForm, type Reported, reportedProblem, reportingContext } from '../../reporting/reporter-flag.ts';
import { isFinding, readAbilityHooks } from '../../sources/ability-hooks.ts';
import { nothingConfigured, readConfiguration } from '../../sources/configured.ts';
import { leadsOut } from '../../sources/sessions.ts';
import { UsageError } from '../../usage-error.ts';
import type { validateSpec } from './spec.ts';

const namedFile = (file: string, { cwd }: Context): ConfigFile => {
  const path = resolve(cwd, file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return { path, scope: ConfigSource.Project };
  throw new UsageError(`there is no file ${file}`);
};

/** Whether a file as a whole cannot be read. */
const isWhole = ({ severity, path }: CliProblem & { path?: string | undefined }): boolean =>
  severity === 'error' && path === '';

/** What the doctor finds of the settings themselves, as a problem; the same of several hooks on one line is one. */
const asProblem = ([first, ...others]: DiagnosisGroup): CliProblem => {
  const { check, severity, what, fix, file, line, column } = first;
  const names = [...new Set([first, ...others].map(({ name }) => shownName(name)))];
  return {
    severity: severity === 'error' ? 'error' : 'warning',
    code: check,
    message: `${names.join(', ')}: ${what}`,
    hint: fix,
    ...(file === undefined ? {} : { file, line, column }),
  };
};

const alikeOnALine = ({ check, what, file, line }: PlacedDiagnosis): string =>
  JSON.stringify([check, what, file, line]);

const isTrouble = ({ severity }: PlacedDiagnosis): boolean => severity !== 'note';

export const run: Run<typeof validateSpec> = async (given, asked) => {
  const { files, reporter } = given;
  const context = reportingContext(asked, reporter);
  const whose =
    files.length === 0 || given.agent !== undefined ? await whoseHooks(given, undefined, context) : undefined;
  if (whose !== undefined) {
    const found = await validateOfAgent(whose, files, context);
    const checks = (): Reported[] => (found.problems ?? []).map(reportedProblem);
    return inForm(found, reporter, { command: 'validate', cwd: context.cwd, checks });
  }
  const named = files.length === 0 ? undefined : files.map((file) => namedFile(file, context));
  // Here each problem is shown with its line; those of a whole file come first.
  const { broken: _toldBelow, ...quiet } = context;
  const { hooks, problems: unsorted, config } = await readConfiguration(quiet, { files: named });
  const inSettings = [...unsorted].sort((a, b) => Number(isWhole(b)) - Number(isWhole(a)));
  const abilities = named === undefined ? await readAbilityHooks(config) : undefined;
  const looked = named === undefined ? diagnose((await lookAround(quiet, [])).world, [notSupported, matchers]) : [];
  const misspelt = named === undefined ? [] : misspeltProblems(await withMisspeltTools(hooks, context.cwd));
  const problems = [
    ...inSettings,
    ...(abilities?.problems ?? []),
    ...misspelt,
    ...alike(looked, alikeOnALine).map(asProblem),
  ];
  const count = hooks.length + (abilities?.declared.length ?? 0);
  const summary = `${counted(count, 'hook')}, ${counted(problems.length, 'problem')}`;
  const outcome: CommandOutcome = {
    findings: [...inSettings, ...misspelt, ...(abilities?.problems ?? [])].some(isFinding) || looked.some(isTrouble),
    data: { hooks: count },
    problems,
    text: () => [
      ...framedText(problems, context, config.getProjectDir()),
      ...(count === 0 && problems.length === 0 ? nothingConfigured(context, problems) : []),
      [styled(problems.length === 0 ? 'green' : 'yellow', summary)],
    ],
  };
  const checks = (): Reported[] => problems.map(reportedProblem);
  return inForm(outcome, reporter, { command: 'validate', cwd: context.cwd, checks });
};

const existing = (file: string, cwd: string): string => {
  const path = resolve(cwd, file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  throw new UsageError(`there is no file ${file}`);
};

/** The files of another agent, checked as it reads them; what it would swallow is a problem with its line. */
const validateOfAgent = async (whose: Whose, named: readonly string[], context: Context): Promise<CommandOutcome> => {
  const files = named.length === 0 ? undefined : named.map((file) => existing(file, context.cwd));
  const { hooks, problems: found } = await whose.agent.judge({ files });
  const problems = found.map(cliProblem);
  const summary = `${counted(hooks.length, 'hook')}, ${counted(problems.length, 'problem')}`;
  return {
    findings: problems.some(isFinding),
    data: { agent: whoseData(whose), hooks: hooks.length },
    problems,
    text: () => [
      ...whoseText(whose, context),
      ...framedText(problems, context, whose.agent.projectDir),
      [styled(problems.length === 0 ? 'green' : 'yellow', summary)],
    ],
  };
};

/** Each problem with the line it is about, unless a link may have led us to its file. */
export const framedText = (problems: readonly CliProblem[], context: Context, projectDir = context.cwd): Text => {
  const frames = new CodeFrames(projectDir);
  return problems.flatMap((problem) => [
    ...problemsText([problem], context),
    ...frames.frame(problem, context.width),
    '',
  ]);
};

/** A file that is larger was not written by hand, and its lines are no help. */
const MAX_BYTES = 1_000_000;
/** What is shown in front of the place, when the line is long. */
const BEFORE = 30;
const INDENT = 4;

const linesOf = (file: string, projectDir: string): readonly string[] => {
  // The problem itself says what is wrong with a file that cannot be read.
  const found = leadsOut(projectDir, file) === undefined ? readRegular(file, { maxBytes: MAX_BYTES }) : undefined;
  return found !== undefined && 'bytes' in found ? found.bytes.toString('utf8').split('\n') : [];
};

/** Shows where in their files problems are. A file is read once. */
class CodeFrames {
  readonly #projectDir: string;
  readonly #files = new Map<string, readonly string[]>();
  readonly #redactor = new Redactor(undefined);

  constructor(projectDir: string) {
    this.#projectDir = projectDir;
  }

  /** The line of a problem with a mark below the place; nothing where there is no line, or a secret in it. */
  frame({ file, line, column }: CliProblem, width: number): Text {
    if (file === undefined || line === undefined || column === undefined) return [];
    const lines = this.#files.get(file) ?? linesOf(file, this.#projectDir);
    this.#files.set(file, lines);
    const text = lines[line - 1]?.trimEnd();
    if (text === undefined || text.trim() === '' || this.#holdsSecret(text)) return [];
    return frameOf(text, line, column, width);
  }

  #holdsSecret(text: string): boolean {
    return this.#redactor.redact({ text }, JSON.stringify({ text })) !== undefined;
  }
}

const frameOf = (text: string, line: number, column: number, width: number): Text => {
  const gutter = `${' '.repeat(INDENT)}${line} │ `;
  const blank = `${' '.repeat(gutter.length - 2)}│ `;
  // A long line is shown from shortly before the place; what is blank in front of a short one is of no use.
  const from = Math.max(column - 1 - BEFORE, 0, Math.min(text.search(/\S/), column - 1));
  const shown = beginning(oneLine(text.slice(from)), Math.min(width, 100) - gutter.length);
  const at = widthOf(oneLine(text.slice(from, column - 1)));
  return [
    [styled('dim', gutter), shown],
    [styled('dim', blank), styled('red', `${' '.repeat(at)}^`)],
  ];
};
