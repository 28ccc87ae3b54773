/** Reads and writes conversations whose messages have `role` and `content`, as in most SDKs. */
import { isRecord, type Members } from '../../kit/index.ts';
import type { LLMMessage } from '../../protocol/index.ts';
import {
  type ConversationTurn,
  hasText,
  markAsSystemMessage,
  placeMessages,
  removeSystemPrefix,
  SYSTEM_MESSAGE_MARK,
  SYSTEM_TEXT_PREFIX,
  toMessage,
} from '../conversation.ts';
import { copyWithPrototype } from '../json-values.ts';
import type { ConversationTranslation } from '../request-form.ts';
import { createTextPartOperations, type PartFacts, type TextPartOperations } from '../text-parts.ts';

export interface EntryFacts {
  /** Returns `undefined` for an entry that hooks do not see, such as a tool result. */
  readonly roleOf: (entry: Members) => LLMMessage['role'] | undefined;
  readonly parts: PartFacts;
  /** Creates an entry; see `asMarkedUser` for an API that accepts system messages only at the start. */
  readonly create: (message: LLMMessage) => object;
  /** Returns the entry without its text, or `undefined` if the entry has no other content, such as tool calls. */
  readonly withoutContent?: (entry: Members) => object | undefined;
  readonly belongTogether: (one: Members, other: Members) => boolean;
  readonly ofText?: (text: string) => object;
}

export const rolesBy =
  (roles: Readonly<Record<string, LLMMessage['role']>>, key = 'role'): EntryFacts['roleOf'] =>
  ({ [key]: role }) =>
    typeof role === 'string' && Object.hasOwn(roles, role) ? roles[role] : undefined;

export const asMarkedUser = (create: (message: LLMMessage) => object): EntryFacts['create'] => {
  return (message) =>
    message.role === 'system'
      ? markAsSystemMessage(create({ role: 'user', content: SYSTEM_TEXT_PREFIX + message.content }))
      : create(message);
};

interface EntryTurn extends ConversationTurn {
  readonly entry: unknown;
}

export const createConversationTranslation = (facts: EntryFacts): ConversationTranslation => {
  const parts = createTextPartOperations(facts.parts);
  const toTurn = (entry: unknown): EntryTurn => {
    if (typeof entry === 'string') return { entry, role: 'user', text: entry };
    const role = isRecord(entry) ? facts.roleOf(entry) : undefined;
    if (!isRecord(entry) || role === undefined) return { entry, role: 'user', text: '' };
    const text = readText(parts, entry.content);
    return SYSTEM_MESSAGE_MARK in entry
      ? { entry, role: 'system', text: removeSystemPrefix(text) }
      : { entry, role, text };
  };
  const toTurns = (entries: unknown): EntryTurn[] =>
    (entries == null ? [] : Array.isArray(entries) ? entries : [entries]).map(toTurn);

  const replaceText = ({ entry }: EntryTurn, text: string): EntryTurn | undefined => {
    const after = replaceEntryText(facts, parts, entry, text);
    return after === undefined ? undefined : toTurn(after);
  };
  const belongTogether = (one: EntryTurn, other: EntryTurn): boolean =>
    isRecord(one.entry) && isRecord(other.entry) && facts.belongTogether(one.entry, other.entry);

  return {
    read: (entries) => toTurns(entries).filter(hasText).map(toMessage),
    write: (entries, messages) => {
      const create = (message: LLMMessage): EntryTurn => toTurn(facts.create(message));
      const placed = placeMessages(toTurns(entries), messages, { replaceText, create, belongTogether });
      const [only] = placed;
      if (placed.length === 1 && typeof only?.entry === 'string' && !Array.isArray(entries)) return only.entry;
      return placed.map(({ entry }) => (typeof entry === 'string' ? (facts.ofText?.(entry) ?? entry) : entry));
    },
  };
};

const readText = (parts: TextPartOperations, content: unknown): string => {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? parts.textsOf(content).join('') : '';
};

const replaceEntryText = (facts: EntryFacts, parts: TextPartOperations, entry: unknown, text: string): unknown => {
  if (!isRecord(entry)) return text === '' ? undefined : text;
  const isMarked = SYSTEM_MESSAGE_MARK in entry;
  const words = isMarked && text !== '' ? SYSTEM_TEXT_PREFIX + text : text;
  const content = Array.isArray(entry.content) ? parts.replaceText(entry.content, words) : words;
  if (content.length === 0) return readText(parts, entry.content) === '' ? entry : facts.withoutContent?.(entry);
  // `copyWithPrototype` keeps the symbol that marks a system message.
  return Object.assign(copyWithPrototype(entry), { content });
};
