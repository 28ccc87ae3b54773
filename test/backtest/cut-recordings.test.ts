// A journal cuts long texts, and leaves out what is beyond its limits.
import { expect, test } from 'vitest';
import { Config, type ConfigOptions, MessageBus } from '../../src/index.ts';
import { backtest } from '../../src/sessions/backtest/index.ts';
import { readJournal, replay, sessionOf, startJournal } from '../../src/sessions/index.ts';
import { collect } from '../recorder/support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untyped } from '../support/untyped.ts';
import { answering, group, speaking } from './support.ts';

const keep = async (options: ConfigOptions, eventName: 'BeforeAgent' | 'AfterModel', payload: object) => {
  const scope = { home: temporaryFolder('cut'), project: '/project' };
  const config = new Config({ enableHooks: true, ...options });
  const system = config.getHookSystem();
  if (system === undefined) throw new Error('hooks are on');
  const close = startJournal(system, scope, undefined);
  await system.initialize();
  await system.getEventHandler().fire(eventName, untyped(payload));
  close();
  await system.dispose();
  const entries = await collect(readJournal(scope));
  expect(entries.some(({ shortened = [] }) => shortened.length > 0)).toBe(true);
  return sessionOf(entries);
};

const drive = async (session: Awaited<ReturnType<typeof keep>>, options: ConfigOptions) => {
  const bus = new MessageBus();
  const config = new Config({ enableHooks: true, ...options, bus });
  const report = await replay(session, bus, { mode: 'drive' });
  await config.getHookSystem()?.dispose();
  return report;
};

test('R2048 texts that a recording cut are compared by their beginnings, and the report says so', async () => {
  const hooks = (second: string): ConfigOptions => ({
    hooks: { BeforeAgent: [group([speaking('a', 'a'.repeat(10_000)), speaking('b', second.repeat(10_000))])] },
  });
  const session = await keep(hooks('b'), 'BeforeAgent', { prompt: 'hello' });
  for (const dry of [true, false]) {
    const same = await backtest(session, new Config({ enableHooks: true, ...hooks('b') }), { dry });
    expect(same.decisions).toEqual([]);
    expect(same.notice).toContain('texts that were cut in the recording are compared by their beginnings');
  }
  const changed = await backtest(session, new Config({ enableHooks: true, ...hooks('c') }), { dry: false });
  expect(changed.counts['changed-context']).toBe(1);
  expect((await drive(session, hooks('b'))).pairs).toMatchObject([{ same: true }]);
  expect((await drive(session, hooks('c'))).pairs).toMatchObject([{ same: false }]);
});

test('R2048 a request that was cut too much to be asked again is a problem, and no decision', async () => {
  const options: ConfigOptions = { hooks: { AfterModel: [group([answering('look', { systemMessage: 'hm' })])] } };
  const messages = Array.from({ length: 300 }, (_, index) => ({ role: 'user', content: `${index}`.repeat(500) }));
  const llm_response = { text: 'hi', candidates: [] };
  const session = await keep(options, 'AfterModel', { llm_request: { model: 'red', messages }, llm_response });
  for (const dry of [true, false]) {
    const { total, problems } = await backtest(session, new Config({ enableHooks: true, ...options }), { dry });
    const message = 'AfterModel was cut when it was recorded and is not compared';
    expect({ total, problems }).toEqual({ total: 0, problems: [expect.objectContaining({ message })] });
  }
  const { pairs, problems } = await drive(session, options);
  expect(pairs).toEqual([]);
  expect(problems).toMatchObject([{ message: expect.stringMatching(/^the request was cut when it was recorded/) }]);
});
