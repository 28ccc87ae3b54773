import { describe, expect, test } from 'vitest';
import { HookRegistryNotInitializedError, HookSystemNotInitializedError, HookwrightError } from '../../src/index.ts';
import { revokedProxy } from '../support/untyped.ts';

describe('an error of the library', () => {
  test('has a code, details and the cause', () => {
    const cause = new Error('why');
    const error = new HookwrightError('overloaded', 'too much', { details: { limit: 3 }, cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'HookwrightError',
      code: 'overloaded',
      message: 'too much',
      details: { limit: 3 },
    });
    expect(error.cause).toBe(cause);
  });

  test('without a cause has none, not even an undefined one', () => {
    const error = new HookwrightError('disposed', 'gone');
    expect('cause' in error).toBe(false);
    expect(error.details).toEqual({});
    expect('cause' in new HookwrightError('disposed', 'gone', { cause: undefined })).toBe(true);
  });

  test.each([
    [new HookwrightError('disposed', 'gone'), true],
    [new HookSystemNotInitializedError('getRegistry()'), true],
    [new HookRegistryNotInitializedError('getAllHooks()'), true],
    [new Error('foreign'), false],
    [{ code: 'disposed' }, false],
    ['disposed', false],
    [null, false],
    [undefined, false],
  ])('%# is told from others', (value, isOurs) => {
    expect(HookwrightError.is(value)).toBe(isOurs);
  });

  test('is told from what cannot even be looked at', () => {
    expect(HookwrightError.is(revokedProxy())).toBe(false);
  });

  test('is recognised from another copy of the package, and its mark does not travel in its JSON', () => {
    const marker = Symbol.for('hookwright.error');
    expect(HookwrightError.is(Object.defineProperty(new Error('copy'), marker, { value: true }))).toBe(true);
    const error = new HookwrightError('cancelled', 'no', { details: { a: 1 } });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'HookwrightError',
      code: 'cancelled',
      details: { a: 1 },
    });
  });
});
