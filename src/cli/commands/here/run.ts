/** `hookwright` without arguments on a terminal: shows the hooks of this directory and the next steps. */
import { statSync } from 'node:fs';
import { isGuardEntry, isUnapproved } from '../../../protocol/index.ts';
import { readSession } from '../../../sessions/index.ts';
import type { CommandMain } from '../../command.ts';
import type { Context } from '../../context.ts';
import { type ReportedFile, reportFiles } from '../../doctor/environment-report.ts';
import { formatFiredHeadline } from '../../rendering/fired-lines.ts';
import { formatExampleLines, formatHeadingLines } from '../../rendering/help.ts';
import { formatLabelParagraph } from '../../rendering/layout.ts';
import { formatCount, formatProblemsNote } from '../../rendering/problem-lines.ts';
import { shortenPath } from '../../rendering/short-path.ts';
import { createSpan, type Text, toPlainText } from '../../rendering/text.ts';
import { isFileProblem } from '../../sources/ability-hooks.ts';
import { isRefusedOrFailed, listRequests, type RecordedRequest } from '../../sources/recorded-requests.ts';
import { listRecordedSessions } from '../../sources/sessions.ts';
import { type HookEntry, readEntries } from '../explain/entries.ts';
import type { hereSpec } from './spec.ts';

export const run: CommandMain<typeof hereSpec> = async (_given, context) => {
  const { cwd, width } = context;
  const { entries, problems, config } = await readEntries(context, {});
  const files = await reportFiles(config, entries, context);
  const last = await findLastProblem(cwd);
  return {
    data: {},
    text: () => [
      ...(entries.length === 0 ? [`There are no hooks for ${shortenPath(cwd, '')}.`] : [formatHooksLine(entries)]),
      ...formatFilesLines(files, context),
      ...formatGuards(entries, width),
      ...(last === undefined ? [] : formatFactLine('last problem', toPlainText(formatFiredHeadline(last)), width)),
      ...formatProblemsNote(problems.filter(isFileProblem), context),
      ...formatHeadingLines('Next'),
      ...formatExampleLines(listNextSteps(entries, files, problems.some(isFileProblem), last), width),
      '',
      'hookwright --help shows all commands',
    ],
  };
};

const formatFactLine = (label: string, text: string, width: number): Text =>
  formatLabelParagraph(label, text, { width, indent: 2, labelWidth: 14 });

const isWaiting = ({ row: { reason } }: HookEntry): boolean => isUnapproved(reason);

const formatHooksLine = (entries: readonly HookEntry[]): Text[number] => {
  const waiting = entries.filter(isWaiting).length;
  const off = entries.filter(({ row: { planned } }) => planned === 'skip').length - waiting;
  return [
    createSpan('bold', formatCount(entries.length, 'hook')),
    ...(waiting === 0
      ? []
      : [', ', createSpan('yellow', `${waiting} ${waiting === 1 ? 'waits' : 'wait'} for approval`)]),
    ...(off === 0 ? [] : [`, ${off} switched off or unusable`]),
  ];
};

const formatFilesLines = (files: readonly ReportedFile[], { cwd, width }: Context): Text =>
  files
    .filter(({ hooks, unread }) => hooks > 0 || unread === undefined)
    .flatMap(({ path, hooks }) =>
      formatFactLine('file', `${shortenPath(path, cwd)}: ${formatCount(hooks, 'hook')}`, width),
    );

const formatGuards = (entries: readonly HookEntry[], width: number): Text => {
  const guards = entries.filter(({ config }) => isGuardEntry({ ...config }));
  if (guards.length === 0) return [];
  const tried = guards.filter(({ config }) => config?.canary !== undefined).length;
  return formatFactLine(
    'guards',
    `${guards.length}, ${tried === 0 ? 'none' : tried} with a canary (hookwright doctor runs them)`,
    width,
  );
};

const MAX_SESSION_BYTES = 8_000_000;

const findLastProblem = async (cwd: string): Promise<RecordedRequest | undefined> => {
  const [newest] = listRecordedSessions(cwd);
  if (newest === undefined || statSync(newest).size > MAX_SESSION_BYTES) return undefined;
  return (await listRequests(readSession(newest), { request: undefined })).findLast(isRefusedOrFailed);
};

const MAX_NEXT_STEPS = 3;

const listNextSteps = (
  entries: readonly HookEntry[],
  files: readonly ReportedFile[],
  hasProblems: boolean,
  last: RecordedRequest | undefined,
) => {
  const [first] = entries.filter(({ isAbility }) => !isAbility);
  const hasOthers = files.some(({ unread }) => unread?.includes('hookwright import') === true);
  const event = first?.row.eventName || 'BeforeTool';
  const all = [
    { when: hasProblems, command: 'hookwright doctor', does: 'what is wrong, and how to correct it' },
    { when: entries.some(isWaiting), command: 'hookwright trust', does: 'review hooks that wait, and approve them' },
    { when: last !== undefined, command: `hookwright why ${last?.line}`, does: 'the last problem, hook by hook' },
    { when: entries.length === 0, command: 'hookwright init', does: 'a first hook that works, with its test' },
    { when: hasOthers, command: 'hookwright import', does: 'bring the hooks of another agent here' },
    { when: entries.length > 0, command: `hookwright explain ${event}`, does: 'which hooks would run, and why not' },
    { when: entries.length > 0, command: 'hookwright test', does: 'run the tests of your hooks' },
    { when: true, command: 'hookwright events', does: 'the events, and what a hook of each may answer' },
    { when: true, command: 'hookwright new', does: 'create a hook, with its test' },
  ];
  return all.filter(({ when }) => when).slice(0, MAX_NEXT_STEPS);
};
