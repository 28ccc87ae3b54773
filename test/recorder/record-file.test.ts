import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type HookMessage, type HookwrightError, MessageBus } from '../../src/bus/index.ts';
import { type RecordProblem, record } from '../../src/sessions/index.ts';
import { waitForRejections } from '../bus/messages.ts';
import { createSampleNote, linesOf, messagesIn, newDirectory, newFile, recordAll, textOf } from './support.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('the file', () => {
  test('belongs to its owner alone, and so do the directories that were made for it', async () => {
    const directory = newDirectory();
    const { file } = await recordAll(() => {}, { file: join(directory, 'logs', 'today', 'session.jsonl') });
    expect(modeOf(file)).toBe('600');
    expect([modeOf(dirname(file)), modeOf(dirname(dirname(file)))]).toEqual(['700', '700']);
  });

  test('what was recorded there before is kept beside it, the newest first', async () => {
    const file = newFile();
    for (const name of ['first', 'second', 'third'])
      await recordAll((bus) => bus.publish(createSampleNote(name)), { file });
    expect([file, `${file}.1`, `${file}.2`].map((one) => messagesIn(one))).toEqual([
      [createSampleNote('third')],
      [createSampleNote('second')],
      [createSampleNote('first')],
    ]);
    await recordAll((bus) => bus.publish(createSampleNote('fourth')), { file, maxFiles: 2 });
    expect(messagesIn(`${file}.1`)).toEqual([createSampleNote('third')]);
  });

  test('an empty file in its place is taken', async () => {
    const file = newFile();
    writeFileSync(file, '');
    await recordAll((bus) => bus.publish(createSampleNote('one')), { file });
    expect(messagesIn(file)).toEqual([createSampleNote('one')]);
    expect(existsSync(`${file}.1`)).toBe(false);
    expect(modeOf(file)).toBe('600');
  });

  const refused = async (file: string): Promise<RecordProblem[]> => {
    const problems: RecordProblem[] = [];
    const bus = new MessageBus();
    const errors: HookwrightError[] = [];
    bus.on('error', (error) => errors.push(error));
    const recording = record(bus, { file, onProblem: (problem) => problems.push(problem) });
    bus.publish(createSampleNote('one'));
    bus.publish(createSampleNote('two'));
    await waitForRejections();
    expect(await recording.close()).toEqual({ messages: 0, bytes: 0, files: 0, redacted: 0 });
    expect(errors).toMatchObject([{ code: 'listener_failed', cause: { details: { file: recording.file } } }]);
    expect(bus.listenerCount('*')).toBe(0);
    return problems;
  };

  const stopped = (why: RegExp) => [
    { code: 'recording-stopped', message: expect.stringMatching(why), cause: expect.any(Error) },
  ];

  test('is never written through a symbolic link, and what the link leads to is not touched', async () => {
    const directory = newDirectory();
    const [target, link] = [join(directory, 'target'), join(directory, 'link')];
    writeFileSync(target, '{"hookwright":"session","version":1}\n');
    symlinkSync(target, link);
    expect(await refused(link)).toEqual(stopped(/symbolic link/));
    expect(textOf(target)).toBe('{"hookwright":"session","version":1}\n');
    expect(readdirSync(directory)).toEqual(['link', 'target']);
  });

  test('is not written through a dangling symbolic link either', async () => {
    const directory = newDirectory();
    symlinkSync(join(directory, 'nothing'), join(directory, 'link'));
    expect(await refused(join(directory, 'link'))).toEqual(stopped(/symbolic link/));
    expect(readdirSync(directory)).toEqual(['link']);
  });

  test('is not put in the place of something that is no session', async () => {
    const file = newFile();
    writeFileSync(file, '{"name":"my-package"}\n');
    expect(await refused(file)).toEqual(stopped(/exists and is not a session/));
    expect(textOf(file)).toBe('{"name":"my-package"}\n');
  });

  test('is not a directory nor a device', async () => {
    expect(await refused(newDirectory())).toEqual(stopped(/not a regular file/));
    expect(await refused('/dev/null')).toEqual(stopped(/not a regular file/));
  });

  test('a directory that cannot be made is told once, to onProblem and as an error event', async () => {
    const file = newFile();
    writeFileSync(file, 'a file');
    expect(await refused(join(file, 'below', 'session.jsonl'))).toEqual(stopped(/ENOTDIR|EEXIST/));
  });

  test.skipIf(process.platform === 'win32')('R2007 that was removed during the recording is a problem', async () => {
    const file = newFile();
    const problems: RecordProblem[] = [];
    const bus = new MessageBus();
    const recording = record(bus, { file, onProblem: (problem) => problems.push(problem) });
    bus.publish(createSampleNote('one'));
    rmSync(file);
    await recording.close();
    expect(problems).toEqual(stopped(/stopped: the file was removed$/));
  });

  test.skipIf(process.getuid?.() === 0)('a directory that cannot be written is a problem', async () => {
    const directory = newDirectory();
    mkdirSync(join(directory, 'locked'));
    chmodSync(join(directory, 'locked'), 0o500);
    expect(await refused(join(directory, 'locked', 'session.jsonl'))).toEqual(stopped(/EACCES/));
  });

  test('an onProblem that throws, or none at all, changes nothing', async () => {
    const file = newFile();
    writeFileSync(file, 'mine');
    const bus = new MessageBus();
    const throwing = () => {
      throw new Error('no');
    };
    const recording = record(bus, { file, onProblem: throwing });
    bus.publish(createSampleNote('one'));
    await waitForRejections();
    expect(await recording.close()).toMatchObject({ messages: 0 });
  });

  test('cannot be recorded to twice at a time', async () => {
    const bus = new MessageBus();
    const recording = record(bus, { file: newFile() });
    expect(() => record(bus, { file: recording.file })).toThrow(/being recorded to already/);
    await recording.close();
    await record(bus, { file: recording.file }).close();
  });
});

describe('size limits', () => {
  const notes = (count: number): HookMessage[] =>
    Array.from({ length: count }, (_, index) => createSampleNote(`${index}`.padStart(6, '0')));

  test('a file that is full is moved aside, and no more are kept than wanted', async () => {
    const { file, summary } = await recordAll(
      (bus) => {
        for (const note of notes(200)) bus.publish(note);
      },
      { maxBytes: 2_000, maxFiles: 3 },
    );
    expect(readdirSync(dirname(file)).toSorted()).toEqual(['session.jsonl', 'session.jsonl.1', 'session.jsonl.2']);
    const files = [`${file}.2`, `${file}.1`, file];
    for (const one of files) {
      expect(statSync(one).size).toBeLessThanOrEqual(2_000);
      expect(modeOf(one)).toBe('600');
    }
    const kept = files.flatMap(messagesIn);
    expect(kept).toEqual(notes(200).slice(-kept.length));
    expect(summary.messages).toBe(200);
    expect(summary.files).toBeGreaterThan(10);
    const parts = files.map((one) => linesOf(one)[0]);
    expect(parts.map((part) => part?.part)).toEqual([summary.files - 2, summary.files - 1, summary.files]);
    expect(new Set(parts.map((part) => part?.session)).size).toBe(1);
    expect(new Set(parts.map((part) => part?.startedAt)).size).toBe(1);
  });

  test('with one file, the newest messages are kept', async () => {
    const { file } = await recordAll(
      (bus) => {
        for (const note of notes(100)) bus.publish(note);
      },
      { maxBytes: 2_000, maxFiles: 1 },
    );
    expect(readdirSync(dirname(file))).toEqual(['session.jsonl']);
    expect(messagesIn(file).at(-1)).toEqual(notes(100).at(-1));
  });

  test('a message larger than a file may be gets a file of its own', async () => {
    const { file } = await recordAll(
      (bus) => {
        for (const text of ['a', 'b'.repeat(5_000), 'c']) bus.publish(createSampleNote(text));
      },
      { maxBytes: 1_000 },
    );
    expect([`${file}.2`, `${file}.1`, file].map((one) => messagesIn(one).length)).toEqual([1, 1, 1]);
  });

  test('a file that another process removed during the recording is not looked for', async () => {
    const bus = new MessageBus();
    const recording = record(bus, { file: newFile(), maxBytes: 1_000 });
    rmSync(recording.file);
    for (const note of notes(40)) bus.publish(note);
    await recording.close();
    expect(messagesIn(recording.file).length).toBeGreaterThan(0);
    expect(existsSync(`${recording.file}.2`)).toBe(true);
  });
});
