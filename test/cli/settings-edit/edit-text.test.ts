import fc from 'fast-check';
import { type ParseError, parse, visit } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import {
  appendToList,
  type EditResult,
  readList,
  removeFromList,
  setMember,
} from '../../../src/cli/settings-edit/edit-text.ts';
import { settingsDocument } from '../support/settings-document.ts';

const DISABLED = ['hooksConfig', 'disabled'] as const;

const textOf = (edited: EditResult): string => {
  if (!edited.ok) throw new Error(JSON.stringify(edited.problem));
  return edited.text;
};
const append = (text: string, value: unknown = 'new'): string => textOf(appendToList(text, DISABLED, value));
const remove = (text: string, value = 'new'): string => textOf(removeFromList(text, DISABLED, value));

const commentsIn = (text: string): string[] => {
  const comments: string[] = [];
  visit(text, { onComment: (offset, length) => comments.push(text.slice(offset, offset + length).trimEnd()) });
  return comments;
};

const meaningOf = (text: string): unknown => {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  expect(errors, text).toEqual([]);
  return value;
};

describe('a value is added the way the file is written', () => {
  test('a list of one line stays on it', () => {
    expect(append('{"hooksConfig": {"disabled": ["a"]}}\n')).toBe('{"hooksConfig": {"disabled": ["a", "new"]}}\n');
  });

  test('a list of several lines gets another one, behind the comment of the last', () => {
    const before = '{\n\t"hooksConfig": {\n\t\t"disabled": [\n\t\t\t"a" // slow\n\t\t]\n\t}\n}\n';
    expect(append(before)).toBe(before.replace('"a" // slow', '"a", // slow\n\t\t\t"new"'));
  });

  test('a comma behind the last member is kept up', () => {
    const before = '{"hooksConfig": {"disabled": [\n  "a",\n  // "b",\n]}}';
    expect(append(before)).toBe('{"hooksConfig": {"disabled": [\n  "a",\n  "new",\n  // "b",\n]}}');
  });

  test('what leads to the list is made where it is missing', () => {
    expect(append('{}')).toBe('{\n  "hooksConfig": {\n    "disabled": [\n      "new"\n    ]\n  }\n}');
    expect(append('{\n    // mine\n    "hooks": {} // none\n}\n')).toBe(
      '{\n    // mine\n    "hooks": {}, // none\n    "hooksConfig": {\n        "disabled": [\n            "new"\n        ]\n    }\n}\n',
    );
    expect(append('{ "hooks": {} }')).toBe('{ "hooks": {}, "hooksConfig": { "disabled": ["new"] } }');
    expect(append('{"hooksConfig": {"disabled": []}}')).toBe('{"hooksConfig": {"disabled": ["new"]}}');
  });

  test('line ends and the byte order mark are those of the file', () => {
    const text = append('\ufeff{\r\n  "hooks": {}\r\n}\r\n');
    expect(text.startsWith('\ufeff{\r\n')).toBe(true);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  test('of a key that is there twice the last one counts', () => {
    const text = append('{"hooksConfig": {"disabled": []}, "hooksConfig": {"disabled": ["a"]}}');
    expect(text).toBe('{"hooksConfig": {"disabled": []}, "hooksConfig": {"disabled": ["a", "new"]}}');
  });
});

describe('a value is taken out with its comma, and without any comment', () => {
  test.each([
    ['["new"]', '[]'],
    ['["new", "a"]', '["a"]'],
    ['["a", "new"]', '["a"]'],
    ['["a", "new", "b"]', '["a", "b"]'],
    ['["a", "new",]', '["a",]'],
    ['[ "new" ]', '[]'],
    ['[\n  "new",\n]', '[]'],
    ['[ /* why */ "new" ]', '[ /* why */ ]'],
    ['["new", "a", "new"]', '["a"]'],
    ['["a", /* why */ "new"]', '["a" /* why */]'],
    ['["new" /* why */, "a"]', '[/* why */ "a"]'],
    ['[\n  "a",\n  "new" // why\n]', '[\n  "a"\n  // why\n]'],
    ['[\n  "a",\n  // why\n  "new"\n]', '[\n  "a"\n  // why\n]'],
    ['[\n  "a", // c\n  "new"]', '[\n  "a" // c\n  ]'],
    ['[\n  "a"\n  , "new"\n]', '[\n  "a"\n  \n]'],
  ])('%j becomes %j', (before, wanted) => {
    const whole = (list: string): string => `{"hooksConfig": {"disabled": ${list}}}`;
    const text = remove(whole(before));
    expect(meaningOf(text)).toEqual(meaningOf(whole(wanted)));
    expect(commentsIn(text)).toEqual(commentsIn(whole(before)));
    expect(text.replace(/[ \t]+(?=\n|\])/g, ' ')).toBe(whole(wanted).replace(/[ \t]+(?=\n|\])/g, ' '));
  });
});

describe('what cannot be changed is left alone, and said to be', () => {
  test.each([
    ['{"hooksConfig": {"disabled": "a"}}', 'hooksConfig.disabled must be a list, found a string', 1, 30],
    ['{"hooksConfig": []}', 'hooksConfig must be an object, found an array', 1, 17],
    ['[]', 'settings must be an object', 1, 1],
    ['{\n  "hooks": {\n', 'correct this first', 3, 1],
  ])('%j: %s', (text, message, line, column) => {
    const edited = appendToList(text, DISABLED, 'x');
    expect(edited).toMatchObject({ ok: false, problem: { message: expect.stringContaining(message), line, column } });
  });
});

const disabledIn = (value: unknown): unknown[] => {
  const settings = value as { hooksConfig?: { disabled?: unknown[] } };
  return settings.hooksConfig?.disabled ?? [];
};

test('adding to any file changes that list and nothing else, and loses no comment', () => {
  fc.assert(
    fc.property(settingsDocument, fc.string(), (text, name) => {
      const changed = append(text, name);
      const before = meaningOf(text) as object;
      const list = [...disabledIn(before), name];
      const config = { ...(before as { hooksConfig?: object }).hooksConfig, disabled: list };
      expect(meaningOf(changed)).toEqual({ ...before, hooksConfig: config });
      expect(commentsIn(changed)).toEqual(commentsIn(text));
      expect(readList(changed, DISABLED)).toContain(name);
    }),
    { numRuns: 500 },
  );
});

test('taking out of any file changes that list and nothing else, and loses no comment', () => {
  fc.assert(
    fc.property(settingsDocument, fc.nat(), (text, pick) => {
      const present = readList(text, DISABLED);
      const name = present[pick % Math.max(1, present.length)] ?? 'new';
      const changed = remove(text, name);
      const before = meaningOf(text) as { hooksConfig?: { disabled?: unknown[] } };
      const wanted = disabledIn(before).filter((item) => item !== name);
      expect(disabledIn(meaningOf(changed))).toEqual(wanted);
      expect(commentsIn(changed)).toEqual(commentsIn(text));
      if (!present.includes(name)) expect(changed).toBe(text);
    }),
    { numRuns: 500 },
  );
});

const tidy = fc
  .tuple(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), fc.constantFrom(2, 4, '\t'), fc.boolean(), fc.boolean())
  .map(([list, indent, windows, comments]) => {
    const plain = `${JSON.stringify({ hooks: {}, hooksConfig: { disabled: list } }, null, indent)}\n`;
    const spoken = comments ? plain.replaceAll(/\n(?=.)/g, ' // note\n') : plain;
    return windows ? spoken.replaceAll('\n', '\r\n') : spoken;
  });

test('in a tidy file a value that is added and taken out again leaves the same bytes', () => {
  fc.assert(
    fc.property(tidy, fc.string(), (text, name) => {
      fc.pre(!readList(text, DISABLED).includes(name));
      expect(remove(append(text, name), name)).toBe(text);
    }),
    { numRuns: 300 },
  );
});

describe('a member of an object at a known place', () => {
  const text = '{"hooks": [{"command": "a" }, // first\n  {"command": "b", "warm": false}]}';
  const at = (line: number, column: number, command: string) => ({ line, column, has: { command } });

  test('is put at its end, and all else stays', () => {
    const after = text.replace('"a" }', '"a", "warm": true }');
    expect(textOf(setMember(text, at(1, 12, 'a'), 'warm', true))).toBe(after);
  });

  test('takes the place of the one that is there', () => {
    expect(textOf(setMember(text, at(2, 3, 'b'), 'warm', true))).toBe(text.replace('false', 'true'));
  });

  test.each([
    ['another object', at(1, 12, 'b')],
    ['no object', at(1, 13, 'a')],
  ])('is not written when %s stands there by now', (_what, spot) => {
    expect(setMember(text, spot, 'warm', true)).toMatchObject({ ok: false, problem: { line: 1 } });
  });
});
