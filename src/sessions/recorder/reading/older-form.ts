import { isRecord } from '../../../kit/index.ts';
import { isNoticeCode, type Notice, notice } from '../../../protocol/index.ts';

/** `held-pipe: a process …`, as warnings were written when they were text. */
const noticeIn = (text: string): Notice => {
  const [, code, message] = /^([a-z]+(?:-[a-z]+)*): (.*)$/s.exec(text) ?? [];
  return isNoticeCode(code) && message !== undefined ? notice(code, message) : notice('other', text);
};

const asNotice = (warning: unknown): unknown => {
  if (typeof warning === 'string') return noticeIn(warning);
  // A later hookwright may have codes that this one does not know; what it said is still there to read.
  return isRecord(warning) && typeof warning.message === 'string' && !isNoticeCode(warning.code)
    ? { ...warning, code: 'other' }
    : warning;
};

/** Where a mark stands for what was redacted, nothing is known of what became of the field. */
const knownFates = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, fate]) => typeof fate !== 'string'));

const withNotices = (row: unknown): unknown =>
  isRecord(row)
    ? {
        ...row,
        ...(Array.isArray(row.warnings) ? { warnings: row.warnings.map(asNotice) } : {}),
        ...(isRecord(row.fields) ? { fields: knownFates(row.fields) } : {}),
      }
    : row;

/** A recorded message in the form of today. */
export const inTodaysForm = (message: Record<string, unknown>): Record<string, unknown> =>
  Array.isArray(message.rows) ? { ...message, rows: message.rows.map(withNotices) } : message;
