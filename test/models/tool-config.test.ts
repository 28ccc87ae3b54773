import { expect, test } from 'vitest';
import { defaultHookTranslator as translator } from '../../src/models/index.ts';
import { deepFreeze } from './support.ts';

test('mode and allowed names are read from the SDK form', () => {
  expect(
    translator.toHookToolConfig({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'], streamFunctionCallArguments: true },
      retrievalConfig: {},
    }),
  ).toStrictEqual({ mode: 'ANY', allowedFunctionNames: ['a'] });
});

test('what is absent or unreadable is an absent key', () => {
  expect(translator.toHookToolConfig(undefined)).toBeUndefined();
  expect(translator.toHookToolConfig({})).toStrictEqual({});
  expect(translator.toHookToolConfig({ functionCallingConfig: { mode: 'VALIDATED' } })).toStrictEqual({});
  expect(
    // @ts-expect-error: names that are no strings
    translator.toHookToolConfig({ functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['a', 1] } }),
  ).toStrictEqual({ mode: 'AUTO' });
});

test('the stable form passes through', () => {
  expect(translator.toHookToolConfig({ mode: 'ANY', allowedFunctionNames: ['a'] })).toStrictEqual({
    mode: 'ANY',
    allowedFunctionNames: ['a'],
  });
});

test('mode and allowed names are put into the SDK form', () => {
  expect(translator.fromHookToolConfig({ mode: 'ANY', allowedFunctionNames: ['a'] })).toStrictEqual({
    functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'] },
  });
  expect(translator.fromHookToolConfig({ mode: 'NONE' })).toStrictEqual({ functionCallingConfig: { mode: 'NONE' } });
  expect(translator.fromHookToolConfig({ allowedFunctionNames: [] })).toStrictEqual({
    functionCallingConfig: { allowedFunctionNames: [] },
  });
  expect(translator.fromHookToolConfig({})).toStrictEqual({});
});

test('with a base everything but mode and names is kept, and the base itself when these are the same', () => {
  const base = deepFreeze({
    functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'], streamFunctionCallArguments: true },
    retrievalConfig: { languageCode: 'de' },
  });
  expect(translator.fromHookToolConfig({ mode: 'ANY', allowedFunctionNames: ['a'] }, base)).toBe(base);
  expect(translator.fromHookToolConfig({ mode: 'NONE' }, base)).toStrictEqual({
    functionCallingConfig: { mode: 'NONE', streamFunctionCallArguments: true },
    retrievalConfig: { languageCode: 'de' },
  });
  expect(
    translator.fromHookToolConfig({ mode: 'NONE' }, deepFreeze({ mode: 'ANY', allowedFunctionNames: [] })),
  ).toStrictEqual({ mode: 'NONE' });
});
