/** Runs the checks of `doctor`, and renders their diagnoses. */
import { getOrigin, shortenHookName } from '../../protocol/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { formatItemTable, formatParagraph, type ItemColumn, type Page } from '../rendering/layout.ts';
import { formatCount, formatLocation } from '../rendering/problem-lines.ts';
import { createSpan, type Style, type Text, type TextLine } from '../rendering/text.ts';
import { cannotRunCheck } from './cannot-run.ts';
import {
  type CheckInput,
  type Diagnosis,
  type DoctorCheck,
  type ExaminedHook,
  type Severity,
  severities,
} from './check-types.ts';
import { checks } from './checks.ts';
import type { ReportedVariable } from './environment-report.ts';

export interface LocatedDiagnosis extends Diagnosis {
  readonly check: string;
  readonly hookId: string;
  readonly name: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

const getPosition = ({ row, config }: ExaminedHook): Pick<LocatedDiagnosis, 'file' | 'line' | 'column'> => {
  const { file, line } = row.source;
  return (config && getOrigin(config)?.position) ?? { file, line };
};

export const diagnose = (input: CheckInput, all: readonly DoctorCheck[] = checks): LocatedDiagnosis[] =>
  sortWorstFirst(
    input.hooks.flatMap((hook) =>
      all.flatMap(({ id, examine }) =>
        [examine(hook, input)].flat().map((diagnosis): LocatedDiagnosis => {
          const { hookId, name } = hook.row;
          return { check: id, hookId, name, ...getPosition(hook), ...diagnosis };
        }),
      ),
    ),
  );

const sortWorstFirst = (diagnoses: readonly LocatedDiagnosis[]): LocatedDiagnosis[] =>
  [...diagnoses].sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));

const isAboutProblem = ({ what, file, line }: LocatedDiagnosis, problem: CliProblem): boolean =>
  problem.file === file &&
  (problem.message.includes(what) ||
    what.includes(problem.message) ||
    (problem.code === 'unknown-event' && problem.line === line));

/** If a settings problem is about the same mistake, its exact location is used for the diagnosis. */
export const mergeWithProblems = <Problem extends CliProblem>(
  diagnoses: readonly LocatedDiagnosis[],
  problems: readonly Problem[],
): { readonly diagnoses: LocatedDiagnosis[]; readonly problems: Problem[] } => {
  const merged = new Set<Problem>();
  const placed = diagnoses.map((diagnosis): LocatedDiagnosis => {
    if (diagnosis.check !== cannotRunCheck.id) return diagnosis;
    const own = problems.filter((problem) => isAboutProblem(diagnosis, problem));
    const [problem] = own;
    if (problem === undefined) return diagnosis;
    for (const one of own) merged.add(one);
    const { severity, line, column, hint = diagnosis.fix } = problem;
    return { ...diagnosis, severity, line, column, fix: hint };
  });
  return { diagnoses: sortWorstFirst(placed), problems: problems.filter((problem) => !merged.has(problem)) };
};

export type DiagnosisGroup = readonly [LocatedDiagnosis, ...LocatedDiagnosis[]];

export const groupDiagnoses = (
  diagnoses: readonly LocatedDiagnosis[],
  by: (one: LocatedDiagnosis) => string,
): readonly DiagnosisGroup[] => {
  const groups = new Map<string, [LocatedDiagnosis, ...LocatedDiagnosis[]]>();
  for (const one of diagnoses) {
    const group = groups.get(by(one));
    if (group === undefined) groups.set(by(one), [one]);
    else group.push(one);
  }
  return [...groups.values()];
};

const styleBySeverity: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', note: 'dim' };

const formatHeadLine = (diagnosis: LocatedDiagnosis, cwd: string): TextLine => {
  const { severity, name, check } = diagnosis;
  const place = formatLocation(diagnosis, cwd);
  return [
    createSpan(styleBySeverity[severity], severity),
    ' ',
    createSpan('bold', shortenHookName(name)),
    place === undefined ? '' : ` ${place}`,
    createSpan('dim', ` [${check}]`),
  ];
};

export const formatDiagnoses = (diagnoses: readonly LocatedDiagnosis[], page: Page): Text =>
  groupDiagnoses(diagnoses, ({ check, severity, what, why, fix }) =>
    JSON.stringify([check, severity, what, why, fix]),
  ).flatMap((found) => formatDiagnosisGroup(found, page));

const formatDiagnosisGroup = (found: DiagnosisGroup, { width, cwd }: Page): Text => {
  const [{ what, why, fix }] = found;
  return [
    ...found.map((one) => formatHeadLine(one, cwd)),
    ...formatParagraph(what, width, 2),
    ...formatParagraph(why, width, 2, 2, 'dim'),
    ...formatParagraph(`→ ${fix}`, width, 2, 4, 'cyan'),
    '',
  ];
};

export const formatSummary = (
  hooks: number,
  diagnoses: readonly LocatedDiagnosis[],
  problems: readonly CliProblem[],
): string => {
  const found = [...diagnoses, ...problems];
  const counts = severities
    .map((severity) => ({ severity, count: found.filter((one) => one.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => formatCount(count, severity));
  return `${formatCount(hooks, 'hook')} looked at: ${counts.join(', ') || 'nothing wrong was found'}`;
};

const columns: readonly ItemColumn<ReportedVariable>[] = [
  { title: 'variable', min: 8, cell: ({ name }) => name },
  { title: 'hooks of a project', min: 8, cell: ({ foreign }) => (foreign ? 'see it' : createSpan('yellow', 'do not')) },
  { title: 'value', min: 8, cell: ({ value }) => value },
];

export const formatEnvironment = (variables: readonly ReportedVariable[], { width }: Page): Text => [
  '',
  [createSpan('bold', 'the environment hooks will see')],
  ...formatItemTable(columns, variables, width),
];
