import * as z from 'zod/mini';
import { isRecord, once } from '../kit/index.ts';
import { isNoticeCode, type NoticeCode } from './notice-codes.ts';

export { isNoticeCode, type NoticeCode } from './notice-codes.ts';

export const noticeSchema = once(() =>
  z.object({
    code: guarded(isNoticeCode, 'a code of the list'),
    message: z.string(),
    /** What to do about it. */
    fix: z.optional(z.string()),
    /** Facts for a program. */
    detail: z.optional(guarded<Readonly<Record<string, unknown>>>(isRecord, 'an object')),
  }),
);

/** Something a person or a program should know. What it is stands in the code; the words are for people alone. */
export type Notice = Readonly<z.infer<ReturnType<typeof noticeSchema>>>;

export type NoticeMore = Pick<Notice, 'fix' | 'detail'>;

/** `notice('not-executable', './check.sh has no execute permission', { fix: 'run chmod +x ./check.sh' })` */
export const notice = (code: NoticeCode, message: string, { fix, detail }: NoticeMore = {}): Notice => ({
  code,
  message,
  ...(fix === undefined ? {} : { fix }),
  ...(detail === undefined ? {} : { detail }),
});

/** A notice in one line, for people. */
export const noticeText = ({ code, message, fix }: Notice): string =>
  `${code === 'other' ? '' : `${code}: `}${message}${fix === undefined ? '' : `; ${fix}`}`;

/** A field of an answer that could not be used as it stands. */
export interface FieldProblem {
  readonly field: string;
  readonly fate: 'malformed' | 'unsupported';
  readonly note: string;
}

/** A schema that claims what its guard found out, and no more; what it read is handed on without a copy. */
export const guarded = <Claimed>(guard: (value: unknown) => value is Claimed, expected?: string) =>
  z.custom<Claimed>(guard, expected);
