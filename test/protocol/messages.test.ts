import { describe, expect, test } from 'vitest';
import { MessageBusType } from '../../src/index.ts';
import { isCorrelationId, messageSchemas } from '../../src/protocol/index.ts';

const types = Object.values(MessageBusType);
const correlationId = 'a1';
const result = { success: true, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 };
const progress = {
  eventName: 'BeforeTool',
  hookId: 'project/BeforeTool/guard',
  hookName: 'guard',
  source: 'project',
  position: 1,
  total: 2,
};

const abilityResult = {
  event_type: 'PreAbilityCall',
  success: true,
  logs: [],
  usage_recorded: false,
  hook_signals: [],
  hooks: [],
};

/** The least of each message: every member here must be there, and nothing else has to. */
const least: Record<MessageBusType, Record<string, unknown>> = {
  'hook-execution-request': { eventName: 'BeforeTool' },
  'hook-execution-response': { eventName: 'BeforeTool', success: true, result },
  'hook-execution-cancel': {},
  'hook-execution-trace': { eventName: 'BeforeTool', mode: 'none', startedAt: 'now', durationMs: 0, rows: [] },
  'hook-started': progress,
  'hook-finished': { ...progress, outcome: 'answered', durationMs: 3 },
  'hook-system-message': { eventName: 'BeforeTool', hookId: 'id', hookName: 'guard', message: 'hi' },
  'hook-confirmation-request': { eventName: 'BeforeTool', reason: 'sure?', expiresAt: 'later' },
  'hook-confirmation-response': { approved: false },
  'hooks-reloaded': { added: [], removed: ['a'], changed: [] },
  'ability-event-request': { eventType: 'PreAbilityCall', context: {} },
  'ability-event-response': { eventType: 'PreAbilityCall', success: true, result: abilityResult },
};

/** Further members, each with a value it takes and one it does not. */
const more: Partial<Record<MessageBusType, Record<string, [good: unknown, bad: unknown]>>> = {
  'hook-execution-request': {
    payload: [{ tool_name: 'ls' }, ['ls']],
    input: [{}, 'ls'],
    timeoutMs: [0.5, 0],
    handledBy: ['h', 7],
  },
  'hook-execution-response': {
    output: [{ decision: 'deny' }, 'deny'],
    error: [
      { code: 'overloaded', message: 'm', details: {} },
      { code: 'broken', message: 'm' },
    ],
    handledBy: ['h', null],
  },
  'ability-event-request': { blockingOnly: [true, 'yes'], timeoutMs: [1, -1], handledBy: ['h', 7] },
  'ability-event-response': {
    error: [
      { code: 'disposed', message: 'm' },
      { code: 'broken', message: 'm' },
    ],
    handledBy: ['h', null],
  },
  'hook-execution-trace': { subject: ['ls', 7] },
  'hook-finished': { code: ['timeout', 'late'] },
  'hook-confirmation-request': { toolName: ['rm', 1], toolInput: [{}, 'rm -r'] },
  'hook-confirmation-response': { by: ['me', 1], reason: ['ok', 1] },
};

const accepts = (type: MessageBusType, message: unknown): boolean => messageSchemas()[type].safeParse(message).success;

test('R003 the wire names are kebab-case, and each is what its constant says', () => {
  expect(MessageBusType.HOOK_EXECUTION_REQUEST).toBe('hook-execution-request');
  expect(MessageBusType.HOOK_EXECUTION_RESPONSE).toBe('hook-execution-response');
  for (const [name, type] of Object.entries(MessageBusType)) expect(type).toBe(name.toLowerCase().replaceAll('_', '-'));
  expect(Object.keys(messageSchemas()).sort()).toEqual([...types].sort());
});

describe.each(types)('%s', (type) => {
  const message = { type, correlationId, ...least[type] };

  test('is accepted with its least members', () => {
    expect(accepts(type, message)).toBe(true);
  });

  test.each(Object.keys(message))('is refused without %s', (member) => {
    expect(accepts(type, { ...message, [member]: undefined })).toBe(false);
  });

  test('is no other message', () => {
    for (const other of types) expect(accepts(type, { ...message, type: other })).toBe(other === type);
  });

  test.each(Object.entries(more[type] ?? {}))('may have %s, of the right type', (member, [good, bad]) => {
    expect(accepts(type, { ...message, [member]: good })).toBe(true);
    expect(accepts(type, { ...message, [member]: bad })).toBe(false);
  });
});

describe('a correlation id', () => {
  test.each([
    ['x', true],
    ['x'.repeat(256), true],
    ['__proto__', true],
    ['', false],
    ['x'.repeat(257), false],
    [7, false],
    [null, false],
    [{}, false],
    [undefined, false],
  ])('%j: %j', (id, isOne) => {
    expect(isCorrelationId(id)).toBe(isOne);
    expect(accepts('hook-execution-cancel', { type: 'hook-execution-cancel', correlationId: id })).toBe(isOne);
  });
});

describe('an event of a request', () => {
  test.each([0, -1, Number.NaN, '5', null])('has no deadline of %j', (timeoutMs) => {
    const request = { type: 'hook-execution-request', correlationId, eventName: 'BeforeTool', timeoutMs };
    expect(accepts('hook-execution-request', request)).toBe(false);
  });

  test.each([null, 7, { BeforeTool: true }])('has no name of %j', (eventName) => {
    expect(
      accepts('hook-execution-request', { type: 'hook-execution-request', correlationId, eventName, payload: {} }),
    ).toBe(false);
  });
});

describe('the result in a response', () => {
  test.each([
    ['no object', 'fine'],
    ['without success', { ...result, success: undefined }],
    ['with errors that are no list', { ...result, errors: {} }],
    ['without outputs', { ...result, allOutputs: undefined }],
    ['without a duration', { ...result, totalDuration: '0' }],
  ])('%s is refused', (_title, bad) => {
    const response = { type: 'hook-execution-response', correlationId, eventName: 'X', success: true, result: bad };
    expect(accepts('hook-execution-response', response)).toBe(false);
  });
});
