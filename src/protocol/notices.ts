// A notice: a code for programs, a message for people.
import * as z from 'zod/mini';
import { isRecord, once } from '../kit/index.ts';
import { isNoticeCode, type NoticeCode } from './fault-and-notice-codes.ts';

export { isNoticeCode, type NoticeCode } from './fault-and-notice-codes.ts';

export const noticeSchema = once(() =>
  z.object({
    code: schemaFromGuard(isNoticeCode, 'a code of the list'),
    message: z.string(),
    /** How to fix the problem, as an instruction to the user. */
    fix: z.optional(z.string()),
    /** Facts about the problem as values, for programs. */
    detail: z.optional(schemaFromGuard<Readonly<Record<string, unknown>>>(isRecord, 'an object')),
  }),
);

/** A message for a user, with a code for programs. */
export type Notice = Readonly<z.infer<ReturnType<typeof noticeSchema>>>;

export type NoticeMore = Pick<Notice, 'fix' | 'detail'>;

/** `notice('not-executable', './check.sh has no execute permission', { fix: 'run chmod +x ./check.sh' })` */
export const notice = (code: NoticeCode, message: string, { fix, detail }: NoticeMore = {}): Notice => ({
  code,
  message,
  ...(fix === undefined ? {} : { fix }),
  ...(detail === undefined ? {} : { detail }),
});

/** A notice as one line of text. */
export const noticeText = ({ code, message, fix }: Notice): string =>
  `${code === 'other' ? '' : `${code}: `}${message}${fix === undefined ? '' : `; ${fix}`}`;

/** A field of an answer that was not used as written. */
export interface FieldProblem {
  readonly field: string;
  readonly fate: 'malformed' | 'unsupported';
  readonly note: string;
}

/** A schema from a type guard. It passes the value on without a copy. */
export const schemaFromGuard = <Claimed>(guard: (value: unknown) => value is Claimed, expected?: string) =>
  z.custom<Claimed>(guard, expected);
