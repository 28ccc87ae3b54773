import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { findSchemaProblems, type InputSchema } from '../../src/abilities/tools/input-schema.ts';
import { findInputProblems } from '../../src/abilities/tools/preflight.ts';
import { checkByStandard, isStandardSchema } from '../../src/kit/index.ts';

const edit: InputSchema = {
  type: 'object',
  required: ['path'],
  additionalProperties: false,
  properties: {
    path: { type: 'string', minLength: 1 },
    lines: { type: 'array', items: { type: 'integer', minimum: 1 }, maxLength: 3 },
    mode: { enum: ['replace', 'append'] },
  },
};

test('an input that fits has no problems', () => {
  expect(findInputProblems(edit, { path: 'a.ts', lines: [1, 2], mode: 'append' })).toEqual([]);
});

test.each([
  [undefined, ['input: expected object, got nothing']],
  ['a.ts', ['input: expected object, got "a.ts"']],
  [{}, ['input.path is missing']],
  [{ path: '' }, ['input.path: expected a length of at least 1, got 0']],
  [{ path: 'a', lines: [0] }, ['input.lines[0]: expected 1 or more, got 0']],
  [{ path: 'a', lines: [1.5] }, ['input.lines[0]: expected integer, got 1.5']],
  [{ path: 'a', lines: [1, 2, 3, 4] }, ['input.lines: expected a length of at most 3, got 4']],
  [{ path: 'a', mode: 'insert' }, ['input.mode: expected one of "replace", "append", got "insert"']],
  [{ path: 'a', line: [1] }, ['input.line is not known; did you mean "lines"?']],
  [JSON.parse('{"path": "a", "__proto__": 1}'), ['input.__proto__ is not known']],
])('the input %j is refused, and it says where', (input, problems) => {
  expect(findInputProblems(edit, input)).toEqual(problems);
});

test('of many problems the first are told', () => {
  const lines = Array.from({ length: 30 }, () => 'x');
  expect(findInputProblems({ items: { type: 'number' } }, lines)).toHaveLength(11);
});

test('a schema with a word nobody checks is refused', () => {
  expect(findSchemaProblems({ type: 'object', requierd: ['x'], properties: { a: { type: 'text' } } })).toEqual([
    { path: ['requierd'], message: expect.stringContaining('did you mean "required"?') },
    { path: ['properties', 'a', 'type'], message: expect.stringContaining('expected one of object, array, string') },
  ]);
});

test('whatever the input, checking it ends with a list of problems', () => {
  fc.assert(fc.property(fc.jsonValue(), (input) => Array.isArray(findInputProblems(edit, input))));
});

describe('a schema of another library', () => {
  const schema = z.object({ path: z.string(), lines: z.array(z.number()) });

  test('is recognised by what such libraries have in common', () => {
    expect(isStandardSchema(schema)).toBe(true);
    expect([edit, {}, null, 'x'].map(isStandardSchema)).toEqual([false, false, false, false]);
  });

  test('says where an input does not fit', async () => {
    if (!isStandardSchema(schema)) throw new Error('zod speaks Standard Schema');
    expect(await checkByStandard(schema, { path: 'a', lines: [1] })).toEqual([]);
    const problems = await checkByStandard(schema, { path: 1, lines: ['x'] });
    expect(problems).toEqual([expect.stringContaining('input.path: '), expect.stringContaining('input.lines[0]: ')]);
  });
});
