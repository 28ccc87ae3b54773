/** Renders bus messages as lines, and parses the lines of a tap (a socket that shows an agent's messages). */
import type { Socket } from 'node:net';
import { isRecord, omitUndefined, onAbort, parseJson, RecentMap, textOf } from '../../kit/index.ts';
import { type HookMessage, MessageBusType, type MessageOf, readEventName } from '../../protocol/index.ts';
import {
  MAX_LINE_BYTES,
  parseEntry,
  parseHeader,
  type RecordedLine,
  RecordedLineSplitter,
  type SessionEntry,
} from '../../sessions/index.ts';
import { toMatcherContext } from '../arguments/payload.ts';
import { formatInput, formatShortInput } from './fired-lines.ts';
import { formatCount } from './problem-lines.ts';
import { createSpan, padTo, type Span, type TextLine } from './text.ts';
import { formatAnswerPieces, formatDuration } from './verdict-text.ts';

type TextPieces = readonly (string | Span)[];

const findSubject = (payload: unknown): string => {
  if (!isRecord(payload)) return '';
  const { toolName, trigger } = toMatcherContext(payload, undefined);
  const subject = toolName ?? trigger;
  return subject === undefined ? '' : ` ${subject}`;
};

interface SubjectAndInput {
  readonly title: string;
  readonly input?: string | undefined;
}

const findSubjectAndInput = (message: HookMessage, isFull: boolean): SubjectAndInput | undefined => {
  if (message.type === MessageBusType.HOOK_EXECUTION_REQUEST) {
    const payload = message.payload ?? message.input;
    const title = `${message.eventName}${findSubject(payload)}`;
    return { title, input: (isFull ? formatInput : formatShortInput)(message.eventName, payload) };
  }
  return message.type === MessageBusType.ABILITY_EVENT_REQUEST ? { title: message.eventType } : undefined;
};

const formatInputPieces = (about: SubjectAndInput | undefined): TextPieces =>
  about?.input === undefined ? [] : [createSpan('dim', ` \`${about.input}\``)];

const describeMessage = (message: HookMessage, about: SubjectAndInput | undefined): TextPieces => {
  switch (message.type) {
    case MessageBusType.HOOK_EXECUTION_REQUEST:
    case MessageBusType.ABILITY_EVENT_REQUEST:
      return [createSpan('bold', about?.title ?? ''), ...formatInputPieces(about), ' requested'];
    case MessageBusType.HOOK_EXECUTION_RESPONSE:
    case MessageBusType.ABILITY_EVENT_RESPONSE:
      return [
        about?.title ?? readEventName(message),
        ...formatInputPieces(about),
        ' → ',
        ...formatAnswerPieces(message),
      ];
    case MessageBusType.HOOK_EXECUTION_CANCEL:
      return [`${about?.title ?? ''} cancelled`.trimStart()];
    case MessageBusType.HOOK_EXECUTION_TRACE: {
      if (message.rows.length > 0 && message.rows.every(({ background }) => background === true)) return [];
      const ran = message.rows.filter(({ planned }) => planned === 'run').length;
      const subject = message.subject === undefined ? '' : ` ${message.subject}`;
      return [
        createSpan('dim', `${message.eventName}${subject}: ${ran} of ${formatCount(message.rows.length, 'hook')} ran`),
      ];
    }
    case MessageBusType.HOOK_STARTED:
      return [createSpan('dim', `  ${message.hookName} started (${message.position} of ${message.total})`)];
    case MessageBusType.HOOK_FINISHED: {
      const ending = `${message.outcome}${message.code === undefined ? '' : `: ${message.code}`}`;
      const span = message.outcome === 'faulted' ? createSpan('red', ending) : ending;
      return [`  ${message.hookName} `, span, `, ${formatDuration(message.durationMs)}`];
    }
    case MessageBusType.HOOK_SYSTEM_MESSAGE:
      return [`  ${message.hookName} says: ${message.message}`];
    case MessageBusType.HOOK_CONFIRMATION_REQUEST:
      return [createSpan('yellow', 'asks'), ` about ${message.toolName ?? message.eventName}: ${message.reason}`];
    case MessageBusType.HOOK_CONFIRMATION_RESPONSE:
      return formatConfirmation(message);
    case MessageBusType.HOOKS_RELOADED: {
      const { added, removed, changed } = message;
      return [`hooks reloaded: ${added.length} added, ${removed.length} removed, ${changed.length} changed`];
    }
  }
};

export const formatConfirmation = ({
  approved,
  by,
  reason,
  parked,
}: MessageOf<typeof MessageBusType.HOOK_CONFIRMATION_RESPONSE>): TextPieces => {
  if (parked !== undefined && by === undefined) {
    return [createSpan('yellow', 'parked'), `: the call waits for an approval until ${parked.expiresAt}`];
  }
  const word = approved ? createSpan('green', 'approved') : createSpan('red', 'not approved');
  return [word, ...(by === undefined ? [] : [` by ${by}`]), ...(reason === undefined ? [] : [`: ${reason}`])];
};

const TIME_WIDTH = 10;

export class MessageRenderer {
  readonly #about = new RecentMap<SubjectAndInput>();
  readonly #isFull: boolean;

  constructor(isFull = false) {
    this.#isFull = isFull;
  }

  renderLine({ at, message }: Pick<SessionEntry, 'at' | 'message'>): TextLine {
    const requested = findSubjectAndInput(message, this.#isFull);
    if (requested !== undefined) this.#about.set(message.correlationId, requested);
    const about = requested ?? this.#about.get(message.correlationId);
    return [createSpan('dim', padTo(`${(at / 1_000).toFixed(3)} s`, TIME_WIDTH)), ...describeMessage(message, about)];
  }
}

type TapLine =
  | { readonly kind: 'header'; readonly pid?: number; readonly name?: string }
  | { readonly kind: 'entry'; readonly entry: SessionEntry }
  | { readonly kind: 'dropped'; readonly count: number }
  | { readonly kind: 'problem'; readonly message: string };

const parseHeaderLine = (text: string): TapLine => {
  const header = parseHeader(text);
  if (!header.ok) return { kind: 'problem', message: header.message };
  const raw = parseJson(text);
  const { pid, name } = raw.ok && isRecord(raw.value) ? raw.value : {};
  return { kind: 'header', ...omitUndefined({ pid: typeof pid === 'number' ? pid : undefined, name: textOf(name) }) };
};

const readDroppedCount = (text: string): number | undefined => {
  if (!text.startsWith('{"dropped":')) return undefined;
  const read = parseJson(text);
  return read.ok && isRecord(read.value) && typeof read.value.dropped === 'number' ? read.value.dropped : undefined;
};

export class TapLineReader {
  readonly #splitter = new RecordedLineSplitter(MAX_LINE_BYTES);

  push(piece: Buffer): TapLine[] {
    return this.#splitter.push(piece).map((line) => this.#read(line));
  }

  #read({ number, text }: RecordedLine): TapLine {
    if (text === undefined) return { kind: 'problem', message: `line ${number} is too long` };
    if (number === 1) return parseHeaderLine(text);
    const count = readDroppedCount(text);
    if (count !== undefined) return { kind: 'dropped', count };
    const parsed = parseEntry(text, number);
    return parsed.ok ? { kind: 'entry', entry: parsed.entry } : { kind: 'problem', message: parsed.message };
  }
}

export const describeDroppedMessages = (count: number): string =>
  count === 1
    ? '1 message was dropped because it came too fast'
    : `${count} messages were dropped because they came too fast`;

/** Reads the messages of a tap, until its agent ends or the signal aborts. */
export async function* readTapEntries(
  socket: Socket,
  onProblem: (message: string) => void,
  onDropped: (count: number) => void,
  signal?: AbortSignal,
): AsyncGenerator<SessionEntry> {
  const reader = new TapLineReader();
  const stopListening = signal && onAbort(signal, () => socket.destroy());
  if (signal?.aborted) socket.destroy();
  try {
    for await (const piece of socket) {
      for (const line of Buffer.isBuffer(piece) ? reader.push(piece) : []) {
        if (line.kind === 'entry') yield line.entry;
        if (line.kind === 'problem') onProblem(line.message);
        if (line.kind === 'dropped') onDropped(line.count);
      }
    }
  } catch (error) {
    if (!socket.destroyed) throw error;
  } finally {
    stopListening?.();
  }
}
