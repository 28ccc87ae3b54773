import { expect, test } from 'vitest';
import { isSameList } from '../../src/kit/index.ts';

const item = {};

test.each<[string, readonly unknown[], readonly unknown[], boolean]>([
  ['the very same items', [item, 1, undefined], [item, 1, undefined], true],
  ['no items', [], [], true],
  ['one that looks alike', [item], [{}], false],
  ['another order', [1, 2], [2, 1], false],
  ['fewer', [1], [1, undefined], false],
  ['more', [1, undefined], [1], false],
])('%s', (_what, one, other, isSame) => expect(isSameList(one, other)).toBe(isSame));
