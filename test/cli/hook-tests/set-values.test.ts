import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { setJsonValues } from '../../../src/cli/hook-tests/update-tests.ts';

const text = `{
  // One.
  "event": "BeforeTool", // two
  "expect": {
    /* three */ "verdict": "none",
    "reason": "old", // four
    "hooks": { "a": "silent" }
  }
  // five
}
`;

const comments = ['One.', 'two', 'three', 'four', 'five'];

test('values change in their place, and comments stay', () => {
  const changed = setJsonValues(text, [
    { path: ['expect', 'verdict'], value: 'deny' },
    { path: ['expect', 'hooks', 'b'], value: 'timeout' },
    { path: ['expect', 'input'], value: { command: 'ls' } },
  ]);
  expect(changed).toBe(`{
  // One.
  "event": "BeforeTool", // two
  "expect": {
    /* three */ "verdict": "deny",
    "reason": "old", // four
    "hooks": { "a": "silent", "b": "timeout" },
    "input": {
      "command": "ls"
    }
  }
  // five
}
`);
});

test('what is not there any more is taken away', () => {
  const changed = setJsonValues(text, [{ path: ['expect', 'reason'], value: undefined }]);
  expect(parse(changed)).toEqual({ event: 'BeforeTool', expect: { verdict: 'none', hooks: { a: 'silent' } } });
  expect(changed).toContain('// four');
});

test('what is missing on the way is made', () => {
  const changed = setJsonValues('{ "event": "BeforeTool" }', [{ path: ['expect', 'input', 'a'], value: 1 }]);
  expect(parse(changed)).toEqual({ event: 'BeforeTool', expect: { input: { a: 1 } } });
});

const aPath: fc.Arbitrary<string[]> = fc.oneof(
  fc.constantFrom<string[]>(['expect', 'verdict'], ['expect', 'reason'], ['expect', 'hooks', 'a']),
  fc
    .tuple(fc.constantFrom('input', 'output'), fc.string({ minLength: 1, maxLength: 5 }))
    .map((path) => ['expect', ...path]),
);

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (found, key) => (found instanceof Object ? Object.getOwnPropertyDescriptor(found, key)?.value : undefined),
    value,
  );

test('whatever is written is read again, and no comment is lost', () => {
  fc.assert(
    fc.property(aPath, fc.jsonValue(), (path, json) => {
      const value: unknown = JSON.parse(JSON.stringify(json));
      // What the parser reads under this name it does not keep; the text is right all the same.
      fc.pre(!JSON.stringify([path, value]).includes('__proto__'));
      const changed = setJsonValues(text, [{ path, value }]);
      expect(valueAt(parse(changed), path)).toEqual(value);
      for (const comment of comments) expect(changed).toContain(comment);
    }),
  );
});
