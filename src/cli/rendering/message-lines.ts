/** Renders bus messages as lines, and parses the lines of a tap (a socket that shows an agent's messages). */
import type { Socket } from 'node:net';
import { isRecord, onAbort, parseJson, RecentMap } from '../../kit/index.ts';
import { type HookMessage, MessageBusType, type MessageOf, readEventName } from '../../protocol/index.ts';
import {
  MAX_LINE_BYTES,
  parseEntry,
  parseHeader,
  type RecordedLine,
  RecordedLineSplitter,
  type SessionEntry,
} from '../../sessions/index.ts';
import { matcherContextOf } from '../arguments/payload.ts';
import { inputText, shortInput } from './fired-lines.ts';
import { withCount } from './problem-lines.ts';
import { padTo, type Span, styled, type TextLine } from './text.ts';
import { answerPieces, durationText } from './verdict-text.ts';

type Pieces = readonly (string | Span)[];

const subjectIn = (payload: unknown): string => {
  if (!isRecord(payload)) return '';
  const { toolName, trigger } = matcherContextOf(payload, undefined);
  const subject = toolName ?? trigger;
  return subject === undefined ? '' : ` ${subject}`;
};

interface About {
  readonly title: string;
  readonly input?: string | undefined;
}

const aboutOf = (message: HookMessage, isFull: boolean): About | undefined => {
  if (message.type === MessageBusType.HOOK_EXECUTION_REQUEST) {
    const payload = message.payload ?? message.input;
    const title = `${message.eventName}${subjectIn(payload)}`;
    return { title, input: (isFull ? inputText : shortInput)(message.eventName, payload) };
  }
  return message.type === MessageBusType.ABILITY_EVENT_REQUEST ? { title: message.eventType } : undefined;
};

const inputPieces = (about: About | undefined): Pieces =>
  about?.input === undefined ? [] : [styled('dim', ` \`${about.input}\``)];

const describe = (message: HookMessage, about: About | undefined): Pieces => {
  switch (message.type) {
    case MessageBusType.HOOK_EXECUTION_REQUEST:
    case MessageBusType.ABILITY_EVENT_REQUEST:
      return [styled('bold', about?.title ?? ''), ...inputPieces(about), ' requested'];
    case MessageBusType.HOOK_EXECUTION_RESPONSE:
    case MessageBusType.ABILITY_EVENT_RESPONSE:
      return [about?.title ?? readEventName(message), ...inputPieces(about), ' → ', ...answerPieces(message)];
    case MessageBusType.HOOK_EXECUTION_CANCEL:
      return [`${about?.title ?? ''} cancelled`.trimStart()];
    case MessageBusType.HOOK_EXECUTION_TRACE: {
      if (message.rows.length > 0 && message.rows.every(({ background }) => background === true)) return [];
      const ran = message.rows.filter(({ planned }) => planned === 'run').length;
      const subject = message.subject === undefined ? '' : ` ${message.subject}`;
      return [styled('dim', `${message.eventName}${subject}: ${ran} of ${withCount(message.rows.length, 'hook')} ran`)];
    }
    case MessageBusType.HOOK_STARTED:
      return [styled('dim', `  ${message.hookName} started (${message.position} of ${message.total})`)];
    case MessageBusType.HOOK_FINISHED: {
      const ending = `${message.outcome}${message.code === undefined ? '' : `: ${message.code}`}`;
      const span = message.outcome === 'faulted' ? styled('red', ending) : ending;
      return [`  ${message.hookName} `, span, `, ${durationText(message.durationMs)}`];
    }
    case MessageBusType.HOOK_SYSTEM_MESSAGE:
      return [`  ${message.hookName} says: ${message.message}`];
    case MessageBusType.HOOK_CONFIRMATION_REQUEST:
      return [styled('yellow', 'asks'), ` about ${message.toolName ?? message.eventName}: ${message.reason}`];
    case MessageBusType.HOOK_CONFIRMATION_RESPONSE:
      return confirmationPieces(message);
    case MessageBusType.HOOKS_RELOADED: {
      const { added, removed, changed } = message;
      return [`hooks reloaded: ${added.length} added, ${removed.length} removed, ${changed.length} changed`];
    }
  }
};

export const confirmationPieces = ({
  approved,
  by,
  reason,
  parked,
}: MessageOf<typeof MessageBusType.HOOK_CONFIRMATION_RESPONSE>): Pieces => {
  if (parked !== undefined && by === undefined) {
    return [styled('yellow', 'parked'), `: the call waits for an approval until ${parked.expiresAt}`];
  }
  const word = approved ? styled('green', 'approved') : styled('red', 'not approved');
  return [word, ...(by === undefined ? [] : [` by ${by}`]), ...(reason === undefined ? [] : [`: ${reason}`])];
};

const TIME_WIDTH = 10;

export class MessageRenderer {
  readonly #about = new RecentMap<About>();
  readonly #isFull: boolean;

  constructor(isFull = false) {
    this.#isFull = isFull;
  }

  line({ at, message }: Pick<SessionEntry, 'at' | 'message'>): TextLine {
    const requested = aboutOf(message, this.#isFull);
    if (requested !== undefined) this.#about.set(message.correlationId, requested);
    const about = requested ?? this.#about.get(message.correlationId);
    return [styled('dim', padTo(`${(at / 1_000).toFixed(3)} s`, TIME_WIDTH)), ...describe(message, about)];
  }
}

export type TapLine =
  | { readonly kind: 'header'; readonly pid?: number; readonly name?: string }
  | { readonly kind: 'entry'; readonly entry: SessionEntry }
  | { readonly kind: 'dropped'; readonly count: number }
  | { readonly kind: 'problem'; readonly message: string };

const headerOf = (text: string): TapLine => {
  const header = parseHeader(text);
  if (!header.ok) return { kind: 'problem', message: header.message };
  const raw = parseJson(text);
  const { pid, name } = raw.ok && isRecord(raw.value) ? raw.value : {};
  return {
    kind: 'header',
    ...(typeof pid === 'number' ? { pid } : {}),
    ...(typeof name === 'string' ? { name } : {}),
  };
};

const droppedIn = (text: string): number | undefined => {
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
    if (number === 1) return headerOf(text);
    const count = droppedIn(text);
    if (count !== undefined) return { kind: 'dropped', count };
    const parsed = parseEntry(text, number);
    return parsed.ok ? { kind: 'entry', entry: parsed.entry } : { kind: 'problem', message: parsed.message };
  }
}

export async function* tapLines(socket: Socket, signal?: AbortSignal): AsyncGenerator<TapLine> {
  const reader = new TapLineReader();
  const stopListening = signal && onAbort(signal, () => socket.destroy());
  if (signal?.aborted) socket.destroy();
  try {
    for await (const piece of socket) if (Buffer.isBuffer(piece)) yield* reader.push(piece);
  } catch (error) {
    if (!socket.destroyed) throw error;
  } finally {
    stopListening?.();
  }
}
