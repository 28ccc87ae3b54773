/** Renders problems in settings and files, with location and fix. */
import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import { formatParagraph, type Page } from './layout.ts';
import { shortenPath, shortenPathsInText } from './short-path.ts';
import { createSpan, type Text } from './text.ts';

export const formatLocation = (
  { file, line, column }: Pick<CliProblem, 'file' | 'line' | 'column'>,
  cwd: string,
): string | undefined =>
  file === undefined
    ? undefined
    : [shortenPath(file, cwd), line, column].filter((part) => part !== undefined).join(':');

const formatProblemLines = (problem: CliProblem, { width, cwd }: Page): Text => {
  const { severity, message, hint } = problem;
  const location = formatLocation(problem, cwd);
  const short = shortenPathsInText(message, cwd);
  const text = location !== undefined && short.startsWith(`${location} `) ? short.slice(location.length + 1) : short;
  return [
    [createSpan(severity === 'error' ? 'red' : 'yellow', severity), location === undefined ? '' : ` ${location}`],
    ...formatParagraph(text, width, 2),
    ...(hint === undefined || message.includes(hint) ? [] : formatParagraph(`→ ${hint}`, width, 2, 4, 'cyan')),
  ];
};

export const formatProblems = (problems: readonly CliProblem[], page: Page): Text =>
  problems.flatMap((problem) => formatProblemLines(problem, page));

export const createProblemOutcome = (data: unknown, problems: readonly CliProblem[], page: Page): CommandOutcome => ({
  findings: true,
  data,
  problems,
  text: () => formatProblems(problems, page),
});

export const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const MAX_SHOWN_PROBLEMS = 3;

/** Shows at most three problems, errors first, because the command is about something else. */
export const formatProblemsNote = (problems: readonly CliProblem[], page: Page): Text => {
  const errorsFirst = [...problems].sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
  const more = problems.length - MAX_SHOWN_PROBLEMS;
  return [
    ...formatProblems(errorsFirst.slice(0, MAX_SHOWN_PROBLEMS), page),
    ...(more > 0 ? [[createSpan('yellow', formatCount(more, 'more problem')), ': hookwright doctor']] : []),
  ];
};
