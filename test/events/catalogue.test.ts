import { describe, expect, test } from 'vitest';
import { catalogue, hookEventNames, isHookEventName } from '../../src/events/index.ts';
import {
  defaultHookTranslator,
  HookEventName,
  NotificationType,
  PreCompressTrigger,
  SessionEndReason,
  SessionStartSource,
} from '../../src/index.ts';
import type { HookSpecificOutput } from '../../src/protocol/index.ts';
import { deepFreeze } from '../models/support.ts';
import { nested, untyped, withHostileMember } from '../support/untyped.ts';

const llm_request = { model: 'm', contents: 'hi' };
const llm_response = { candidates: [{ content: { role: 'model', parts: [{ text: 'hello' }] } }] };
const tool = { tool_name: 'ls', tool_input: { all: true } };

/** The least payload of each event. */
const least: Record<HookEventName, Record<string, unknown>> = {
  BeforeTool: tool,
  AfterTool: { ...tool, tool_response: { llmContent: 'a b c' } },
  BeforeAgent: { prompt: 'hi' },
  AfterAgent: { prompt: 'hi', prompt_response: 'hello' },
  BeforeModel: { llm_request },
  AfterModel: { llm_request, llm_response },
  BeforeToolSelection: { llm_request },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'exit' },
  PreCompress: { trigger: 'auto' },
  Notification: { notification_type: 'ToolPermission', message: 'may I?' },
  PermissionRequest: tool,
  AfterToolFailure: { ...tool, error: 'no such file' },
  SubagentStart: { agent_type: 'reviewer' },
  SubagentStop: { agent_type: 'reviewer' },
};

class Place {
  get path(): string {
    return '/';
  }
}

/** Values no field of this name takes. */
const bad: Record<string, unknown[]> = {
  tool_name: [undefined, null, '', 7, ['ls']],
  tool_input: [undefined, null, 'ls', ['ls'], 7],
  tool_response: [undefined],
  prompt: [undefined, null, 7, ['hi']],
  prompt_response: [undefined, null, {}],
  llm_request: [undefined, null, 'hi', [llm_request]],
  llm_response: [undefined, null, 'hi', []],
  source: [undefined, null, '', 'start', 7, ['startup']],
  reason: [undefined, null, '', 'quit', 7],
  trigger: [undefined, null, '', 'sometimes', true],
  notification_type: [undefined, null, '', 7],
  message: [undefined, null, 7],
  error: [undefined, null, 7, { message: 'no' }],
  agent_type: [undefined, null, '', 7],
};

const optional: Partial<Record<HookEventName, Record<string, [good: unknown, ...bad: unknown[]]>>> = {
  BeforeTool: { mcp_context: [{ server: 's' }, 's', null], original_request_name: ['list', 7, null] },
  AfterTool: { mcp_context: [{ server: 's' }, []], original_request_name: ['list', {}], tool_response: [null] },
  AfterAgent: { stop_hook_active: [true, 'yes', null] },
  Notification: { details: [{ a: 1 }, 'a', null] },
  PermissionRequest: { reason: ['it deletes', 7, null], mcp_context: [{ server: 's' }, 's'] },
  AfterToolFailure: { mcp_context: [{ server: 's' }, 's'] },
  SubagentStart: { prompt: ['look at it', 7, null] },
  SubagentStop: { response: ['done', 7, null], stop_hook_active: [true, 'yes', null] },
};

const read = (eventName: HookEventName, payload: unknown) => catalogue[eventName].read(payload);
const whyNot = (eventName: HookEventName, payload: unknown): string => {
  const result = read(eventName, payload);
  return result.ok ? 'nothing' : result.message;
};
const fieldsOf = (eventName: HookEventName, payload: unknown): unknown => {
  const result = read(eventName, payload);
  return result.ok ? catalogue[eventName].toFields(untyped<never>(result.payload), defaultHookTranslator) : result;
};

test('R144 R1350 there are fifteen events, each named as itself', () => {
  expect(hookEventNames).toHaveLength(15);
  expect(Object.entries(HookEventName)).toEqual(hookEventNames.map((name) => [name, name]));
  expect(Object.keys(least).sort()).toEqual([...hookEventNames].sort());
});

test.each([...hookEventNames])('%s is an event', (name) => expect(isHookEventName(name)).toBe(true));

test.each(['', 'beforeTool', 'PreToolUse', '__proto__', 'constructor', 'toString', null, undefined, 7, ['BeforeTool']])(
  '%j is none',
  (name) => expect(isHookEventName(name)).toBe(false),
);

describe.each(hookEventNames)('R014 the payload of %s', (eventName) => {
  const payload = deepFreeze(structuredClone(least[eventName]));

  test('is taken as it came, unknown fields included', () => {
    const more = deepFreeze({ ...payload, note: { from: 'a newer host' } });
    expect(read(eventName, more)).toEqual({ ok: true, payload: more });
    expect(Reflect.get(read(eventName, more), 'payload')).toBe(more);
  });

  const refused = Object.keys(payload).flatMap((field) => (bad[field] ?? []).map((value) => [field, value] as const));
  test.each(refused)('needs a proper %s and refuses %j by name', (field, value) => {
    expect(whyNot(eventName, { ...payload, [field]: value })).toContain(`payload.${field}: expected `);
  });

  const extras = Object.entries(optional[eventName] ?? {});
  test.each(extras)('may have %s', (field, [good, ...wrong]) => {
    expect(read(eventName, { ...payload, [field]: good }).ok).toBe(true);
    for (const value of wrong) expect(whyNot(eventName, { ...payload, [field]: value })).toContain(`payload.${field}`);
  });

  const cyclic: Record<string, unknown> = { ...payload };
  cyclic.self = { cyclic };
  test.each<[title: string, value: unknown, message: string]>([
    ['nothing', undefined, 'payload: expected an object'],
    ['null', null, 'payload: expected an object'],
    ['a string', 'BeforeTool', 'payload: expected an object'],
    ['a cycle', cyclic, 'payload: self.cyclic'],
    ['a BigInt', { ...payload, n: { deep: [1n] } }, 'payload: n.deep[0] is a bigint'],
    ['a function', { ...payload, run: () => {} }, 'payload: run is a function'],
    [
      'a getter that throws',
      withHostileMember({ ...payload }, 'more'),
      'payload: reading it throws: do not look at more',
    ],
    ['101 levels', { ...payload, deep: nested(100, {}) }, 'nests deeper than 100 levels'],
    ['a date', { ...payload, at: new Date(0) }, 'payload: at is a Date, not plain JSON'],
  ])('F31 that is %s is refused with its place', (_title, value, message) => {
    expect(whyNot(eventName, value)).toContain(message);
  });

  test.each<[title: string, value: unknown, message: string]>([
    ['a Map', { at: new Map([['path', '/']]) }, 'at is a Map'],
    ['an object of a class with getters', { at: new Place() }, 'at is a Place'],
    ['an object that inherits members', { at: Object.create({ path: '/' }) }, 'at is a Object'],
  ])('R1983 with %s is refused, because hooks would not see all of it', (_title, more, message) => {
    expect(whyNot(eventName, Object.assign({}, payload, more))).toBe(`payload: ${message}, not plain JSON`);
  });

  test('may be 100 levels deep', () => {
    expect(read(eventName, { ...payload, deep: nested(99, {}) }).ok).toBe(true);
  });

  test('becomes what hooks see without being changed itself', () => {
    expect(fieldsOf(eventName, payload)).toMatchObject('llm_request' in payload ? {} : payload);
  });
});

test('every mistake of a payload is told at once', () => {
  expect(whyNot('AfterAgent', { prompt: 7 })).toMatch(/^payload\.prompt: .+; payload\.prompt_response: .+$/);
});

describe('session values', () => {
  const values = [
    ...Object.values(SessionStartSource).map((value) => ['SessionStart', 'source', value] as const),
    ...Object.values(SessionEndReason).map((value) => ['SessionEnd', 'reason', value] as const),
    ...Object.values(PreCompressTrigger).map((value) => ['PreCompress', 'trigger', value] as const),
  ];

  test.each(values)('C20 %s takes %s %s in any case and hands it on in lower case', (eventName, field, value) => {
    expect(value).toBe(value.toLowerCase());
    for (const written of [value, value.toUpperCase(), `${value[0]?.toUpperCase()}${value.slice(1)}`]) {
      expect(fieldsOf(eventName, { [field]: written })).toMatchObject({ [field]: value });
    }
  });

  test('are the union of what agents in the field use', () => {
    expect(Object.values(SessionStartSource)).toEqual(['startup', 'resume', 'clear', 'compress']);
    expect(Object.values(SessionEndReason)).toEqual([
      'exit',
      'clear',
      'logout',
      'prompt_input_exit',
      'other',
      'error',
      'timeout',
    ]);
    expect(Object.values(PreCompressTrigger)).toEqual(['manual', 'auto']);
    expect(NotificationType.ToolPermission).toBe('ToolPermission');
  });

  test('a session start has its source under the older name too', () => {
    expect(fieldsOf('SessionStart', { source: 'Resume' })).toEqual({ source: 'resume', trigger: 'resume' });
  });
});

describe('what hooks see', () => {
  test.each<[eventName: HookEventName, payload: object, fields: object]>([
    [
      'AfterAgent',
      { prompt: 'a', prompt_response: 'b' },
      { prompt: 'a', prompt_response: 'b', stop_hook_active: false },
    ],
    ['Notification', { notification_type: 'x', message: 'm' }, { notification_type: 'x', message: 'm', details: {} }],
    ['AfterTool', { ...tool, tool_response: 'text' }, { ...tool, tool_response: 'text' }],
    ['BeforeModel', { llm_request }, { llm_request: { model: 'm', messages: [{ role: 'user', content: 'hi' }] } }],
    [
      'AfterModel',
      { llm_request, llm_response },
      {
        llm_request: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
        llm_response: { candidates: [{ content: { role: 'model', parts: ['hello'] } }] },
      },
    ],
  ])('of %s', (eventName, payload, fields) => {
    expect(fieldsOf(eventName, payload)).toMatchObject(fields);
  });

  test('R139 C19 of a request that is in the stable form already is that request', () => {
    const stable = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
    for (const eventName of ['BeforeModel', 'BeforeToolSelection'] as const) {
      expect(fieldsOf(eventName, { llm_request: stable })).toEqual({ llm_request: stable });
    }
  });

  test('of an SDK object with functions in it is what the translator makes of it', () => {
    const request = { ...llm_request, config: { abortSignal: new AbortController().signal, tools: [() => 1] } };
    expect(fieldsOf('BeforeModel', { llm_request: request })).toMatchObject({ llm_request: { model: 'm' } });
  });
});

describe('R117 the next hook of a sequence sees', () => {
  test('changed arguments beside unchanged ones', () => {
    const { feed } = catalogue.BeforeTool;
    const input = deepFreeze({ tool_name: 'ls', tool_input: { a: 1, b: { c: 1 } } });
    expect(feed?.(input, { hookSpecificOutput: { tool_input: { b: 2 } } })).toEqual({
      tool_name: 'ls',
      tool_input: { a: 1, b: 2 },
    });
    expect(feed?.(input, { decision: 'allow' })).toBe(input);
  });

  test('context added to the prompt', () => {
    const { feed } = catalogue.BeforeAgent;
    const input = deepFreeze({ prompt: 'hi' });
    expect(feed?.(input, { hookSpecificOutput: { additionalContext: 'it rains' } })).toEqual({
      prompt: 'hi\n\nit rains',
    });
    expect(feed?.(input, {})).toBe(input);
  });

  test('a changed request', () => {
    const { feed } = catalogue.BeforeModel;
    const input = deepFreeze({ llm_request: { model: 'm', messages: [], config: { topP: 1, topK: 1 } } });
    expect(feed?.(input, { hookSpecificOutput: { llm_request: { config: { topK: 2 } } } })).toEqual({
      llm_request: { model: 'm', messages: [], config: { topP: 1, topK: 2 } },
    });
    expect(feed?.(input, {})).toBe(input);
  });

  test('another result of a tool, a text in the form of the result', () => {
    const { feed } = catalogue.AfterTool;
    const input = deepFreeze({ tool_name: 'cat', tool_input: {}, tool_response: { llmContent: 'key: sk-1' } });
    const updated = (updatedOutput: unknown) => feed?.(input, { hookSpecificOutput: { updatedOutput } }).tool_response;
    expect(updated('key: [redacted]')).toEqual({ llmContent: 'key: [redacted]' });
    expect(updated({ rows: 3 })).toEqual({ rows: 3 });
    expect(feed?.(input, {})).toBe(input);
  });

  test('another response, in text and candidates alike', () => {
    const { feed } = catalogue.AfterModel;
    const shown = { text: 'at 1 Main St', candidates: [] };
    const input = deepFreeze({ llm_request: { model: 'm', messages: [] }, llm_response: shown });
    const candidates = [{ content: { role: 'model' as const, parts: ['at ', '[address]'] } }];
    const expected = { text: 'at [address]', candidates: [{ content: { role: 'model', parts: ['at [address]'] } }] };
    type HookLLMAnswer = NonNullable<HookSpecificOutput['llm_response']>;
    const changedBy = (llm_response: HookLLMAnswer) =>
      feed?.(input, { hookSpecificOutput: { llm_response } }).llm_response;
    expect(changedBy({ text: 'at [address]' })).toEqual(expected);
    expect(changedBy({ candidates })).toEqual({ ...expected, candidates });
    expect(feed?.(input, {})).toBe(input);
  });

  test('another choice of tools', () => {
    const { feed } = catalogue.BeforeToolSelection;
    const input = deepFreeze({ llm_request: { model: 'm', messages: [] } });
    const toolConfig = { mode: 'ANY' as const, allowedFunctionNames: ['read'] };
    expect(feed?.(input, { hookSpecificOutput: { toolConfig } })).toEqual({
      llm_request: { model: 'm', messages: [], toolConfig },
    });
  });

  test('nothing new in the other events', () => {
    const feeding = hookEventNames.filter((name) => catalogue[name].feed !== undefined);
    expect(feeding).toEqual([
      'BeforeTool',
      'AfterTool',
      'BeforeAgent',
      'BeforeModel',
      'AfterModel',
      'BeforeToolSelection',
      'PermissionRequest',
    ]);
  });
});

test('R227 R228 tools are matched by name, sessions by their word, and models by nothing', () => {
  const rules = Object.fromEntries(hookEventNames.map((name) => [name, catalogue[name].subject?.from]));
  expect(rules).toEqual({
    BeforeTool: 'toolName',
    AfterTool: 'toolName',
    SessionStart: 'trigger',
    SessionEnd: 'trigger',
    PreCompress: 'trigger',
    PermissionRequest: 'toolName',
    AfterToolFailure: 'toolName',
    SubagentStart: 'trigger',
    SubagentStop: 'trigger',
    BeforeAgent: undefined,
    AfterAgent: undefined,
    BeforeModel: undefined,
    AfterModel: undefined,
    BeforeToolSelection: undefined,
    Notification: undefined,
  });
});

test('R1983 a Map in place of a payload is refused', () => {
  expect(whyNot('BeforeTool', new Map())).toBe('payload: it is a Map, not plain JSON');
});
