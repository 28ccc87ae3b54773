/** Reads and writes messages in the format that hooks see: `{role, content}`. */
import { isRecord, type Members } from '../kit/index.ts';
import type { LLMMessage } from '../protocol/index.ts';
import { alignPieces } from './align.ts';
import { toMessagePiece } from './conversation.ts';

/** An unknown role becomes `user`, as model APIs treat it. */
export const toHookRole = (role: unknown): LLMMessage['role'] =>
  role === 'model' || role === 'system' ? role : 'user';

const readMessage = (entry: unknown): LLMMessage | undefined =>
  isRecord(entry) && typeof entry.content === 'string'
    ? { role: toHookRole(entry.role), content: entry.content }
    : undefined;

export const readHookMessages = (messages: unknown): LLMMessage[] | undefined =>
  Array.isArray(messages) ? messages.flatMap((message: unknown) => readMessage(message) ?? []) : undefined;

const keepOtherMembers = (entry: Members): Members[] =>
  Object.keys(entry).some((key) => key !== 'role' && key !== 'content') ? [{ ...entry, content: '' }] : [];

/** Some agents write the role `model` as `assistant`. New messages use the spelling of the old messages. */
const createEntry = ({ role, content }: LLMMessage, saysAssistant: boolean): Members => ({
  role: role === 'model' && saysAssistant ? 'assistant' : role,
  content,
});

export const applyHookMessages = (entries: readonly unknown[], wanted: readonly LLMMessage[]): readonly unknown[] => {
  const saysAssistant = entries.some((entry) => isRecord(entry) && entry.role === 'assistant');
  const spoken = entries.flatMap((entry, at) => {
    const message = readMessage(entry);
    return message === undefined ? [] : [{ at, piece: toMessagePiece(message) }];
  });
  const origins = alignPieces(
    spoken.map(({ piece }) => piece),
    wanted.map(toMessagePiece),
  );
  const becomes = new Map<number, number>();
  for (const [index, origin] of origins.entries()) {
    const at = origin === undefined ? undefined : spoken[origin]?.at;
    if (at !== undefined) becomes.set(at, index);
  }
  const placed: unknown[] = [];
  let next = 0;
  const create = (end: number): void => {
    placed.push(...wanted.slice(next, end).map((message) => createEntry(message, saysAssistant)));
  };
  for (const [at, entry] of entries.entries()) {
    const index = becomes.get(at);
    if (!isRecord(entry) || typeof entry.content !== 'string') {
      placed.push(entry);
    } else if (index === undefined) {
      placed.push(...keepOtherMembers(entry));
    } else {
      create(index);
      next = index + 1;
      const content = wanted[index]?.content ?? '';
      placed.push(content === entry.content ? entry : { ...entry, content });
    }
  }
  create(wanted.length);
  return placed;
};
