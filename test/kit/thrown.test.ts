import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeThrown, describeValue, explainNotJson, shorten, toError } from '../../src/kit/index.ts';
import { revokedProxy, untyped, withHostileMember } from '../support/untyped.ts';

const hostile: readonly (readonly [title: string, thrown: unknown, text: string])[] = [
  ['undefined', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a string', 'out of disk', 'out of disk'],
  ['an empty string', '', 'an empty string was thrown'],
  ['a number', 42, '42'],
  ['a BigInt', 42n, '42'],
  ['a symbol', Symbol('why'), 'Symbol(why)'],
  ['an error', new RangeError('too far'), 'too far'],
  ['an error without a message', new RangeError(''), 'RangeError'],
  ['an abort reason', new DOMException('', 'AbortError'), 'AbortError'],
  ['an object with a message', { message: 'from another realm' }, 'from another realm'],
  ['an object', { code: 7 }, '{"code":7}'],
  ['an object without a prototype', Object.create(null), '{}'],
  ['an array', [1, 'a'], '[1,"a"]'],
  ['a function', () => 1, 'a function was thrown'],
  ['a revoked proxy', revokedProxy(), 'a value was thrown that cannot be turned into text'],
  [
    'an object whose message throws',
    withHostileMember({}, 'message'),
    'a value was thrown that cannot be turned into text',
  ],
  ['an object that refuses to be text', { toJSON: () => undefined }, 'an object was thrown'],
  [
    'an object whose toJSON throws',
    {
      toJSON: () => {
        throw new Error('no');
      },
    },
    'a value was thrown that cannot be turned into text',
  ],
];

describe('F19 whatever is thrown becomes a text', () => {
  test.each(hostile)('%s', (_title, thrown, text) => {
    expect(describeThrown(thrown)).toBe(text);
    const error = toError(thrown);
    expect(error).toBeInstanceOf(Error);
    if (error !== thrown) expect(error.message).toBe(text);
  });

  test('of at most 2 kB, however much was thrown', () => {
    const huge = 'x'.repeat(5_000_000);
    for (const thrown of [huge, new Error(huge), { message: huge }, [huge]]) {
      expect(Buffer.byteLength(describeThrown(thrown))).toBeLessThanOrEqual(2_048);
      expect(Buffer.byteLength(toError(thrown).message)).toBeLessThanOrEqual(2_048);
    }
  });

  test('and the original stays reachable as the cause of the error', () => {
    const thrown = { code: 7 };
    expect(toError(thrown).cause).toBe(thrown);
    const healthy = new TypeError('as it was');
    expect(toError(healthy)).toBe(healthy);
  });

  test('for any value there is', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true }), (thrown) => {
        expect(typeof describeThrown(thrown)).toBe('string');
        expect(toError(thrown)).toBeInstanceOf(Error);
      }),
    );
  });
});

describe('what was found is named in a few words', () => {
  test.each([
    [null, 'null'],
    [undefined, 'nothing'],
    [[1, 2, 3], 'an array of 3'],
    [{ a: 1 }, 'an object'],
    [() => 1, 'a function'],
    ['30', '"30"'],
    ['say "hi"', '"say \\"hi\\""'],
    [true, 'true'],
    [Number.NaN, 'NaN'],
    [12n, '12'],
  ])('%o is %s', (value, text) => {
    expect(describeValue(value)).toBe(text);
  });

  test('a long text is cut', () => {
    expect(describeValue('y'.repeat(1_000))).toBe(`"${'y'.repeat(79)}… (922 more characters)`);
  });
});

describe('cut text', () => {
  test('of the allowed length is left alone', () => {
    expect(shorten('abc', 3)).toBe('abc');
    expect(shorten('abcd', 3)).toBe('abc… (1 more characters)');
  });

  test('has lost exactly as many characters as it says, and none of them by half', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (whole, limit) => {
        const cut = shorten(whole, limit);
        const missing = /… \((\d+) more characters\)$/.exec(cut);
        const kept = missing === null ? cut : cut.slice(0, missing.index);
        expect(whole.startsWith(kept)).toBe(true);
        expect(kept.length + Number(missing?.[1] ?? 0)).toBe(whole.length);
        expect(kept.length).toBeLessThanOrEqual(limit);
        expect(untyped<{ isWellFormed(): boolean }>(kept).isWellFormed()).toBe(true);
      }),
    );
  });
});

test('every JSON value is plain JSON, whatever its form', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(explainNotJson({ value })).toBeUndefined();
    }),
  );
});

test('keys that are to be left out are not looked into', () => {
  const value = { request: { run: () => 1 }, other: 1n };
  expect(explainNotJson(value, new Set(['request', 'other']))).toBeUndefined();
  expect(explainNotJson(value, new Set(['request']))).toBe('other is a bigint, which JSON cannot carry');
});
