/** Renders problems in settings and files, with location and fix. */
import type { CliProblem } from '../command-outcome.ts';
import { type Page, paragraph } from './layout.ts';
import { shortPath, withShortPaths } from './short-path.ts';
import { styled, type Text } from './text.ts';

export const locationText = (
  { file, line, column }: Pick<CliProblem, 'file' | 'line' | 'column'>,
  cwd: string,
): string | undefined =>
  file === undefined ? undefined : [shortPath(file, cwd), line, column].filter((part) => part !== undefined).join(':');

const problemLines = (problem: CliProblem, { width, cwd }: Page): Text => {
  const { severity, message, hint } = problem;
  const location = locationText(problem, cwd);
  const short = withShortPaths(message, cwd);
  const text = location !== undefined && short.startsWith(`${location} `) ? short.slice(location.length + 1) : short;
  return [
    [styled(severity === 'error' ? 'red' : 'yellow', severity), location === undefined ? '' : ` ${location}`],
    ...paragraph(text, width, 2),
    ...(hint === undefined || message.includes(hint) ? [] : paragraph(`→ ${hint}`, width, 2, 4, 'cyan')),
  ];
};

export const problemsText = (problems: readonly CliProblem[], page: Page): Text =>
  problems.flatMap((problem) => problemLines(problem, page));

export const withCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const MOST = 3;

/** At most three problems, errors first, because the command is about something else. */
export const problemsNote = (problems: readonly CliProblem[], page: Page): Text => {
  const errorsFirst = [...problems].sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
  const more = problems.length - MOST;
  return [
    ...problemsText(errorsFirst.slice(0, MOST), page),
    ...(more > 0 ? [[styled('yellow', withCount(more, 'more problem')), ': hookwright doctor']] : []),
  ];
};
