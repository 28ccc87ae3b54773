// A notice: a message for people with a code for programs.
import * as z from 'zod/mini';
import { isRecord, omitUndefined, once } from '../kit/index.ts';
import { isNoticeCode, type NoticeCode } from './fault-and-notice-codes.ts';

export const noticeSchema = once(() =>
  z.object({
    code: toGuardSchema(isNoticeCode, 'a code of the list'),
    message: z.string(),
    fix: z.optional(z.string()),
    detail: z.optional(toGuardSchema<Readonly<Record<string, unknown>>>(isRecord, 'an object')),
  }),
);

export type Notice = Readonly<z.infer<ReturnType<typeof noticeSchema>>>;

export const notice = (
  code: NoticeCode,
  message: string,
  { fix, detail }: Pick<Notice, 'fix' | 'detail'> = {},
): Notice => omitUndefined({ code, message, fix, detail });

/** Appends warnings to those of a result or row. */
export const withWarnings = <Item extends { readonly warnings?: readonly Notice[] | undefined }>(
  item: Item,
  warnings: readonly Notice[],
): Item => (warnings.length === 0 ? item : { ...item, warnings: [...(item.warnings ?? []), ...warnings] });

export const noticeText = ({ code, message, fix }: Notice): string =>
  `${code === 'other' ? '' : `${code}: `}${message}${fix === undefined ? '' : `; ${fix}`}`;

/** A field of an answer that was not used as written. */
export interface FieldProblem {
  readonly field: string;
  readonly fate: 'malformed' | 'unsupported';
  readonly note: string;
}

/** Unlike `z.object`, returns the checked value, not a copy. */
export const toGuardSchema = <Claimed>(guard: (value: unknown) => value is Claimed, expected?: string) =>
  z.custom<Claimed>(guard, expected);
