/** Applies the messages that a hook returned to the turns of the original conversation, for any SDK. */
import type { LLMMessage } from '../protocol/index.ts';
import { alignPieces } from './align.ts';

export interface ConversationTurn {
  readonly role: LLMMessage['role'];
  readonly text: string;
}

interface TurnOperations<T extends ConversationTurn> {
  readonly replaceText: (turn: T, text: string) => T | undefined;
  readonly create: (message: LLMMessage) => T;
  readonly belongTogether: (one: T, other: T) => boolean;
}

export const hasText = ({ text }: ConversationTurn): boolean => text !== '';

export const toMessage = ({ role, text }: ConversationTurn): LLMMessage => ({ role, content: text });

export const toMessagePiece = ({ role, content }: LLMMessage) => ({ kind: role, text: content });

export const areSameMessages = (one: readonly LLMMessage[], other: readonly LLMMessage[]): boolean =>
  one.length === other.length &&
  one.every(({ role, content }, index) => role === other[index]?.role && content === other[index]?.content);

export const placeMessages = <T extends ConversationTurn>(
  turns: readonly T[],
  messages: readonly LLMMessage[],
  operations: TurnOperations<T>,
): T[] => {
  const spoken = turns.filter(hasText);
  const origins = alignPieces(spoken.map(toMessage).map(toMessagePiece), messages.map(toMessagePiece));
  const becomes = new Map<T | undefined, number>();
  for (const [index, origin] of origins.entries()) {
    if (origin !== undefined) becomes.set(spoken[origin], index);
  }
  // Model APIs refuse empty messages.
  const created = (from: number, to?: number): T[] =>
    messages
      .slice(from, to)
      .filter(({ content }) => content !== '')
      .map(operations.create);

  const placed: T[] = [];
  let next = 0;
  for (const turn of turns) {
    const index = becomes.get(turn);
    if (index !== undefined) {
      insertMessagesBefore(turn, placed, created(next, index), next === 0, operations);
      next = index + 1;
    }
    const text = index === undefined ? '' : (messages[index]?.content ?? '');
    const after = turn.text === text ? turn : operations.replaceText(turn, text);
    if (after !== undefined) placed.push(after);
  }
  placed.push(...created(next));
  return placed;
};

const insertMessagesBefore = <T extends ConversationTurn>(
  following: T,
  placed: T[],
  created: readonly T[],
  first: boolean,
  { belongTogether }: TurnOperations<T>,
): void => {
  if (created.length === 0) return;
  let position = first ? 0 : placed.length;
  const separates = (): boolean => {
    const before = placed[position - 1];
    const after = position < placed.length ? placed[position] : following;
    return before !== undefined && after !== undefined && belongTogether(before, after);
  };
  while (separates() && placed[position - 1]?.text === '') position -= 1;
  if (separates()) position = placed.length;
  placed.splice(position, 0, ...created);
};

/** Marks a system message that was sent with the role of the user. A symbol reaches neither JSON nor the API. */
export const SYSTEM_MESSAGE_MARK = Symbol.for('hookwright.system-message');

export const markAsSystemMessage = <C extends object>(content: C): C =>
  Object.defineProperty(content, SYSTEM_MESSAGE_MARK, { value: true });

/** Prefix of a system message that is sent with the role of the user, for the model to recognise it. */
export const SYSTEM_TEXT_PREFIX = '[System] ';

export const removeSystemPrefix = (text: string): string =>
  text.startsWith(SYSTEM_TEXT_PREFIX) ? text.slice(SYSTEM_TEXT_PREFIX.length) : text;
