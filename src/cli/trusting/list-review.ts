import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { type Cell, type Column, table } from '../rendering/layout.ts';
import { problemsText, shownPlace } from '../rendering/problem-lines.ts';
import { shownName } from '../rendering/shown-name.ts';
import { styled, type Text } from '../terminal/text.ts';
import { statusStyles } from './review-lines.ts';
import type { Reviewed } from './reviewed.ts';

const columns: readonly Column[] = [
  { title: 'status', min: 8 },
  { title: 'hook', min: 8 },
  { title: 'event', min: 8 },
  { title: 'script', min: 6 },
  { title: 'where', min: 8, keepEnd: true },
];

export const nothingToTrust = 'Nothing here needs an approval: no hook comes from a project or an extension.';

const rows = ({ hooks, gone }: Reviewed, cwd: string): Cell[][] => [
  ...hooks.map(({ status, name, entry: { event }, script: { covered }, file, line }): Cell[] => [
    styled(statusStyles[status], status),
    shownName(name),
    typeof event === 'string' ? event : '',
    covered ? 'covered' : styled('yellow', 'in part'),
    shownPlace({ file, line }, cwd) ?? '',
  ]),
  ...gone.map(({ name, unreadable }): Cell[] => [
    unreadable ? styled('red', 'unreadable') : styled('dim', 'gone'),
    name,
    '',
    '',
    '',
  ]),
];

const listText = (found: Reviewed, problems: readonly CliProblem[], { screen, cwd }: Context): Text => {
  const { hooks, gone } = found;
  return [
    ...(hooks.length + gone.length + problems.length === 0
      ? [nothingToTrust]
      : hooks.length + gone.length === 0
        ? []
        : table(columns, rows(found, cwd), screen.width)),
    ...problemsText(problems, screen.width, cwd),
  ];
};

/** What a review has to say, as data. */
export const reviewData = ({ review: { projectDir, file }, hooks, gone }: Reviewed): Record<string, unknown> => ({
  projectDir,
  store: file,
  hooks,
  gone,
});

export const listOutcome = (found: Reviewed, context: Context): CommandOutcome => {
  const problems = [...found.problems, ...found.unread];
  return {
    findings: problems.length > 0,
    data: reviewData(found),
    problems,
    text: () => listText(found, problems, context),
  };
};
