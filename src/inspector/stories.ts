/** The requests that the inspector shows, put together from the messages of their ids. */
import { catalogue, createHookOutput, type HookEventName, isHookEventName } from '../events/index.ts';
import { isRecord, textOf } from '../kit/index.ts';
import { defaultHookTranslator } from '../models/index.ts';
import {
  type AnswerMessage,
  eventIn,
  type HookExecutionTrace,
  type HookMessage,
  type HookOutput,
  type HookRow,
  MessageBusType,
  type MessageOf,
  type RequestMessage,
  type RowOutcome,
  type Verdict,
} from '../protocol/index.ts';
import type { SessionEntry } from '../sessions/index.ts';
import { decisionOf } from '../triggers/index.ts';

/** One hook's run in short: its name, how long it took, how it ended, and with which fault. */
export type RunInShort = readonly [name: string, ms: number, outcome: RowOutcome | 'running', code?: string];

/** A request in a list: small, because there may be ten thousand of them. */
export interface Summary {
  readonly id: string;
  /** Milliseconds since the beginning. */
  readonly at: number;
  readonly event: string;
  readonly subject?: string | undefined;
  /** The first words of what it is about. */
  readonly gist?: string | undefined;
  readonly state: 'running' | 'asking' | 'done';
  /** What was decided; `error` where there was no complete answer. */
  readonly verdict: Verdict | 'error';
  readonly reason?: string | undefined;
  readonly ms?: number | undefined;
  readonly runs: readonly RunInShort[];
  readonly skipped: number;
  /** What an `ask` became, if its question came over the bus. */
  readonly became?: Became | undefined;
}

/** What the question of a hook became. */
export type Became = 'waiting' | 'parked' | 'approved' | 'denied' | 'unanswered';

/** When a hook of a request ran, on the clock of the summaries. */
export interface HookInterval {
  readonly hookId: string;
  readonly name: string;
  readonly startedAt: number;
  readonly finishedAt?: number | undefined;
}

/** A question travels under an id of its own: it is a story beside that of the request it came from. */
export interface ConfirmStory {
  readonly eventName: string;
  readonly reason: string;
  readonly toolName?: string | undefined;
  readonly toolInput?: unknown;
  readonly expiresAt: string;
  readonly answer?: { readonly approved: boolean; readonly by?: string | undefined } | undefined;
}

/** All that is known of a request. */
export interface Story {
  readonly summary: Summary;
  readonly request?: RequestMessage | undefined;
  readonly answer?: AnswerMessage | undefined;
  readonly trace?: HookExecutionTrace | undefined;
  /** What each hook read, as far as it travels, in the order of the rows of the trace. */
  readonly inputs: readonly unknown[];
  readonly times: readonly HookInterval[];
  readonly messages: readonly { readonly hook: string; readonly message: string }[];
  readonly question?: ConfirmStory | undefined;
  /** The question that an `ask` led to, a story of its own. */
  readonly asked?: { readonly id: string; readonly by?: string | undefined } | undefined;
  /** Where it stands in the file of the session. */
  readonly line?: number | undefined;
  /** Paths where a mark stands instead of a secret. */
  readonly redacted: readonly string[];
}

interface Known {
  readonly id: string;
  readonly at: number;
  readonly line: number;
  endedAt?: number;
  request?: RequestMessage;
  answer?: AnswerMessage;
  trace?: HookExecutionTrace;
  question?: ConfirmStory;
  wasCancelled?: boolean;
  /** Why no person answered its `ask`, and what became of the call. */
  unanswered?: string;
  /** What became of its call, which was parked. */
  parked?: { readonly became: Became; readonly by?: string | undefined };
  /** The question that its `ask` led to; of a question, the request that led to it. */
  linked?: Known;
  readonly times: Map<string, HookInterval>;
  readonly finished: RunInShort[];
  readonly messages: { hook: string; message: string }[];
  readonly redacted: string[];
}

/** As many requests are kept; of more the oldest are let go, which is counted. */
const MAX_STORIES = 20_000;
const MAX_PARTS = 1_000;
/** Requests that wait for their question; a host that asks in its own way never sends one. */
const MAX_ASKED = 100;

const eventOf = ({ request, answer, trace, question }: Known): string => {
  const message = request ?? answer;
  if (message === undefined) return trace?.eventName ?? question?.eventName ?? '';
  return 'eventName' in message ? message.eventName : message.eventType;
};

/** What the event is about, as far as the request says it; the trace knows better. */
const subjectIn = (request: RequestMessage | undefined): string | undefined => {
  const fields = fieldsOf(request);
  if (fields === undefined) return undefined;
  return textOf(fields.tool_name) ?? textOf(fields.trigger) ?? textOf(fields.ability_id);
};

type Decided = Pick<Summary, 'verdict' | 'reason'>;

const decidedBy = (answer: AnswerMessage): Decided => {
  if (answer.error !== undefined) return { verdict: 'error', reason: `${answer.error.code}: ${answer.error.message}` };
  if (answer.type === MessageBusType.ABILITY_EVENT_RESPONSE) {
    const { error } = answer.result;
    return error === undefined ? { verdict: 'none' } : { verdict: 'deny', reason: `${error.code}: ${error.message}` };
  }
  const { eventName, output } = answer;
  if (output === undefined || !isHookEventName(eventName)) return { verdict: 'none' };
  const { verdict, reason } = decisionOf(createHookOutput(eventName, output));
  return { verdict, reason };
};

const runOf = ({ name, durationMs = 0, outcome = 'background', code }: HookRow): RunInShort =>
  code === undefined ? [name, durationMs, outcome] : [name, durationMs, outcome, code];

const runsOf = ({ trace, finished, times }: Known): readonly RunInShort[] => {
  if (trace !== undefined) return trace.rows.filter(({ outcome }) => outcome !== undefined).map(runOf);
  const running = [...times.values()].filter(({ finishedAt }) => finishedAt === undefined);
  return [...finished, ...running.map(({ name }): RunInShort => [name, 0, 'running'])];
};

const isOpen = ({ answer, expiresAt }: ConfirmStory): boolean =>
  answer === undefined && Date.parse(expiresAt) > Date.now();

const stateOf = ({ answer, question, wasCancelled }: Known): Summary['state'] => {
  if (wasCancelled === true) return 'done';
  if (question !== undefined) return isOpen(question) ? 'asking' : 'done';
  return answer === undefined ? 'running' : 'done';
};

const becameOf = ({ question, linked, unanswered, parked }: Known): Became | undefined => {
  if (parked !== undefined) return parked.became;
  const about = question ?? linked?.question;
  if (about === undefined) return unanswered === undefined ? undefined : 'unanswered';
  if (about.answer !== undefined) return about.answer.approved ? 'approved' : 'denied';
  return isOpen(about) ? 'waiting' : 'unanswered';
};

const decided = ({ answer, question }: Known): Decided => {
  if (answer !== undefined) return decidedBy(answer);
  if (question === undefined) return { verdict: 'none' };
  const verdict = question.answer === undefined ? 'ask' : question.answer.approved ? 'allow' : 'deny';
  return { verdict, reason: question.reason };
};

const summaryOf = (known: Known): Summary => {
  const { id, at, endedAt, request, trace, question } = known;
  const subject = trace?.subject ?? subjectIn(request) ?? question?.toolName;
  return {
    id,
    at,
    event: eventOf(known),
    subject,
    gist: gistOf(fieldsOf(request) ?? (isRecord(question?.toolInput) ? question.toolInput : undefined), subject),
    state: stateOf(known),
    ...decided(known),
    ms: trace?.durationMs ?? (endedAt === undefined ? undefined : endedAt - at),
    runs: runsOf(known),
    skipped: trace?.rows.filter(({ planned }) => planned === 'skip').length ?? 0,
    became: becameOf(known),
  };
};

/** Adds what a message says to what is known of its request. */
const add = (known: Known, message: HookMessage, at: number): void => {
  switch (message.type) {
    case MessageBusType.HOOK_EXECUTION_REQUEST:
    case MessageBusType.ABILITY_EVENT_REQUEST:
      known.request ??= message;
      break;
    case MessageBusType.HOOK_EXECUTION_RESPONSE:
    case MessageBusType.ABILITY_EVENT_RESPONSE:
      if (known.answer === undefined) known.endedAt = at;
      known.answer ??= message;
      break;
    case MessageBusType.HOOK_EXECUTION_TRACE: {
      // The end of a background hook is traced after its event.
      const isLater = message.rows.length > 0 && message.rows.every(({ background }) => background === true);
      if (!isLater || known.trace === undefined) known.trace = message;
      else known.trace = { ...known.trace, rows: [...known.trace.rows, ...message.rows] };
      break;
    }
    case MessageBusType.HOOK_EXECUTION_CANCEL:
      known.wasCancelled = true;
      break;
    case MessageBusType.HOOK_STARTED: {
      if (known.times.size >= MAX_PARTS) break;
      const { hookId, hookName: name, position } = message;
      known.times.set(`${hookId}#${position}`, { hookId, name, startedAt: at });
      break;
    }
    case MessageBusType.HOOK_FINISHED: {
      if (known.finished.length >= MAX_PARTS) break;
      const { hookId, hookName: name, position, outcome, code, durationMs } = message;
      const key = `${hookId}#${position}`;
      const started = known.times.get(key) ?? { hookId, name, startedAt: Math.max(known.at, at - durationMs) };
      known.times.set(key, { ...started, finishedAt: at });
      known.finished.push(code === undefined ? [name, durationMs, outcome] : [name, durationMs, outcome, code]);
      break;
    }
    case MessageBusType.HOOK_SYSTEM_MESSAGE:
      if (known.messages.length < MAX_PARTS) known.messages.push({ hook: message.hookName, message: message.message });
      break;
    case MessageBusType.HOOK_CONFIRMATION_REQUEST: {
      const { eventName, reason, toolName, toolInput, expiresAt } = message;
      known.question = { eventName, reason, toolName, toolInput, expiresAt };
      break;
    }
    case MessageBusType.HOOK_CONFIRMATION_RESPONSE:
      addConfirmation(known, message);
  }
};

const addConfirmation = (known: Known, message: MessageOf<typeof MessageBusType.HOOK_CONFIRMATION_RESPONSE>): void => {
  const { approved, by, park, parked } = message;
  if (parked !== undefined || park === true) {
    known.parked = { became: by === undefined || park === true ? 'parked' : approved ? 'approved' : 'denied', by };
  }
  if (parked !== undefined) return;
  if (known.question === undefined) {
    // Under the id of its request: no person answered, and the host says what became of the call.
    known.unanswered = message.reason ?? 'no person answered';
  } else {
    known.question = { ...known.question, answer: { approved, by } };
  }
};

export class Stories {
  readonly #known = new Map<string, Known>();
  /** Requests that ended in `ask` and whose question did not come yet. */
  readonly #asked: Known[] = [];
  /** How many of the oldest were let go. */
  forgotten = 0;

  get size(): number {
    return this.#known.size;
  }

  /** Takes in one message; returns the id of the request that it is about. */
  take({ at, line, message, redacted }: SessionEntry): string {
    const { correlationId: id } = message;
    const known = this.#known.get(id) ?? this.#begin({ id, at, line });
    add(known, message, at);
    for (const path of redacted ?? []) if (known.redacted.length < MAX_PARTS) known.redacted.push(path);
    this.#link(known, message);
    return id;
  }

  /** The request of a question, or the question of a request: it changes with the other. */
  linkedTo(id: string): string | undefined {
    return this.#known.get(id)?.linked?.id;
  }

  /** A question has an id of its own: it belongs to a request that just ended in `ask`, for the same reason about the same tool. */
  #link(known: Known, message: HookMessage): void {
    if (message.type === MessageBusType.HOOK_EXECUTION_RESPONSE && decided(known).verdict === 'ask') {
      this.#asked.push(known);
      if (this.#asked.length > MAX_ASKED) this.#asked.shift();
    }
    if (message.type !== MessageBusType.HOOK_CONFIRMATION_REQUEST || known.linked !== undefined) return;
    const { eventName, toolName, reason } = message;
    const candidates = this.#asked.filter(
      (one) => eventOf(one) === eventName && subjectIn(one.request) === toolName && decided(one).reason === reason,
    );
    const input = JSON.stringify(message.toolInput);
    const request =
      candidates.find((one) => JSON.stringify(fieldsOf(one.request)?.tool_input) === input) ?? candidates[0];
    if (request === undefined) return;
    this.#asked.splice(this.#asked.indexOf(request), 1);
    known.linked = request;
    request.linked = known;
  }

  #begin(start: Pick<Known, 'id' | 'at' | 'line'>): Known {
    if (this.#known.size >= MAX_STORIES) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
      this.forgotten += 1;
    }
    const known: Known = { ...start, times: new Map(), finished: [], messages: [], redacted: [] };
    this.#known.set(start.id, known);
    return known;
  }

  ids(): string[] {
    return [...this.#known.keys()];
  }

  /** How long its question can still be answered, if it is one. */
  openMs(id: string): number | undefined {
    const question = this.#known.get(id)?.question;
    return question !== undefined && isOpen(question) ? Date.parse(question.expiresAt) - Date.now() : undefined;
  }

  summary(id: string): Summary | undefined {
    const known = this.#known.get(id);
    return known === undefined ? undefined : summaryOf(known);
  }

  story(id: string): Story | undefined {
    const known = this.#known.get(id);
    if (known === undefined) return undefined;
    const { request, answer, trace, times, messages, question, line, redacted } = known;
    return {
      summary: summaryOf(known),
      request,
      answer,
      trace,
      inputs: inputsOf(request, trace, answer),
      times: [...times.values()],
      messages,
      question,
      asked: question === undefined ? askedOf(known) : undefined,
      ...(line === 0 ? {} : { line }),
      redacted,
    };
  }
}

/** A call that was parked has a question, though none may have come over the bus. */
const askedOf = ({ id, linked, parked }: Known): Story['asked'] =>
  linked === undefined && parked === undefined
    ? undefined
    : { id: linked?.id ?? id, by: parked?.by ?? linked?.question?.answer?.by };

type Fields = Record<string, unknown>;

/** What an event is about, as its request says it. */
const fieldsOf = (request: RequestMessage | undefined): Fields | undefined => {
  if (request === undefined) return undefined;
  const fields =
    request.type === MessageBusType.HOOK_EXECUTION_REQUEST ? (request.payload ?? request.input) : request.context;
  return isRecord(fields) ? fields : undefined;
};

const GIST = 160;

/** How deep the first words are searched; below that nothing identifies a request to a person. */
const DEPTH = 4;

const firstText = (value: unknown, depth: number): string | undefined => {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (typeof value !== 'object' || value === null || depth === 0) return undefined;
  for (const member of Object.values(value)) {
    const text = firstText(member, depth - 1);
    if (text !== undefined) return text;
  }
  return undefined;
};

/** The words that identify a request to a person: the command, the file, the prompt. */
const gistOf = (fields: Fields | undefined, subject: string | undefined): string | undefined => {
  const others = Object.entries(fields ?? {}).filter(([, value]) => value !== subject);
  const text = firstText(Object.fromEntries(others), DEPTH)?.replace(/\s+/g, ' ').trim();
  return text === undefined || text.length <= GIST ? text : `${text.slice(0, GIST)}…`;
};

const isFed = ({ outcome, code }: HookRow): boolean => outcome === 'answered' && code === undefined;

/** The members of a payload that hooks read; none if it is in the form of an unknown SDK. */
const readOf = <E extends HookEventName>(eventName: E, fields: Fields) => {
  const { read, toFields } = catalogue[eventName];
  const given = read(fields);
  if (!given.ok) return undefined;
  try {
    return toFields(given.payload, defaultHookTranslator);
  } catch {
    // It is shown as it travelled.
    return undefined;
  }
};

const inputsOfEvent = <E extends HookEventName>(
  eventName: E,
  fields: Fields,
  { mode, rows }: HookExecutionTrace,
  merged: HookOutput | undefined,
): readonly unknown[] => {
  const first = readOf(eventName, fields);
  if (first === undefined) return rows.map(() => ({ hook_event_name: eventName, ...fields }));
  const { feed } = catalogue[eventName];
  let input = first;
  return rows.map((row) => {
    if (row.outcome === undefined) return undefined;
    if (row.recheck === true) {
      const last = feed === undefined || merged === undefined ? first : feed(first, merged);
      return { hook_event_name: eventName, ...last, recheck: true };
    }
    const own = { hook_event_name: eventName, ...input };
    if (mode === 'sequential' && feed !== undefined && row.output !== undefined && isFed(row)) {
      input = feed(input, row.output);
    }
    return own;
  });
};

/**
 * What each hook of a trace read, in the order of its rows: in a sequence it is what the hooks before it made of the
 * event, and what was asked once more was asked with the end of it. Session, directories and time of day do not travel, so
 * they are not in it.
 */
const inputsOf = (
  request: RequestMessage | undefined,
  trace: HookExecutionTrace | undefined,
  answer: AnswerMessage | undefined,
): readonly unknown[] => {
  const fields = fieldsOf(request);
  if (request === undefined || trace === undefined || fields === undefined) return [];
  const eventName = eventIn(request);
  if (!isHookEventName(eventName)) return trace.rows.map(() => fields);
  const merged = answer?.type === MessageBusType.HOOK_EXECUTION_RESPONSE ? answer.output : undefined;
  return inputsOfEvent(eventName, fields, trace, merged);
};
