import { type Notice, noticeText } from '../../src/protocol/index.ts';

/** What notices say to a person, all in one text. */
export const wordsOf = (notices: readonly Notice[] | undefined): string | undefined =>
  notices?.map(noticeText).join('\n');
