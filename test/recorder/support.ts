import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bus, type HookMessage, MessageBus } from '../../src/bus/index.ts';
import {
  type RecordOptions,
  type RecordSummary,
  record,
  type Session,
  type SessionEntry,
} from '../../src/sessions/index.ts';
import { createSampleNote, createSampleRequest, createSampleResponse } from '../bus/messages.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A directory for one test. */
export const newDirectory = (): string => temporaryFolder('recorder');

export const newFile = (): string => join(newDirectory(), 'session.jsonl');

export const textOf = (file: string): string => readFileSync(file, 'utf8');

/** The lines of a file as values. */
export const linesOf = (file: string): Record<string, unknown>[] =>
  textOf(file)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** What was recorded, without the header and the times. */
export const messagesIn = (file: string): unknown[] =>
  linesOf(file)
    .slice(1)
    .map(({ message }) => message);

export const collect = async (entries: AsyncIterable<SessionEntry>): Promise<SessionEntry[]> => {
  const collected: SessionEntry[] = [];
  for await (const entry of entries) collected.push(entry);
  return collected;
};

export const messagesOf = async (session: Session): Promise<HookMessage[]> =>
  (await collect(session)).map(({ message }) => message);

/** Records what `act` publishes, and says what came of it. */
export const recordAll = async (
  act: (bus: Bus) => unknown,
  options: Partial<RecordOptions> = {},
): Promise<{ file: string; summary: RecordSummary }> => {
  const bus = new MessageBus();
  const recording = record(bus, { file: newFile(), ...options });
  await act(bus);
  return { file: recording.file, summary: await recording.close() };
};

/** A file of these lines behind a header. */
export const fileOf = (...lines: readonly (string | object)[]): string => {
  const file = newFile();
  const texts = [header, ...lines].map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(file, `${texts.join('\n')}\n`);
  return file;
};

export const header = { hookwright: 'session', version: 1, startedAt: '2026-11-18T12:00:00.000Z', part: 1 };

/** Entries with these offsets: a request and its response in turn. */
export const exchanges = (...offsets: readonly number[]): { at: number; message: HookMessage }[] =>
  offsets.map((at, index) => {
    const id = `call-${Math.floor(index / 2)}`;
    return { at, message: index % 2 === 0 ? createSampleRequest(id) : createSampleResponse(id) };
  });

export { createSampleNote, createSampleRequest, createSampleResponse };
