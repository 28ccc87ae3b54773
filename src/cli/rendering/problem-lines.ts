import type { CliProblem } from '../command-outcome.ts';
import { type Page, paragraph } from './layout.ts';
import { shortPath, withShortPaths } from './short-path.ts';
import { styled, type Text } from './text.ts';

/** `.hookwright/settings.json:7:20`, as far as it is known. */
export const shownPlace = (
  { file, line, column }: Pick<CliProblem, 'file' | 'line' | 'column'>,
  cwd: string,
): string | undefined =>
  file === undefined ? undefined : [shortPath(file, cwd), line, column].filter((part) => part !== undefined).join(':');

/** What a problem says, with files named from here, and without its place where that stands above it. */
const fromHere = (message: string, place: string | undefined, cwd: string): string => {
  const short = withShortPaths(message, cwd);
  return place !== undefined && short.startsWith(`${place} `) ? short.slice(place.length + 1) : short;
};

const problemLines = (problem: CliProblem, { width, cwd }: Page): Text => {
  const place = shownPlace(problem, cwd);
  const message = fromHere(problem.message, place, cwd);
  const isError = problem.severity === 'error';
  const head = [styled(isError ? 'red' : 'yellow', problem.severity), place === undefined ? '' : ` ${place}`];
  const says = problem.hint !== undefined && !problem.message.includes(problem.hint);
  return [head, ...paragraph(message, width, 2), ...(says ? paragraph(`→ ${problem.hint}`, width, 2, 4, 'cyan') : [])];
};

/** What is wrong with the settings, entry by entry. */
export const problemsText = (problems: readonly CliProblem[], page: Page): Text =>
  problems.flatMap((problem) => problemLines(problem, page));

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const MOST = 3;

/** Up to three problems in full, the errors first, for commands that answer another question. */
export const problemsNote = (problems: readonly CliProblem[], page: Page): Text => {
  const errorsFirst = [...problems].sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
  const more = problems.length - MOST;
  return [
    ...problemsText(errorsFirst.slice(0, MOST), page),
    ...(more > 0 ? [[styled('yellow', counted(more, 'more problem')), ': hookwright doctor']] : []),
  ];
};
