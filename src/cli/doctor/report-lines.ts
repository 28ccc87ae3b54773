import { type Column, paragraph, table } from '../rendering/layout.ts';
import { counted, shownPlace } from '../rendering/problem-lines.ts';
import type { Page } from '../rendering/row-lines.ts';
import { shownName } from '../rendering/shown-name.ts';
import { type Style, styled, type Text, type TextLine } from '../rendering/text.ts';
import { alike, type DiagnosisGroup, type PlacedDiagnosis } from './diagnose.ts';
import { type Severity, severities } from './diagnosis.ts';
import type { SeenVariable } from './seen-environment.ts';

const styles: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', note: 'dim' };

const headOf = (diagnosis: PlacedDiagnosis, cwd: string): TextLine => {
  const { severity, name, check } = diagnosis;
  const place = shownPlace(diagnosis, cwd);
  return [
    styled(styles[severity], severity),
    ' ',
    styled('bold', shownName(name)),
    place === undefined ? '' : ` ${place}`,
    styled('dim', ` [${check}]`),
  ];
};

const byWords = ({ check, severity, what, why, fix }: PlacedDiagnosis): string =>
  JSON.stringify([check, severity, what, why, fix]);

/** All that was found; what is the same of several hooks is said once, below all of them. */
export const diagnosesText = (diagnoses: readonly PlacedDiagnosis[], page: Page): Text =>
  alike(diagnoses, byWords).flatMap((found) => foundText(found, page));

const foundText = (found: DiagnosisGroup, { width, cwd }: Page): Text => {
  const [{ what, why, fix }] = found;
  return [
    ...found.map((one) => headOf(one, cwd)),
    ...paragraph(what, width, 2),
    ...paragraph(why, width, 2, 2, 'dim'),
    ...paragraph(`→ ${fix}`, width, 2, 4, 'cyan'),
    '',
  ];
};

export const summaryText = (
  hooks: number,
  diagnoses: readonly PlacedDiagnosis[],
  others: readonly object[],
): string => {
  const counts = severities
    .map((severity) => ({ severity, count: diagnoses.filter((one) => one.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => counted(count, severity));
  return `${counted(hooks, 'hook')} looked at: ${counts.join(', ') || (others.length === 0 ? 'nothing wrong was found' : 'nothing else was found')}`;
};

const columns: readonly Column[] = [
  { title: 'variable', min: 8 },
  { title: 'hooks of a project', min: 8 },
  { title: 'value', min: 8 },
];

export const environmentText = (variables: readonly SeenVariable[], { width }: Page): Text => [
  '',
  [styled('bold', 'the environment hooks will see')],
  ...table(
    columns,
    variables.map(({ name, value, foreign }) => [name, foreign ? 'see it' : styled('yellow', 'do not'), value]),
    width,
  ),
];
