import { createRequire } from 'node:module';
import type { Ajv as AjvClass } from 'ajv';
import { expect, test } from 'vitest';
import { readTests, type TestFile } from '../../../src/cli/hook-tests/read-tests.ts';
import { isRecord, parseJson } from '../../../src/kit/index.ts';
import { runForJson } from '../support/run-command.ts';

// Its types describe a module that its files are not.
const { Ajv }: { Ajv: typeof AjvClass } = createRequire(import.meta.url)('ajv');
const { data: schema } = await runForJson('.', 'events', '--schema', 'hook-test');
const accepts = new Ajv({ strict: false, allErrors: true }).compile(isRecord(schema) ? schema : {});

const read = (text: string): TestFile => readTests('a.test.json', text);

const told = ({ problems }: TestFile): string[] =>
  problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

test('a file is one test, and comments and trailing commas are fine', () => {
  const { tests, problems } = read(`{
  // The worst of all commands.
  "event": "BeforeTool",
  "payload": { "tool_name": "Bash", "tool_input": { "command": "rm -rf /" }, },
  "expect": { "verdict": "deny" },
}`);
  expect(problems).toEqual([]);
  expect(tests).toEqual([
    {
      file: 'a.test.json',
      line: 1,
      path: [],
      name: undefined,
      event: 'BeforeTool',
      payload: { tool_name: 'Bash', tool_input: { command: 'rm -rf /' } },
      only: [],
      expect: { verdict: 'deny' },
    },
  ]);
});

test('what stands beside a list holds for all its tests, unless they say something else', () => {
  const { tests, problems } = read(`{
  "event": "BeforeTool",
  "payload": { "tool_name": "Bash", "tool_input": {} },
  "only": ["no-rm"],
  "tests": [
    { "name": "as it is" },
    { "payload": { "tool_input": { "command": "ls" } }, "only": [] },
    { "event": "SessionStart", "payload": { "source": "resume" } }
  ]
}`);
  expect(problems).toEqual([]);
  expect(tests.map(({ event, payload, only, line }) => ({ event, payload, only, line }))).toEqual([
    { event: 'BeforeTool', payload: { tool_name: 'Bash', tool_input: {} }, only: ['no-rm'], line: 6 },
    { event: 'BeforeTool', payload: { tool_name: 'Bash', tool_input: { command: 'ls' } }, only: [], line: 7 },
    {
      event: 'SessionStart',
      payload: { tool_name: 'Bash', tool_input: {}, source: 'resume' },
      only: ['no-rm'],
      line: 8,
    },
  ]);
});

test('fields of the payload that are not given have plain values', () => {
  const { tests } = read('{ "event": "SessionStart" }');
  expect(tests[0]?.payload).toEqual({ source: 'startup' });
});

test('a mistake is told with its place and the nearest name, and the other tests are there all the same', () => {
  const file = read(`{
  "event": "BeforeTool",
  "tests": [
    { "name": "right", "expect": { "verdict": "none" } },
    { "name": "wrong",
      "expect": { "verdct": "deny", "hooks": { "no-rm": "silnt" } } },
    { "expect": { "verdict": "Deny" } },
    { "only": "no-rm" }
  ]
}`);
  expect(told(file)).toEqual([
    '6:19 tests[1].expect has the unknown key "verdct"; did you mean "verdict"?',
    expect.stringMatching(/^6:57 tests\[1\]\.expect\.hooks\.no-rm must be .*, found "silnt"; did you mean "silent"\?$/),
    '7:30 tests[2].expect.verdict must be one of none, allow, ask, deny, stop, found "Deny"; did you mean "deny"?',
    '8:15 tests[3].only must be a list of names of hooks, found "no-rm"',
  ]);
  expect(file.tests.map(({ name }) => name)).toEqual(['right']);
});

test.each([
  ['{ "evnt": "BeforeTool" }', ['1:3 the file has the unknown key "evnt"; did you mean "event"?', '1:1 event']],
  [
    '{ "event": "BeforTool" }',
    ['1:12 event must be the name of an event, e.g. "BeforeTool", found "BeforTool"; did you'],
  ],
  ['{ "tests": [{ "name": "a" }] }', ['1:13 tests[0] has no event; name it there, or beside "tests" for all of them']],
  ['{ "tests": {} }', ['1:12 tests must be a list of tests, found an object']],
  ['[]', ['1:1 the file must be an object with tests, found an array of 0']],
  ['{ "event": "BeforeTool", "event": "AfterTool" }', ['1:26 event is there twice; keep one of the two']],
  ['{ "event": "BeforeTool"', ['1:24 a closing brace } is missing before this, found the end of the file']],
  ['', ['1:1 the file is empty; write {} for no settings']],
  [
    '{ "event": "BeforeTool", "payload": { "command": "rm" } }',
    ['1:37 payload has no tool_input, but command; write {"tool_input": {…}} around it'],
  ],
  ['{ "event": "BeforeTool", "payload": { "tool_name": 1 } }', ['1:37 payload does not fit BeforeTool: tool_name: ']],
  ['{ "event": "BeforeTool", "expect": { "reason": "/(/" } }', ['1:48 expect.reason cannot be read: Invalid regular']],
])('%s is told as a mistake', (text, expected) => {
  const messages = told(read(text));
  for (const [_index, message] of expected.entries()) expect(messages).toContainEqual(expect.stringContaining(message));
  expect(read(text).tests).toEqual([]);
});

test('a field of a payload that is misspelled is named, as a placeholder would stand in its place R2078', () => {
  const text = '{ "event": "BeforeTool", "payload": { "tool_nme": "Bash", "tool_input": {}, "x": 1 } }';
  expect(told(read(text))).toEqual([
    '1:37 payload has a field that BeforeTool does not have: "tool_nme"; did you mean "tool_name"?',
  ]);
  expect(read(text).tests).toEqual([]);
  expect(told(read(text.replace('"x": 1', '"tool_name": "Bash"')))).toEqual([]);
});

test('a payload may have any key, also one that would reach a prototype', () => {
  const { tests } = read('{ "event": "BeforeTool", "payload": { "tool_input": { "__proto__": { "a": 1 } } } }');
  expect(JSON.stringify(tests[0]?.payload)).toContain('"__proto__":{"a":1}');
  expect(({} as { a?: unknown }).a).toBeUndefined();
});

test.each([
  '{ "event": "BeforeTool" }',
  '{ "event": "BeforeTool", "tests": [{}, { "expect": { "hooks": { "a": "untrusted" } } }] }',
  '{ "$schema": "x", "event": "AfterTool", "name": "n", "only": ["a"], "expect": { "input": {}, "output": {} } }',
  '{ "event": "BeforeTool", "expect": { "verdct": "deny" } }',
  '{ "event": "BeforeTool", "expect": { "hooks": { "a": "gone" } } }',
  '{ "event": "Never" }',
  '{ "tests": {} }',
  '{ "event": "BeforeTool", "name": " " }',
  '[]',
])('the JSON Schema and the reader agree about %s', (text) => {
  const parsed = parseJson(text);
  expect(parsed.ok && accepts(parsed.value)).toBe(read(text).problems.length === 0);
});
