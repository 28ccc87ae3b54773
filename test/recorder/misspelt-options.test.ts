// A misspelt option of a recording, a replay, a backtest, a link or an inspector is refused, not ignored.
import { afterEach, expect, test } from 'vitest';
import { linkBus, MessageBus } from '../../src/bus/index.ts';
import { openInspector } from '../../src/inspector/index.ts';
import { backtest, races } from '../../src/sessions/backtest/index.ts';
import { readSession, record, replay, sessionOf } from '../../src/sessions/index.ts';
import { configOf } from '../backtest/support.ts';
import { untyped } from '../support/untyped.ts';
import { newFile } from './support.ts';

const bus = new MessageBus();
afterEach(() => bus.removeAllListeners());
const event = { eventName: 'BeforeTool', payload: { tool_name: 'shell', tool_input: {} } } as const;

test.each<[called: string, call: () => unknown, message: string]>([
  ['record', () => record(bus, untyped({ file: newFile(), maxByte: 1 })), '"maxByte"; did you mean "maxBytes"?'],
  [
    'redact of record',
    () => record(bus, { file: newFile(), redact: untyped({ key: ['customer'] }) }),
    '"key"; did you mean "keys"?',
  ],
  ['entries', () => readSession(newFile()).entries(untyped({ tool: [] })), '"tool"; did you mean "tools"?'],
  ['entries in memory', () => sessionOf([]).entries(untyped({ hook: [] })), '"hook"; did you mean "hooks"?'],
  [
    'replay',
    () => replay(sessionOf([]), bus, untyped({ mode: 'drive', hook: ['policy'] })),
    '"hook"; did you mean "hooks"?',
  ],
  [
    'backtest',
    () => backtest([], configOf([]), untyped({ dry: false, olny: ['policy'] })),
    '"olny"; did you mean "only"?',
  ],
  ['races', () => races(configOf([]), event, untyped({ order: 1 })), '"order"; did you mean "orders"?'],
  ['openInspector', () => openInspector(bus, untyped({ answers: true })), '"answers"; did you mean "answer"?'],
  [
    'linkBus',
    () => linkBus(bus, new MessageChannel().port1, untyped({ mayAks: true })),
    '"mayAks"; did you mean "mayAsk"?',
  ],
])('R2035 a misspelt option of %s is refused, with the name that is meant', async (_called, call, message) => {
  const called = async (): Promise<unknown> => await call();
  await expect(called()).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining(`does not take ${message}`),
  });
});
