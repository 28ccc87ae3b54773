import { isRecord } from '../../kit/index.ts';
import { eventIn, type HookMessage, MessageBusType } from '../../protocol/index.ts';
import type { SessionEntry } from '../../sessions/index.ts';
import { Remembered } from '../../sessions/index.ts';
import { contextOf } from '../arguments/payload.ts';
import { inputText, shortInput } from './input-text.ts';
import { counted } from './problem-lines.ts';
import { type Span, styled, type TextLine } from './text.ts';
import { answerPieces, took } from './verdict-text.ts';
import { padTo } from './width.ts';

type Pieces = readonly (string | Span)[];

const subjectIn = (payload: unknown): string => {
  if (!isRecord(payload)) return '';
  const { toolName, trigger } = contextOf(payload, undefined);
  const subject = toolName ?? trigger;
  return subject === undefined ? '' : ` ${subject}`;
};

/** What a request is about: its event, what matchers are compared with, and which of many it is. */
interface About {
  readonly title: string;
  readonly input?: string | undefined;
}

const aboutOf = (message: HookMessage, isFull: boolean): About | undefined => {
  if (message.type === MessageBusType.HOOK_EXECUTION_REQUEST) {
    const payload = message.payload ?? message.input;
    const title = `${message.eventName}${subjectIn(payload)}`;
    const of = isFull ? inputText : shortInput;
    return { title, input: of(message.eventName, payload) };
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
      return [about?.title ?? eventIn(message), ...inputPieces(about), ' → ', ...answerPieces(message)];
    case MessageBusType.HOOK_EXECUTION_CANCEL:
      return [`${about?.title ?? ''} cancelled`.trimStart()];
    case MessageBusType.HOOK_EXECUTION_TRACE: {
      if (message.rows.length > 0 && message.rows.every(({ background }) => background === true)) return [];
      const ran = message.rows.filter(({ planned }) => planned === 'run').length;
      const subject = message.subject === undefined ? '' : ` ${message.subject}`;
      return [styled('dim', `${message.eventName}${subject}: ${ran} of ${counted(message.rows.length, 'hook')} ran`)];
    }
    case MessageBusType.HOOK_STARTED:
      return [styled('dim', `  ${message.hookName} started (${message.position} of ${message.total})`)];
    case MessageBusType.HOOK_FINISHED: {
      const ending = `${message.outcome}${message.code === undefined ? '' : `: ${message.code}`}`;
      const span = message.outcome === 'faulted' ? styled('red', ending) : ending;
      return [`  ${message.hookName} `, span, `, ${took(message.durationMs)}`];
    }
    case MessageBusType.HOOK_SYSTEM_MESSAGE:
      return [`  ${message.hookName} says: ${message.message}`];
    case MessageBusType.HOOK_CONFIRMATION_REQUEST:
      return [styled('yellow', 'asks'), ` about ${message.toolName ?? message.eventName}: ${message.reason}`];
    case MessageBusType.HOOK_CONFIRMATION_RESPONSE:
      return [
        message.approved ? styled('green', 'approved') : styled('red', 'not approved'),
        ...(message.reason === undefined ? [] : [`: ${message.reason}`]),
      ];
    case MessageBusType.HOOKS_RELOADED: {
      const { added, removed, changed } = message;
      return [`hooks reloaded: ${added.length} added, ${removed.length} removed, ${changed.length} changed`];
    }
  }
};

const TIME_WIDTH = 10;

/** Tells messages, a line each, with the time since the beginning. What an answer is about is known from its request. */
export class Narrator {
  readonly #about = new Remembered<About>();
  readonly #isFull: boolean;

  constructor(isFull = false) {
    this.#isFull = isFull;
  }

  line({ at, message }: Pick<SessionEntry, 'at' | 'message'>): TextLine {
    const asked = aboutOf(message, this.#isFull);
    if (asked !== undefined) this.#about.set(message.correlationId, asked);
    const about = asked ?? this.#about.get(message.correlationId);
    return [styled('dim', padTo(`${(at / 1_000).toFixed(3)} s`, TIME_WIDTH)), ...describe(message, about)];
  }
}
