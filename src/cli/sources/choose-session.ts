/** Finds the recording, journal or broker stream that a command reads. */
import { statSync } from 'node:fs';
import { HookwrightError } from '../../errors.ts';
import { attempt, formatLocalTime } from '../../kit/index.ts';
import { type JournalScope, listProjectJournal, readJournal, readSession, type Session } from '../../sessions/index.ts';
import type { Context } from '../context.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { NotFoundError, UsageError } from '../usage-error.ts';
import { type BrokerFlags, readBrokerOptions } from './broker.ts';
import { loadSettings } from './load-settings.ts';
import { findSessionFile, listRecordedSessions } from './sessions.ts';

interface RecordingFlags {
  readonly session: string | undefined;
  readonly since?: string | undefined;
}

interface SessionFlags extends BrokerFlags, RecordingFlags {
  readonly stream: string | undefined;
  readonly prefix: string | undefined;
}

interface ChosenSession {
  readonly name: string;
  readonly open: () => Session;
}

const expectSessionExists = async (session: Session): Promise<void> => {
  try {
    await session.header();
  } catch (error) {
    if (!HookwrightError.is(error) || error.code !== 'invalid_argument') throw error;
    throw new NotFoundError(error.message, 'recordStream of hookwright/nats keeps sessions there; see docs/nats.md');
  }
};

/** Does not report unreadable settings, because the journal can be read without them. */
const findJournalScope = async ({ cwd, env }: Context): Promise<JournalScope> => {
  const { config } = await loadSettings({ cwd, env });
  return { home: config.getHome(), project: config.getProjectDir() };
};

const chooseJournal = (scope: JournalScope, sinceMs: number | undefined): ChosenSession => {
  if (listProjectJournal(scope, sinceMs).length > 0)
    return { name: 'journal', open: () => readJournal(scope, sinceMs) };
  const when = sinceMs === undefined ? '' : ` since ${formatLocalTime(sinceMs)}`;
  throw new NotFoundError(
    `no decision of this project is kept${when}`,
    'run --as-hook, serve and createHooks({load: true}) keep one; hookwright doctor shows where',
  );
};

export const chooseRecording = async (
  command: string,
  { session: wish, since }: RecordingFlags,
  context: Context,
): Promise<ChosenSession> => {
  const { cwd } = context;
  if (since !== undefined || wish === 'journal') {
    if (wish !== undefined && wish !== 'journal')
      throw new UsageError('--since is for the journal', `leave out ${wish}, or leave out --since`);
    return chooseJournal(await findJournalScope(context), since === undefined ? undefined : readSince(since, command));
  }
  if (wish === undefined) {
    const scope = await findJournalScope(context);
    const [recorded] = listRecordedSessions(cwd);
    const recordedAt = recorded === undefined ? undefined : statSync(recorded, { throwIfNoEntry: false })?.mtimeMs;
    const keptAt = attempt(() => listProjectJournal(scope).at(-1)?.atMs);
    if (keptAt !== undefined && keptAt > (recordedAt ?? 0)) return chooseJournal(scope, undefined);
  }
  const file = findSessionFile(cwd, wish);
  return { name: shortenPath(file, cwd), open: () => readSession(file) };
};

export const chooseSession = async (command: string, flags: SessionFlags, context: Context): Promise<ChosenSession> => {
  const { session: wish, since, stream, prefix, nats } = flags;
  if (stream === undefined) {
    if (nats !== undefined)
      throw new UsageError('--nats names a broker, and no session of it', 'add --stream <session>');
    return chooseRecording(command, flags, context);
  }
  if (since !== undefined) throw new UsageError('--since is for the journal, which --stream is not', 'leave one out');
  if (wish !== undefined) throw new UsageError('--stream cannot be combined with another session', `leave out ${wish}`);
  const broker = await readBrokerOptions(command, flags, context);
  const { readStream } = await import('../../transports/index.ts');
  const open = (): Session => readStream({ ...broker, prefix, session: stream });
  await expectSessionExists(open());
  return { name: stream, open };
};

const msPerUnit: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const readDuration = (
  flag: string,
  text: string,
  { allowed, maxMs, accepted, example }: { allowed: string; maxMs: number; accepted: string; example: string },
): number => {
  const [, count = '', unit = ''] = /^(\d{1,6})([a-z])$/.exec(text) ?? [];
  const ms = allowed.includes(unit) ? Number(count) * (msPerUnit[unit] ?? 0) : 0;
  if (ms > 0 && ms <= maxMs) return ms;
  throw new UsageError(`--${flag} takes a time such as ${accepted}; found ${JSON.stringify(text)}`, example);
};

const readSince = (since: string, command: string): number =>
  Date.now() -
  readDuration('since', since, {
    allowed: 'smhd',
    maxMs: Number.POSITIVE_INFINITY,
    accepted: '30m, 12h or 7d',
    example: `hookwright ${command} --since 7d`,
  });
