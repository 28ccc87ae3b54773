import { isRecord } from '../../kit/index.ts';
import type { LLMMessage } from '../../protocol/index.ts';
import { hasText, placeMessages, toMessage } from '../conversation.ts';
import { mapRole } from '../stable-messages.ts';
import { MARKER, markSystem, systemMark, withoutMarker } from '../system-mark.ts';
import { removeText, replaceText, textsOfParts } from './parts.ts';
import type { TextContent } from './sdk-types.ts';

/**
 * One turn of a conversation: a content, or a run of bare parts, which the SDK sends as one content of the user. Every
 * entry of `contents` belongs to exactly one turn, those we cannot read too.
 */
interface Turn {
  readonly content?: Record<string, unknown>;
  readonly parts: readonly unknown[];
  readonly role: LLMMessage['role'];
  /** Empty when hooks see no message of this turn. */
  readonly text: string;
}

/** The messages a hook sees: one for every turn that has text, the texts of its parts joined. */
export const readMessages = (contents: unknown): LLMMessage[] => readTurns(contents).filter(hasText).map(toMessage);

const readTurns = (contents: unknown): Turn[] => {
  const turns: Turn[] = [];
  let run: unknown[] = [];
  const endRun = (): void => {
    if (run.length > 0) turns.push(bareTurn(run));
    run = [];
  };
  for (const entry of contents == null ? [] : Array.isArray(contents) ? contents : [contents]) {
    if (isContent(entry)) {
      endRun();
      turns.push(contentTurn(entry));
    } else run.push(entry);
  }
  endRun();
  return turns;
};

/** The SDK asks for a list of parts; a content without parts is legal in its types, so a role alone will do too. */
const isContent = (entry: unknown): entry is Record<string, unknown> =>
  isRecord(entry) && (Array.isArray(entry.parts) || (typeof entry.role === 'string' && typeof entry.text !== 'string'));

const bareTurn = (parts: readonly unknown[]): Turn => ({ parts, role: 'user', text: textsOfParts(parts).join('') });

const contentTurn = (content: Record<string, unknown>): Turn => {
  const parts = Array.isArray(content.parts) ? content.parts : [];
  const isMarked = systemMark in content;
  const role = isMarked ? 'system' : mapRole(content.role);
  const text = textsOfParts(parts).join('');
  return { content, parts, role, text: isMarked ? withoutMarker(text) : text };
};

/**
 * A new content for a message. Gemini knows the roles `user` and `model` only and refuses others, so a system message
 * in the middle of a conversation has the role of the user (R296), and a marker that tells the model whose words they
 * are not.
 */
const createContent = ({ role, content }: LLMMessage): TextContent =>
  role === 'system'
    ? markSystem({ role: 'user', parts: [{ text: MARKER + content }] })
    : { role, parts: [{ text: content }] };

/** A content without text produces no message, and a message without text no content: the API refuses empty parts. */
export const createContents = (messages: readonly LLMMessage[]): TextContent[] =>
  messages.filter(({ content }) => content !== '').map(createContent);

const withParts = (turn: Turn, parts: readonly unknown[]): Turn => {
  if (turn.content === undefined) return bareTurn(parts);
  const content: Record<string, unknown> = { ...turn.content, parts };
  return contentTurn(systemMark in turn.content ? markSystem(content) : content);
};

/** The turn with this text; nothing when that leaves it empty. */
const retell = (turn: Turn, text: string): Turn | undefined => {
  if (turn.text === text) return turn;
  const isMarked = turn.content !== undefined && systemMark in turn.content;
  const parts = text === '' ? removeText(turn.parts) : replaceText(turn.parts, isMarked ? MARKER + text : text);
  return parts.length === 0 ? undefined : withParts(turn, parts);
};

/**
 * The base's contents with the messages a hook wants. A turn whose message is unchanged keeps its object; a changed one
 * keeps all its parts that are not text; turns that hooks never saw stay where they are.
 */
export const withMessages = (contents: unknown, messages: readonly LLMMessage[]): unknown => {
  const turns = readTurns(contents);
  const create = (message: LLMMessage): Turn => contentTurn(createContent(message));
  return assemble(contents, turns, placeMessages(turns, messages, { retell, create, belongTogether: isAnswered }));
};

/** The API refuses anything between a function call and its response. */
const isAnswered = (call: Turn, response: Turn): boolean =>
  call.parts.some((part) => isRecord(part) && isRecord(part.functionCall)) &&
  response.parts.some((part) => isRecord(part) && isRecord(part.functionResponse));

/** The form of the base as far as it can say what is to be said: a string stays a string, bare parts stay bare. */
const assemble = (contents: unknown, turns: readonly Turn[], placed: readonly Turn[]): unknown => {
  const [only] = placed;
  if (only !== undefined && placed.length === 1) {
    const isList = Array.isArray(contents);
    if (only.content === undefined) return isList || only.parts.length !== 1 ? only.parts : only.parts[0];
    if (!isList && turns[0]?.content !== undefined) return only.content;
  }
  return placed.flatMap((turn) => (turn.content === undefined ? wrapParts(turn.parts) : [turn.content]));
};

/** Bare parts beside contents are something the SDK refuses; what is no part at all stays as it was. */
const wrapParts = (parts: readonly unknown[]): readonly unknown[] => {
  const readable = parts.flatMap((part) =>
    typeof part === 'string' ? [{ text: part }] : isRecord(part) ? [part] : [],
  );
  return readable.length === 0 ? parts : [{ role: 'user', parts: readable }];
};
