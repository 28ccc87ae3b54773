/** Collects and renders the settings files, the journal and the environment, for `doctor`. */
import { existsSync } from 'node:fs';
import { findAgentsWithFiles } from '../../agents/cli-api.ts';
import { describeThrown, formatLocalTime } from '../../kit/index.ts';
import { getJournalDirectory, listProjectJournal } from '../../sessions/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { HookEntry } from '../commands/explain/entries.ts';
import type { Context } from '../context.ts';
import { formatParagraph, type Page } from '../rendering/layout.ts';
import { formatCount } from '../rendering/problem-lines.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { createSpan, type Text } from '../rendering/text.ts';
import type { CheckInput } from './check-types.ts';

/** `value` is the length of the value if the value may be personal. */
export interface ReportedVariable {
  readonly name: string;
  readonly value: string;
  readonly foreign: boolean;
}

/** The values of these variables explain why a program is not found, and contain no secrets. */
const SHOWN_VARIABLE_PATTERN =
  /^(?:PATH|HOME|PWD|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|CI|NODE_ENV|(?:HOOKWRIGHT|GEMINI|CLAUDE)_(?:PROJECT_DIR|CWD|SESSION_ID))$/;

export const reportEnvironment = ({ environment, foreignEnvironment }: CheckInput): ReportedVariable[] =>
  Object.entries(environment)
    .map(([name, value]) => ({
      name,
      value: SHOWN_VARIABLE_PATTERN.test(name) ? value : `(${formatCount(value.length, 'character')})`,
      foreign: Object.hasOwn(foreignEnvironment, name),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

export interface ReportedFile {
  readonly path: string;
  readonly hooks: number;
  readonly unread?: string | undefined;
}

export const reportFiles = async (
  config: LoadedConfig,
  hooks: readonly Pick<HookEntry, 'row'>[],
  { cwd, env }: Context,
): Promise<readonly ReportedFile[]> => {
  // Of the many files in which other agents may have hooks, those that do not exist are left out.
  const files = config
    .getFiles()
    .filter(({ kind, exists, path }) => kind === 'file' && (exists !== undefined || existsSync(path)));
  const problems = config.getProblems();
  const own = files.map(({ path, exists }): ReportedFile => {
    const whole = problems.find((one) => one.file === path && one.path === '' && one.severity === 'error');
    const count = hooks.filter(({ row }) => row.source.file === path).length;
    return { path, hooks: count, unread: exists === false ? NO_SUCH_FILE : count === 0 ? whole?.message : undefined };
  });
  const known = new Set(own.map(({ path }) => path));
  const agents = await findAgentsWithFiles({ cwd, home: config.getHome(), env });
  const foreign = [...new Set(agents.flatMap(({ files: its }) => its))].filter((path) => !known.has(path));
  const others = foreign.map((path): ReportedFile => {
    const readers = agents.filter(({ files: its }) => its.includes(path)).map(({ agent }) => agent.title);
    return { path, hooks: 0, unread: `for ${readers.join(', ')}; hookwright import copies it` };
  });
  return [...own, ...others];
};

const NO_SUCH_FILE = 'no such file';

export const formatFiles = (files: readonly ReportedFile[], { width, cwd }: Page): Text => {
  const missing = files.filter(({ unread }) => unread === NO_SUCH_FILE).map(({ path }) => shortenPath(path, cwd));
  const lines = files
    .filter(({ unread }) => unread !== NO_SUCH_FILE)
    .flatMap(({ path, hooks, unread }) =>
      formatParagraph(
        `${shortenPath(path, cwd)}: ${unread === undefined ? formatCount(hooks, 'hook') : `not read: ${unread}`}`,
        width,
        2,
        4,
      ),
    );
  return [
    [createSpan('bold', 'files')],
    ...lines,
    ...(missing.length === 0 ? [] : formatParagraph(`not there: ${missing.join(', ')}`, width, 2, 4, 'dim')),
    '',
  ];
};

interface ReportedJournal {
  readonly directory: string;
  readonly on: boolean;
  readonly decisions: number;
  readonly since?: string | undefined;
  readonly trouble?: string | undefined;
}

export const reportJournal = (config: LoadedConfig): ReportedJournal => {
  const place = { home: config.getHome(), project: config.getProjectDir() };
  const about = { directory: getJournalDirectory(place.home), on: config.getJournal() !== undefined };
  try {
    const files = listProjectJournal(place);
    const decisions = files.reduce((sum, file) => sum + file.decisions, 0);
    const [oldest] = files;
    return { ...about, decisions, ...(oldest && { since: new Date(oldest.atMs).toISOString() }) };
  } catch (error) {
    return { ...about, decisions: 0, trouble: describeThrown(error) };
  }
};

export const formatJournal = (
  { directory, on, decisions, since, trouble }: ReportedJournal,
  { width, cwd }: Page,
): Text => {
  const kept =
    since === undefined
      ? 'no decision of this project yet'
      : `${formatCount(decisions, 'decision')} of this project since ${formatLocalTime(Date.parse(since))}`;
  const words = trouble === undefined ? `${kept}${on ? '' : '; switched off by "journal": false'}` : trouble;
  return [
    [createSpan('bold', 'journal')],
    ...formatParagraph(`${shortenPath(directory, cwd)}: ${words}`, width, 2, 4),
    '',
  ];
};
