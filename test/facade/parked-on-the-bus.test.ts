import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  Config,
  type Confirm,
  confirmOverBus,
  createHooks,
  type HookMessage,
  type HooksByEvent,
  MessageBus,
  MessageBusType,
  memoryTokenStore,
  parkedCalls,
} from '../../src/index.ts';
import { RequestLog } from '../../src/inspector/request-log.ts';
import { backtest } from '../../src/sessions/backtest/index.ts';
import { readSession, record, replay } from '../../src/sessions/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hook, tool } from '../triggers/support.ts';

const QUESTION = MessageBusType.HOOK_CONFIRMATION_REQUEST;
const ANSWER = MessageBusType.HOOK_CONFIRMATION_RESPONSE;
const asking = hook({ decision: 'ask', reason: 'it pushes' }, { name: 'guard' });
const parks: Confirm = async (_question, context) => (await context?.park?.()) ?? false;
const key = 'a secret that all processes of the host have';
const store = memoryTokenStore();
const parking = parkedCalls({ key, store, runTool: (name) => `${name} ran` });

const watching = async (confirm?: (bus: MessageBus) => Confirm, hooks: HooksByEvent = { BeforeTool: [asking] }) => {
  const bus = new MessageBus();
  const messages: HookMessage[] = [];
  bus.stream().subscribe((message) => messages.push(message));
  const made = await createHooks({ bus, cwd: '/project', hooks, deps: { parking, confirm: confirm?.(bus) ?? parks } });
  const { run } = tool('not now');
  const park = async () => (await made.callTool('push', { branch: 'main' }, run)).asked;
  const answers = () => messages.filter((message) => message.type === ANSWER);
  const summaries = () => {
    const stories = new RequestLog();
    for (const [index, message] of messages.entries()) stories.add({ at: index, line: index + 1, message });
    return stories.ids().map((id) => stories.details(id));
  };
  return { bus, messages, hooks: made, park, answers, summaries };
};

describe('R1545 a parked call', () => {
  test('is shown on the bus under the id of its request, without its token, and later who approved it', async () => {
    const { messages, hooks, park, answers, summaries } = await watching();
    const asked = await park();
    const [request] = messages;
    const parked = { id: expect.stringMatching(/^[0-9a-f]{32}$/), expiresAt: expect.stringMatching(/Z$/) };
    const waits = { type: ANSWER, correlationId: request?.correlationId, approved: false, parked };
    expect(answers()).toEqual([{ ...waits, reason: 'parked: the call waits for an approval' }]);
    expect(summaries()[0]?.summary).toMatchObject({ verdict: 'ask', became: 'parked' });
    await hooks.resume(asked?.parked ?? '', { approved: true, by: 'ann' });
    expect(answers()[1]).toEqual({ ...waits, approved: true, by: 'ann' });
    expect(summaries()[0]).toMatchObject({ summary: { became: 'approved' }, asked: { by: 'ann' } });
    expect(JSON.stringify(messages)).not.toContain(asked?.parked);
    const resumed = messages.filter(({ type }) => type === MessageBusType.HOOK_EXECUTION_REQUEST);
    const [before] = resumed.filter((message) => JSON.stringify(message).includes('"recheck":true'));
    expect(before).toMatchObject({ payload: { tool_name: 'push', recheck: true, approval: { by: 'ann' } } });
  });

  test('that is refused says so under the same id, in another process too', async () => {
    const { messages, park } = await watching();
    const asked = await park();
    const other = await watching();
    await other.hooks.resume(asked?.parked ?? '', { approved: false, by: 'ann', reason: 'no' });
    expect(other.answers()).toMatchObject([
      { correlationId: messages[0]?.correlationId, approved: false, by: 'ann', reason: 'no' },
    ]);
    for (const message of other.messages) messages.push(message);
    const stories = new RequestLog();
    for (const [index, message] of messages.entries()) stories.add({ at: index, line: index + 1, message });
    expect(stories.details(messages[0]?.correlationId ?? '')?.summary.became).toBe('denied');
  });
});

describe('R1546 confirmOverBus', () => {
  test('parks a call whose question is answered with park', async () => {
    const { bus, park, summaries } = await watching(confirmOverBus);
    bus.subscribe(QUESTION, ({ correlationId }) =>
      bus.publish({ type: ANSWER, correlationId, approved: false, park: true, by: 'ann' }),
    );
    expect((await park())?.parked).toMatch(/^hwp1\./);
    expect(summaries().map((story) => story?.summary.became)).toEqual(['parked', undefined, 'parked']);
  });

  test('parks a call that no person answers in time, or that no listener hears, if that is the fallback', async () => {
    const late = await watching((bus) => confirmOverBus(bus, { timeoutMs: 20, fallback: 'park' }));
    expect((await late.park())?.parked).toMatch(/^hwp1\./);
    const confirm = confirmOverBus(new MessageBus(), { fallback: 'park' });
    const alone = await createHooks({ hooks: { BeforeTool: [asking] }, deps: { parking, confirm } });
    expect((await alone.callTool('push', {}, () => 'x')).asked?.parked).toMatch(/^hwp1\./);
  });

  test('refuses what cannot be parked', async () => {
    const confirm = confirmOverBus(new MessageBus(), { fallback: 'park' });
    const hooks = await createHooks({ hooks: { BeforeTool: [asking] }, deps: { confirm } });
    const { asked, blocked } = await hooks.callTool('push', {}, () => 'x');
    expect([asked?.parked, blocked?.verdict, asked?.unanswered]).toEqual([undefined, 'deny', 'no-listener']);
  });
});

test('R1547 a recording of a parked and resumed call is replayed and asked of today’s hooks again, and no token is in it', async () => {
  const file = join(temporaryFolder('parked'), 'session.jsonl');
  const { bus, hooks, park } = await watching();
  const recorder = await record(bus, { file });
  const asked = await park();
  await hooks.resume(asked?.parked ?? '', { approved: true, by: 'ann' });
  await recorder.close();
  const session = await readSession(file);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain('hwp1');
  expect(text).toMatch(/"recheck":true,"approval":\{"id":"[0-9a-f]{32}","by":"ann"\}/);
  const observed = new MessageBus();
  const seen: HookMessage[] = [];
  observed.stream().subscribe((message) => seen.push(message));
  await replay(session, observed, { mode: 'observe', pace: 'instant' });
  expect(seen.filter(({ type }) => type === ANSWER)).toHaveLength(2);
  expect(JSON.stringify(seen)).not.toContain(asked?.parked);
  const config = (answer: Parameters<typeof hook>[0]) =>
    new Config({ enableHooks: true, workingDir: '/project', hooks: { BeforeTool: [hook(answer, { name: 'guard' })] } });
  const same = await backtest(session, config({ decision: 'ask', reason: 'it pushes' }), { dry: false });
  expect(same).toMatchObject({ total: 4, decisions: [] });
  const stricter = await backtest(session, config({ decision: 'deny', reason: 'never' }), { dry: false });
  expect(stricter.decisions).toHaveLength(2);
  const elsewhere = join(temporaryFolder('resumed'), 'session.jsonl');
  const other = await watching();
  const recording = await record(other.bus, { file: elsewhere });
  await other.hooks.resume((await park())?.parked ?? '', { approved: true, by: 'ann' });
  await recording.close();
  const alone = await readSession(elsewhere);
  for await (const _entry of alone);
  expect(alone.problems).toEqual([]);
});
