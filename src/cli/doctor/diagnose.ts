import { originOf } from '../../protocol/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { cannotRun } from './checks/cannot-run.ts';
import { checks } from './checks.ts';
import { type Check, type Diagnosis, type ExaminedHook, severities, type World } from './diagnosis.ts';

/** A diagnosis with whose it is and where that stands. */
export interface PlacedDiagnosis extends Diagnosis {
  readonly check: string;
  readonly hookId: string;
  readonly name: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

const positionOf = ({ row: { source }, config }: ExaminedHook): Pick<PlacedDiagnosis, 'file' | 'line' | 'column'> => {
  const position = config === undefined ? undefined : originOf(config)?.position;
  if (position !== undefined) return position;
  const { file, line } = source;
  return { ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) };
};

/** All that is found about all hooks, the worst first. */
export const diagnose = (world: World, all: readonly Check[] = checks): PlacedDiagnosis[] =>
  worstFirst(
    world.hooks.flatMap((hook) =>
      all.flatMap(({ id, look }) =>
        look(hook, world).map((diagnosis): PlacedDiagnosis => {
          const { hookId, name } = hook.row;
          return { check: id, hookId, name, ...positionOf(hook), ...diagnosis };
        }),
      ),
    ),
  );

const worstFirst = (diagnoses: readonly PlacedDiagnosis[]): PlacedDiagnosis[] =>
  [...diagnoses].sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));

const isAbout = ({ what, file, line }: PlacedDiagnosis, problem: CliProblem): boolean =>
  problem.file === file &&
  (problem.message.includes(what) ||
    what.includes(problem.message) ||
    (problem.code === 'unknown-event' && problem.line === line));

/** A finding that is a problem of the settings too has the severity, the place and the fix of the problem, and stands once. */
export const joined = <Problem extends CliProblem>(
  diagnoses: readonly PlacedDiagnosis[],
  problems: readonly Problem[],
): { readonly diagnoses: PlacedDiagnosis[]; readonly problems: Problem[] } => {
  const said = new Set<Problem>();
  const placed = diagnoses.map((diagnosis): PlacedDiagnosis => {
    if (diagnosis.check !== cannotRun.id) return diagnosis;
    const own = problems.filter((problem) => isAbout(diagnosis, problem));
    const [problem] = own;
    if (problem === undefined) return diagnosis;
    for (const one of own) said.add(one);
    const { severity, line, column, hint = diagnosis.fix } = problem;
    return { ...diagnosis, severity, line, column, fix: hint };
  });
  return { diagnoses: worstFirst(placed), problems: problems.filter((problem) => !said.has(problem)) };
};

/** Findings that are told as one; there is at least one of them. */
export type DiagnosisGroup = readonly [PlacedDiagnosis, ...PlacedDiagnosis[]];

/** The same found of several hooks, together where the first of them stands. */
export const alike = (
  diagnoses: readonly PlacedDiagnosis[],
  by: (one: PlacedDiagnosis) => string,
): readonly DiagnosisGroup[] => {
  const groups = new Map<string, [PlacedDiagnosis, ...PlacedDiagnosis[]]>();
  for (const one of diagnoses) {
    const group = groups.get(by(one));
    if (group === undefined) groups.set(by(one), [one]);
    else group.push(one);
  }
  return [...groups.values()];
};
