import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Config, createHooks, type HooksByEvent, MessageBus } from '../../src/index.ts';
import { readSession, record, type SessionEntry, sessionOf } from '../../src/sessions/index.ts';
import { captureTraffic, fixtureHook, replayInto } from '../../src/testing/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untyped } from '../support/untyped.ts';

const guarding = (...files: string[]): HooksByEvent => ({
  BeforeTool: [
    {
      hooks: [
        fixtureHook.answers(
          ({ tool_input }) =>
            files.includes(Object(tool_input).path) ? { decision: 'deny', reason: 'a secret' } : undefined,
          { name: 'guard' },
        ),
      ],
    },
  ],
});

/** What two calls came to when only `.env` was guarded. */
const recorded = async () => {
  const file = join(temporaryFolder('replay'), 'session.jsonl');
  onTestFinished(() => rmSync(join(file, '..'), { recursive: true }));
  const hooks = await createHooks({ hooks: guarding('.env') });
  const traffic = captureTraffic(hooks.bus);
  const recording = record(hooks.bus, { file });
  for (const path of ['.env', 'key.pem']) await hooks.beforeTool({ tool: 'read_file', input: { path } });
  await recording.close();
  return { file, traffic };
};

test('a file, a session, its entries and captured traffic replay alike', async () => {
  const { file, traffic } = await recorded();
  const session = readSession(file);
  const entries: SessionEntry[] = [];
  for await (const entry of session.entries()) entries.push(entry);
  for (const source of [file, session, sessionOf(entries), entries, traffic]) {
    const hooks = await createHooks({ hooks: guarding('.env') });
    const replayed = await replayInto(source, hooks);
    expect(replayed.pairs.map(({ same, subject }) => [same, subject])).toEqual([
      [true, 'read_file'],
      [true, 'read_file'],
    ]);
    expect(replayed.changed).toEqual([]);
    expect(replayed.problems).toEqual([]);
    expect(replayed.toText()).toBe('Replay: 2 of 2 requests are answered as they were.');
  }
});

test('what hooks of today decide otherwise is told, request by request', async () => {
  const { traffic } = await recorded();
  const hooks = await createHooks({ hooks: guarding('.env', 'key.pem') });
  const replayed = await replayInto(traffic, hooks);
  expect(replayed.changed.map(({ line, subject }) => [line, subject])).toEqual([[7, 'read_file']]);
  expect(replayed.traffic).toHaveRun('guard', { times: 2 });
  expect(replayed.traffic).toHaveBlocked('BeforeTool', { reason: 'a secret', by: 'guard' });
  const text = replayed.toText();
  expect(text).toContain('Replay: 1 of 2 requests are answered as they were.');
  expect(text).toMatch(/\n {2}7 +BeforeTool +read_file +none +deny +.*result\.finalOutput/);
});

test('it goes to hooks, to a config and to a bus, and leaves no listener behind', async () => {
  const { traffic } = await recorded();
  const config = new Config({ enableHooks: true, hooks: guarding('.env') });
  expect((await replayInto(traffic, config)).changed).toEqual([]);
  const bus = new MessageBus();
  const onBus = new Config({ enableHooks: true, bus, hooks: guarding('.env') });
  expect((await replayInto(traffic, bus)).changed).toEqual([]);
  expect((await replayInto(traffic, onBus)).changed).toEqual([]);
  expect(bus.listenerCount('*')).toBe(0);
});

test('R2075 a recording of which no request is sent is refused, as no answer could have changed', async () => {
  const hooks = await createHooks({ hooks: guarding('.env') });
  const file = join(temporaryFolder('garbage'), 'garbage.jsonl');
  writeFileSync(file, 'not a session\n');
  const nothing = 'replayInto: no request of the recording was sent, so nothing was compared.';
  await expect(replayInto(file, hooks)).rejects.toThrow(
    `${nothing} Lines that could not be used: 1; line 1: expected a header`,
  );
  await expect(replayInto([], hooks)).rejects.toThrow(nothing);
  const { traffic } = await recorded();
  await expect(replayInto(traffic, hooks, { events: ['BeforTool'] })).rejects.toThrow(nothing);
});

test('R2075 lines of a recording that cannot be used are in the text of the report', async () => {
  const { file } = await recorded();
  appendFileSync(file, 'broken\n');
  const replayed = await replayInto(file, await createHooks({ hooks: guarding('.env') }));
  expect(replayed.changed).toEqual([]);
  expect(replayed.toText()).toMatch(/as they were\. Lines that could not be used: 1; line \d+: the line is not JSON/);
});

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'replayInto needs hooks, a config or a bus, got nothing'],
  ['hooks that are switched off', new Config(), 'hooks are switched off in the given config'],
  ['a bus without an engine', new MessageBus(), 'no engine listens for hook requests on this bus'],
])('%s is refused', async (_what, engine, message) => {
  const { traffic } = await recorded();
  await expect(replayInto(traffic, untyped<MessageBus>(engine))).rejects.toThrow(message);
});
