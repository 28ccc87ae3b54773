/** What doctor says of the journal: where it is, how much of this project it has, and why it could not be written. */
import { describeThrown, localTime } from '../../kit/index.ts';
import { journalDirectory, journalOf } from '../../sessions/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import { paragraph } from '../rendering/layout.ts';
import { counted } from '../rendering/problem-lines.ts';
import type { Page } from '../rendering/row-lines.ts';
import { styled, type Text } from '../rendering/text.ts';
import { shortPath } from '../sources/sessions.ts';

export interface SeenJournal {
  readonly directory: string;
  readonly on: boolean;
  /** Of this project. */
  readonly decisions: number;
  readonly since?: string | undefined;
  readonly trouble?: string | undefined;
}

export const seenJournal = (config: LoadedConfig): SeenJournal => {
  const place = { home: config.getHome(), project: config.getProjectDir() };
  const about = { directory: journalDirectory(place.home), on: config.getJournal() !== undefined };
  try {
    const files = journalOf(place);
    const decisions = files.reduce((sum, file) => sum + file.decisions, 0);
    const [oldest] = files;
    return { ...about, decisions, ...(oldest && { since: new Date(oldest.atMs).toISOString() }) };
  } catch (error) {
    return { ...about, decisions: 0, trouble: describeThrown(error) };
  }
};

export const journalText = ({ directory, on, decisions, since, trouble }: SeenJournal, { width, cwd }: Page): Text => {
  const kept =
    since === undefined
      ? 'no decision of this project yet'
      : `${counted(decisions, 'decision')} of this project since ${localTime(Date.parse(since))}`;
  const words = trouble === undefined ? `${kept}${on ? '' : '; switched off by "journal": false'}` : trouble;
  return [[styled('bold', 'journal')], ...paragraph(`${shortPath(directory, cwd)}: ${words}`, width, 2, 4), ''];
};
