import { describe, expect, test } from 'vitest';
import { isNoticeCode } from '../../src/protocol/fault-and-notice-codes.ts';
import { faultCodes, skipReasons } from '../../src/protocol/index.ts';
import { notice, noticeSchema, noticeText } from '../../src/protocol/notices.ts';

describe('a notice', () => {
  test('has its facts apart from its words, and no member without a value', () => {
    expect(notice('noise', 'text beside it')).toStrictEqual({ code: 'noise', message: 'text beside it' });
    const full = notice('not-executable', 'x is not', { fix: 'run chmod +x x', detail: { file: 'x' } });
    expect(full).toStrictEqual({
      code: 'not-executable',
      message: 'x is not',
      fix: 'run chmod +x x',
      detail: { file: 'x' },
    });
    expect(noticeSchema().parse(full)).toEqual(full);
  });

  test('is one line for people', () => {
    expect(noticeText(notice('bad-script', 'it ends early', { fix: 'close the quote' }))).toBe(
      'bad-script: it ends early; close the quote',
    );
    expect(noticeText(notice('other', 'as it was recorded'))).toBe('as it was recorded');
  });

  test('has a code of a closed list, in which every fault and every reason is', () => {
    expect([...faultCodes, ...Object.keys(skipReasons)].filter((code) => !isNoticeCode(code))).toEqual([]);
    expect(noticeSchema().safeParse({ code: 'no-such-code', message: '' }).success).toBe(false);
    expect(noticeSchema().safeParse('noise: as it was once').success).toBe(false);
  });
});
