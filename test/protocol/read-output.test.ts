import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ReadOutputResult, readOutput } from '../../src/protocol/index.ts';
import { ownNow } from '../support/own-clock.ts';
import { atMost } from '../support/processes.ts';
import { nested, untyped, withHostileMember } from '../support/untyped.ts';

type Read = Extract<ReadOutputResult, { ok: true }>;

const read = (answer: unknown): Read => {
  const result = readOutput(untyped(answer));
  if (!result.ok) throw new Error(result.message);
  return result;
};

const whyUnreadable = (answer: unknown): string => {
  const result = readOutput(untyped(answer));
  return result.ok ? 'readable' : result.message;
};

const specific = (fields: object): object => ({ hookSpecificOutput: fields });

describe('a well-formed answer', () => {
  test.each([
    ['nothing at all', {}],
    ['a decision with a reason', { decision: 'deny', reason: 'no' }],
    ['a stop', { continue: false, stopReason: 'enough' }],
    ['messages', { systemMessage: 'hello', suppressOutput: true }],
    ['tool arguments', specific({ hookEventName: 'BeforeTool', tool_input: { path: '/tmp', deep: { er: [1] } } })],
    ['a request', specific({ llm_request: { model: 'm', messages: [{ role: 'user', content: 'hi' }], config: {} } })],
    ['a response', specific({ llm_response: { candidates: [{ content: { role: 'model', parts: ['hi'] } }] } })],
    ['a tool selection', specific({ toolConfig: { mode: 'ANY', allowedFunctionNames: ['a'] } })],
    ['a tail call', specific({ tailToolCallRequest: { name: 'ls', args: {} } })],
    ['a cleared context', specific({ clearContext: true, additionalContext: 'more' })],
  ])('is taken as it came, without a copy: %s', (_title, answer) => {
    expect(read(answer)).toEqual({ ok: true, output: answer, problems: [], verdictLost: false });
    expect(read(answer).output).toBe(answer);
  });
});

describe('a field of the wrong type is dropped, named and explained; the rest is used', () => {
  test.each<[field: string, value: unknown, note: string]>([
    ['continue', 'no', 'expected true or false, found "no"'],
    ['stopReason', 7, 'expected a string, found 7'],
    ['suppressOutput', 'yes', 'expected true or false, found "yes"'],
    ['systemMessage', ['a'], 'expected a string, found an array of 1'],
    ['decision', 'alow', 'expected "allow", "approve", "ask", "deny", "block", found "alow"; did you mean "allow"?'],
    ['decision', 'maybe', 'expected "allow", "approve", "ask", "deny", "block", found "maybe"'],
    ['decision', true, 'expected "allow", "approve", "ask", "deny", "block", found true'],
    ['reason', {}, 'expected a string, found an object'],
    ['hookSpecificOutput', 'text', 'expected an object, found "text"'],
    ['hookSpecificOutput', [1, 2], 'expected an object, found an array of 2'],
  ])('%s: %j', (field, value, note) => {
    const { output, problems } = read({ kept: 1, [field]: value });
    expect(output).toEqual({ kept: 1 });
    expect(problems).toContainEqual({ field, fate: 'malformed', note });
  });

  test.each<[key: string, value: unknown, expected: string]>([
    ['hookEventName', 7, 'a string'],
    ['additionalContext', ['a'], 'a string'],
    ['tool_input', 'rm', 'an object of tool arguments'],
    ['llm_request', { messages: 'hi' }, 'an object with model, messages, config or toolConfig'],
    ['llm_request', { messages: [{ role: 'robot', content: 'hi' }] }, 'an object with model, messages'],
    ['llm_request', { toolConfig: { mode: 'SOME' } }, 'an object with model, messages'],
    ['llm_response', { candidates: [{}] }, 'an object with candidates (content.parts) or text'],
    ['toolConfig', { mode: 'auto' }, 'an object with mode (AUTO, ANY, NONE) and allowedFunctionNames'],
    ['toolConfig', { allowedFunctionNames: 'all' }, 'an object with mode'],
    ['clearContext', 1, 'true or false'],
    ['tailToolCallRequest', { name: '', args: {} }, 'an object with name and args'],
    ['tailToolCallRequest', { name: 'ls' }, 'an object with name and args'],
  ])('hookSpecificOutput.%s: %j', (key, value, expected) => {
    const { output, problems, verdictLost } = read(specific({ [key]: value, mine: true }));
    expect(output).toEqual(specific({ mine: true }));
    const malformed = problems.filter((problem) => problem.fate === 'malformed');
    expect(malformed).toMatchObject([{ field: `hookSpecificOutput.${key}` }]);
    expect(malformed[0]?.note).toContain(`expected ${expected}`);
    expect(verdictLost).toBe(false);
  });

  test.each([
    ['decision', { decision: 'alow' }],
    ['continue', { continue: 'false' }],
  ])('a lost %s may have been the verdict, and the reading says so', (_field, answer) => {
    expect(read(answer).verdictLost).toBe(true);
  });

  test('a lost reason is no lost verdict', () => {
    expect(read({ decision: 'block', reason: 7 })).toMatchObject({ output: { decision: 'block' }, verdictLost: false });
  });

  test.each([
    ['toolConfig', { allowedFunctionNames: Array(350_000).fill(1) }],
    ['llm_request', { messages: Array(200_000).fill({}) }],
    ['llm_response', { candidates: Array(200_000).fill({}) }],
  ])('F26 P7 a hundred thousand mistakes in one %s are one mistake', (key, value) => {
    const startedAt = ownNow();
    const { output, problems } = read(specific({ [key]: value }));
    expect(output).toEqual(specific({}));
    expect(problems).toMatchObject([{ field: `hookSpecificOutput.${key}`, fate: 'malformed' }]);
    expect(ownNow() - startedAt).toBeLessThan(atMost(200));
  });

  test('null is the same as nothing', () => {
    const answer = { decision: null, reason: null, hookSpecificOutput: null, other: null };
    expect(read(answer)).toMatchObject({ output: { other: null }, verdictLost: false });
    expect(read(specific({ tool_input: null })).output).toEqual(specific({}));
  });
});

describe('an unknown field is kept and named', () => {
  test.each([
    ['system_message', 'did you mean "systemMessage"?'],
    ['stop_reason', 'did you mean "stopReason"?'],
    ['flavour', 'this field is unknown; it is kept unchanged'],
    ['toString', 'this field is unknown; it is kept unchanged'],
    ['additionalContext', 'it counts only inside "hookSpecificOutput"'],
    ['tool_input', 'it counts only inside "hookSpecificOutput"'],
  ])('%s: %s', (field, note) => {
    expect(read({ [field]: 'x', reason: 'y' })).toEqual({
      ok: true,
      output: { [field]: 'x', reason: 'y' },
      problems: [{ field, fate: 'unsupported', note }],
      verdictLost: false,
    });
  });

  test('an answer without any field that is known is told which ones there are', () => {
    const { output, notices } = read({ text: 'hello', score: 1 });
    expect(output).toEqual({ text: 'hello', score: 1 });
    expect(notices).toEqual([
      {
        code: 'unknown-key',
        message: 'no field of the answer is known, found text, score',
        fix: 'an answer has continue, stopReason, suppressOutput, systemMessage, decision, reason, hookSpecificOutput',
      },
    ]);
  });

  test('inside hookSpecificOutput it is named with its place', () => {
    const { output, problems } = read(specific({ toolInput: { a: 1 } }));
    expect(output).toEqual(specific({ toolInput: { a: 1 } }));
    expect(problems).toEqual([
      { field: 'hookSpecificOutput.toolInput', fate: 'unsupported', note: 'did you mean "tool_input"?' },
    ]);
  });
});

describe('C18 names of an older protocol at the top level are read', () => {
  const request = { model: 'm' };
  const response = { candidates: [{ content: { parts: ['hi'] } }] };
  test.each<[alias: string, field: string, value: unknown]>([
    ['modifiedRequest', 'llm_request', request],
    ['syntheticResponse', 'llm_response', response],
    ['modifiedResponse', 'llm_response', response],
    ['toolConfig', 'toolConfig', { mode: 'NONE' }],
  ])('%s is %s', (alias, field, value) => {
    const { output, problems } = read({ decision: 'allow', [alias]: value, hookSpecificOutput: { mine: 1 } });
    expect(output).toEqual({ decision: 'allow', hookSpecificOutput: { [field]: value, mine: 1 } });
    expect(problems.map((problem) => problem.field)).toEqual(['hookSpecificOutput.mine']);
  });

  test('the canonical name wins, and the older one is accounted for', () => {
    const { output, problems } = read({
      toolConfig: { mode: 'ANY' },
      hookSpecificOutput: { toolConfig: { mode: 'NONE' } },
    });
    expect(output).toEqual({ hookSpecificOutput: { toolConfig: { mode: 'NONE' } } });
    expect(problems).toMatchObject([{ field: 'toolConfig', fate: 'unsupported' }]);
    expect(problems[0]?.note).toContain('hookSpecificOutput.toolConfig');
  });

  test('two older names of one field: the first counts, the second is accounted for', () => {
    const { output, problems } = read({ modifiedResponse: { text: 'later' }, syntheticResponse: response });
    expect(output).toEqual({ hookSpecificOutput: { llm_response: response } });
    expect(problems).toMatchObject([{ field: 'modifiedResponse', fate: 'unsupported' }]);
  });

  test('a malformed hookSpecificOutput beside one is not lost in silence', () => {
    const { output, problems } = read({ toolConfig: { mode: 'ANY' }, hookSpecificOutput: 'text' });
    expect(output).toEqual({ hookSpecificOutput: { toolConfig: { mode: 'ANY' } } });
    expect(problems).toMatchObject([{ field: 'hookSpecificOutput', fate: 'malformed' }]);
  });

  test('a malformed value is reported under the name it belongs to', () => {
    expect(read({ toolConfig: 'none' }).problems).toMatchObject([
      { field: 'hookSpecificOutput.toolConfig', fate: 'malformed' },
    ]);
  });
});

describe('F28 keys that reach a prototype are dropped, wherever they are', () => {
  test.each<[title: string, json: string, rest: unknown, fields: string[]]>([
    ['at the top', '{"__proto__": {"decision": "allow"}, "reason": "r"}', { reason: 'r' }, ['__proto__']],
    ['written with an escape', '{"\\u005f_proto__": {"decision": "allow"}}', {}, ['__proto__']],
    ['constructor', '{"constructor": {"prototype": {"decision": "allow"}}}', {}, ['constructor']],
    ['prototype', '{"prototype": 1, "reason": "r"}', { reason: 'r' }, ['prototype']],
    [
      'among arguments',
      '{"hookSpecificOutput": {"tool_input": {"__proto__": {"a": 1}, "b": 2}}}',
      { hookSpecificOutput: { tool_input: { b: 2 } } },
      ['hookSpecificOutput.tool_input.__proto__'],
    ],
    [
      'within arrays',
      '{"hookSpecificOutput": {"mine": [[{"constructor": 1, "ok": true}]]}}',
      { hookSpecificOutput: { mine: [[{ ok: true }]] } },
      ['hookSpecificOutput.mine[0][0].constructor'],
    ],
  ])('%s', (_title, json, rest, fields) => {
    const { output, problems } = read(JSON.parse(json));
    expect(JSON.parse(JSON.stringify(output))).toEqual(rest);
    expect(Object.getPrototypeOf(output)).toBe(Object.prototype);
    const dropped = problems.filter((problem) => problem.note.includes('refused'));
    expect(dropped.map((problem) => problem.field)).toEqual(fields);
    expect(untyped<{ decision?: unknown }>({}).decision).toBeUndefined();
  });

  test('at any depth and under any neighbours, and no object anywhere changes', () => {
    const key = fc.constantFrom('__proto__', 'constructor', 'prototype', 'a', 'decision', 'hookSpecificOutput');
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('allow', 1, null),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
      ),
    }));
    const before = Object.getOwnPropertyNames(Object.prototype).sort();
    fc.assert(
      fc.property(fc.dictionary(key, tree, { maxKeys: 4 }), (answer) => {
        const { output } = read(JSON.parse(JSON.stringify(answer)));
        expect(JSON.stringify(output)).not.toMatch(/"(?:__proto__|constructor|prototype)":/);
        expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
      }),
    );
  });
});

describe('long text', () => {
  test('is cut with a mark that says how much is missing', () => {
    const { output } = read({ decision: 'block', reason: 'x'.repeat(1_000_000), systemMessage: 'short' });
    expect(output.reason).toHaveLength(65_536 + '… (934464 more characters)'.length);
    expect(output.reason).toMatch(/x… \(934464 more characters\)$/);
    expect(output).toMatchObject({ decision: 'block', systemMessage: 'short' });
  });

  test('is never cut through a character', () => {
    const { output } = read({ reason: `${'x'.repeat(65_535)}😀 and on` });
    expect(output.reason?.endsWith('x… (9 more characters)')).toBe(true);
  });

  test('of arguments is left alone: they are data', () => {
    const content = 'x'.repeat(100_000);
    expect(read(specific({ tool_input: { content } })).output).toEqual(specific({ tool_input: { content } }));
  });
});

describe('what is no JSON cannot be used, and the reading says where', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  class Point {
    x = 1;
    toJSON(): string {
      return 'a point';
    }
  }
  test.each<[title: string, answer: unknown, message: string]>([
    ['a cycle', { inner: cyclic }, 'nests deeper than 100 levels or refers to itself'],
    ['101 levels', { a: nested(100, {}) }, 'nests deeper than 100 levels'],
    ['a BigInt', { n: [1n] }, 'n[0] is a bigint, which JSON cannot carry'],
    ['a function', { hookSpecificOutput: { run: () => {} } }, 'hookSpecificOutput.run is a function'],
    ['a symbol', { s: Symbol('s') }, 's is a symbol'],
    ['a date', { at: new Date(0) }, 'at is a Date, not plain JSON'],
    ['a class with a form of its own', { p: new Point() }, 'p is a Point, not plain JSON'],
    ['a getter that throws', withHostileMember({}, 'reason'), 'reading it throws: do not look at reason'],
  ])('%s', (_title, answer, message) => {
    expect(whyUnreadable(answer)).toContain(message);
  });

  test('R1983 a verdict that JSON would lose', () => {
    const verdict = { permissionDecision: 'deny' };
    const found = [new Map(Object.entries(verdict)), Object.create(verdict)].map((hookSpecificOutput) =>
      whyUnreadable({ hookSpecificOutput }),
    );
    expect(found).toEqual(['Map', 'Object'].map((name) => `hookSpecificOutput is a ${name}, not plain JSON`));
  });

  test.each([
    ['exactly 100 levels', { a: nested(99, {}) }],
    ['members that are undefined', { reason: undefined, decision: 'allow' }],
    [
      'a class without a form of its own',
      {
        p: new (class Plain {
          y = 1;
        })(),
      },
    ],
    ['an object without a prototype', Object.assign(Object.create(null), { decision: 'allow' })],
  ])('%s is fine', (_title, answer) => {
    expect(whyUnreadable(answer)).toBe('readable');
  });
});

test('whatever JSON a hook prints is read without a throw, and every field of it is in the output or named', () => {
  const names = fc.constantFrom('decision', 'continue', 'reason', 'toolConfig', 'modifiedRequest', 'desicion', 'x');
  const answer = fc.dictionary(fc.oneof(names, fc.string()), fc.jsonValue(), { maxKeys: 6 });
  const withSpecific = fc.tuple(answer, fc.oneof(fc.jsonValue(), answer)).map(([common, inner]) => ({
    ...common,
    hookSpecificOutput: inner,
  }));
  fc.assert(
    fc.property(fc.oneof(answer, withSpecific), (printed) => {
      const { output, problems } = read(printed);
      const named = new Set(problems.map((problem) => problem.field));
      const kept = output.hookSpecificOutput ?? {};
      const aliases: Record<string, string> = {
        modifiedRequest: 'llm_request',
        syntheticResponse: 'llm_response',
        modifiedResponse: 'llm_response',
        toolConfig: 'toolConfig',
      };
      for (const [field, value] of Object.entries(printed)) {
        const moved = Object.hasOwn(aliases, field) ? aliases[field] : undefined;
        const isThere =
          Object.hasOwn(output, field) ||
          (moved !== undefined && (Object.hasOwn(kept, moved) || named.has(`hookSpecificOutput.${moved}`)));
        expect(isThere || named.has(field) || value === null).toBe(true);
      }
    }),
  );
});
