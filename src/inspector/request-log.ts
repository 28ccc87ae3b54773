/** Collects the messages of each request, and summarizes them for the inspector's page. */
import { catalogue, createHookOutput, type HookEventName, isHookEventName } from '../events/index.ts';
import { attempt, isRecord, textOf } from '../kit/index.ts';
import { defaultHookTranslator } from '../models/index.ts';
import {
  type AnswerMessage,
  type HookExecutionTrace,
  type HookMessage,
  type HookOutput,
  type HookRow,
  isRequestType,
  MessageBusType,
  type MessageOf,
  type RequestMessage,
  type RowOutcome,
  readEventName,
  type Verdict,
} from '../protocol/index.ts';
import type { SessionEntry } from '../sessions/index.ts';
import { toEventVerdict } from '../triggers/index.ts';

export type RunSummary = readonly [name: string, ms: number, outcome: RowOutcome | 'running', code?: string];

/** Summary of a request, kept small because the page may hold 20,000 summaries. */
export interface RequestSummary {
  readonly id: string;
  readonly at: number;
  readonly event: string;
  readonly subject?: string | undefined;
  /** Shortened text that identifies the request to a person: a command, a file or a prompt. */
  readonly gist?: string | undefined;
  readonly state: 'running' | 'asking' | 'done';
  /** `error` if the request failed or was not answered. */
  readonly verdict: Verdict | 'error';
  readonly reason?: string | undefined;
  readonly ms?: number | undefined;
  readonly runs: readonly RunSummary[];
  readonly skipped: number;
  /** The answer to an `ask`, if the host requested it over the bus. */
  readonly became?: AskOutcome | undefined;
}

export type AskOutcome = 'waiting' | 'parked' | 'approved' | 'denied' | 'unanswered';

export interface HookInterval {
  readonly hookId: string;
  readonly name: string;
  readonly startedAt: number;
  readonly finishedAt?: number | undefined;
}

/** A confirmation is published with an id of its own, so the page lists it as a separate request. */
export interface ConfirmationDetails {
  readonly eventName: string;
  readonly reason: string;
  readonly toolName?: string | undefined;
  readonly toolInput?: unknown;
  readonly expiresAt: string;
  readonly answer?: { readonly approved: boolean; readonly by?: string | undefined } | undefined;
}

export interface RequestDetails {
  readonly summary: RequestSummary;
  readonly request?: RequestMessage | undefined;
  readonly answer?: AnswerMessage | undefined;
  readonly trace?: HookExecutionTrace | undefined;
  /** Inputs of the hooks, in the order of the trace's rows; without session, folders and time, which the bus lacks. */
  readonly inputs: readonly unknown[];
  readonly times: readonly HookInterval[];
  readonly messages: readonly { readonly hook: string; readonly message: string }[];
  readonly question?: ConfirmationDetails | undefined;
  /** The confirmation by which a person answered an `ask` of this request. */
  readonly asked?: { readonly id: string; readonly by?: string | undefined } | undefined;
  readonly line?: number | undefined;
  readonly redacted: readonly string[];
}

interface LoggedRequest {
  readonly id: string;
  readonly at: number;
  readonly line: number;
  endedAt?: number;
  request?: RequestMessage;
  answer?: AnswerMessage;
  trace?: HookExecutionTrace;
  question?: ConfirmationDetails;
  wasCancelled?: boolean;
  unanswered?: string;
  parked?: { readonly became: AskOutcome; readonly by?: string | undefined };
  /** Links a request that ended in `ask` with its confirmation, in both directions. */
  linked?: LoggedRequest;
  readonly times: Map<string, HookInterval>;
  readonly finished: RunSummary[];
  readonly messages: { hook: string; message: string }[];
  readonly redacted: string[];
}

const MAX_LOGGED_REQUESTS = 20_000;
const MAX_LOGGED_ITEMS_PER_REQUEST = 1_000;
/** Limit of requests that wait for a confirmation. Hosts with a prompt of their own never publish confirmations. */
const MAX_UNCONFIRMED_REQUESTS = 100;

const findEventName = ({ request, answer, trace, question }: LoggedRequest): string => {
  const message = request ?? answer;
  if (message === undefined) return trace?.eventName ?? question?.eventName ?? '';
  return 'eventName' in message ? message.eventName : message.eventType;
};

/** Reads the subject of a request, such as a tool name. A trace has a more exact subject. */
const readSubject = (request: RequestMessage | undefined): string | undefined => {
  const fields = readFields(request);
  if (fields === undefined) return undefined;
  return textOf(fields.tool_name) ?? textOf(fields.trigger) ?? textOf(fields.ability_id);
};

type VerdictAndReason = Pick<RequestSummary, 'verdict' | 'reason'>;

const readDecision = (answer: AnswerMessage): VerdictAndReason => {
  if (answer.error !== undefined) return { verdict: 'error', reason: `${answer.error.code}: ${answer.error.message}` };
  if (answer.type === MessageBusType.ABILITY_EVENT_RESPONSE) {
    const { error } = answer.result;
    return error === undefined ? { verdict: 'none' } : { verdict: 'deny', reason: `${error.code}: ${error.message}` };
  }
  const { eventName, output } = answer;
  if (output === undefined || !isHookEventName(eventName)) return { verdict: 'none' };
  const { verdict, reason } = toEventVerdict(createHookOutput(eventName, output));
  return { verdict, reason };
};

type FinishedRun = Pick<HookRow, 'name' | 'durationMs' | 'outcome' | 'code'>;

const toRunSummary = ({ name, durationMs = 0, outcome = 'background', code }: FinishedRun): RunSummary =>
  code === undefined ? [name, durationMs, outcome] : [name, durationMs, outcome, code];

const listRuns = ({ trace, finished, times }: LoggedRequest): readonly RunSummary[] => {
  if (trace !== undefined) return trace.rows.filter(({ outcome }) => outcome !== undefined).map(toRunSummary);
  const running = [...times.values()].filter(({ finishedAt }) => finishedAt === undefined);
  return [...finished, ...running.map(({ name }): RunSummary => [name, 0, 'running'])];
};

const isAwaitingAnswer = ({ answer, expiresAt }: ConfirmationDetails): boolean =>
  answer === undefined && Date.parse(expiresAt) > Date.now();

const readRequestState = ({ answer, question, wasCancelled }: LoggedRequest): RequestSummary['state'] => {
  if (wasCancelled === true) return 'done';
  if (question !== undefined) return isAwaitingAnswer(question) ? 'asking' : 'done';
  return answer === undefined ? 'running' : 'done';
};

const readAskOutcome = ({ question, linked, unanswered, parked }: LoggedRequest): AskOutcome | undefined => {
  if (parked !== undefined) return parked.became;
  const about = question ?? linked?.question;
  if (about === undefined) return unanswered === undefined ? undefined : 'unanswered';
  if (about.answer !== undefined) return about.answer.approved ? 'approved' : 'denied';
  return isAwaitingAnswer(about) ? 'waiting' : 'unanswered';
};

const findDecision = ({ answer, question }: LoggedRequest): VerdictAndReason => {
  if (answer !== undefined) return readDecision(answer);
  if (question === undefined) return { verdict: 'none' };
  const verdict = question.answer === undefined ? 'ask' : question.answer.approved ? 'allow' : 'deny';
  return { verdict, reason: question.reason };
};

const summarizeRequest = (known: LoggedRequest): RequestSummary => {
  const { id, at, endedAt, request, trace, question } = known;
  const subject = trace?.subject ?? readSubject(request) ?? question?.toolName;
  return {
    id,
    at,
    event: findEventName(known),
    subject,
    gist: findGist(readFields(request) ?? (isRecord(question?.toolInput) ? question.toolInput : undefined), subject),
    state: readRequestState(known),
    ...findDecision(known),
    ms: trace?.durationMs ?? (endedAt === undefined ? undefined : endedAt - at),
    runs: listRuns(known),
    skipped: trace?.rows.filter(({ planned }) => planned === 'skip').length ?? 0,
    became: readAskOutcome(known),
  };
};

const addMessage = (known: LoggedRequest, message: HookMessage, at: number): void => {
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
      // Hooks in the background end after the event, and are reported in a second trace.
      const isLater = message.rows.length > 0 && message.rows.every(({ background }) => background === true);
      if (!isLater || known.trace === undefined) known.trace = message;
      else known.trace = { ...known.trace, rows: [...known.trace.rows, ...message.rows] };
      break;
    }
    case MessageBusType.HOOK_EXECUTION_CANCEL:
      known.wasCancelled = true;
      break;
    case MessageBusType.HOOK_STARTED: {
      if (known.times.size >= MAX_LOGGED_ITEMS_PER_REQUEST) break;
      const { hookId, hookName: name, position } = message;
      known.times.set(`${hookId}#${position}`, { hookId, name, startedAt: at });
      break;
    }
    case MessageBusType.HOOK_FINISHED: {
      if (known.finished.length >= MAX_LOGGED_ITEMS_PER_REQUEST) break;
      const { hookId, hookName: name, position, outcome, code, durationMs } = message;
      const key = `${hookId}#${position}`;
      const started = known.times.get(key) ?? { hookId, name, startedAt: Math.max(known.at, at - durationMs) };
      known.times.set(key, { ...started, finishedAt: at });
      known.finished.push(toRunSummary({ name, durationMs, outcome, code }));
      break;
    }
    case MessageBusType.HOOK_SYSTEM_MESSAGE:
      if (known.messages.length < MAX_LOGGED_ITEMS_PER_REQUEST)
        known.messages.push({ hook: message.hookName, message: message.message });
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

const addConfirmation = (
  known: LoggedRequest,
  message: MessageOf<typeof MessageBusType.HOOK_CONFIRMATION_RESPONSE>,
): void => {
  const { approved, by, park, parked } = message;
  if (parked !== undefined || park === true) {
    known.parked = { became: by === undefined || park === true ? 'parked' : approved ? 'approved' : 'denied', by };
  }
  if (parked !== undefined) return;
  if (known.question === undefined) {
    // The message has the id of the request, not of a confirmation: no person was asked.
    known.unanswered = message.reason ?? 'no person answered';
  } else {
    known.question = { ...known.question, answer: { approved, by } };
  }
};

export class RequestLog {
  readonly #known = new Map<string, LoggedRequest>();
  readonly #asked: LoggedRequest[] = [];
  /** Correlation id that was used again → id of its newest request here. */
  readonly #newest = new Map<string, string>();
  #reuses = 0;
  forgotten = 0;

  add({ at, line, message, redacted }: SessionEntry): string {
    const id = this.#findId(message);
    const known = this.#known.get(id) ?? this.#begin({ id, at, line });
    addMessage(known, message, at);
    for (const path of redacted ?? [])
      if (known.redacted.length < MAX_LOGGED_ITEMS_PER_REQUEST) known.redacted.push(path);
    this.#link(known, message);
    return id;
  }

  /** A host may use an id twice, such as that of a tool call for the event before the tool and the one after it. */
  #findId({ type, correlationId }: HookMessage): string {
    const newest = this.#newest.get(correlationId) ?? correlationId;
    if (!isRequestType(type) || this.#known.get(newest)?.answer === undefined) return newest;
    this.#reuses += 1;
    const id = `${correlationId} (reuse ${this.#reuses})`;
    this.#newest.set(correlationId, id);
    const [oldest] = this.#newest.keys();
    if (oldest !== undefined && this.#newest.size > MAX_LOGGED_REQUESTS) this.#newest.delete(oldest);
    return id;
  }

  linkedTo(id: string): string | undefined {
    return this.#known.get(id)?.linked?.id;
  }

  /** The ids of a request and its confirmation differ, so they are matched by event, tool and reason. */
  #link(known: LoggedRequest, message: HookMessage): void {
    if (message.type === MessageBusType.HOOK_EXECUTION_RESPONSE && findDecision(known).verdict === 'ask') {
      this.#asked.push(known);
      if (this.#asked.length > MAX_UNCONFIRMED_REQUESTS) this.#asked.shift();
    }
    if (message.type !== MessageBusType.HOOK_CONFIRMATION_REQUEST || known.linked !== undefined) return;
    const { eventName, toolName, reason } = message;
    const candidates = this.#asked.filter(
      (one) =>
        findEventName(one) === eventName &&
        readSubject(one.request) === toolName &&
        findDecision(one).reason === reason,
    );
    const input = JSON.stringify(message.toolInput);
    const request =
      candidates.find((one) => JSON.stringify(readFields(one.request)?.tool_input) === input) ?? candidates[0];
    if (request === undefined) return;
    this.#asked.splice(this.#asked.indexOf(request), 1);
    known.linked = request;
    request.linked = known;
  }

  #begin(start: Pick<LoggedRequest, 'id' | 'at' | 'line'>): LoggedRequest {
    if (this.#known.size >= MAX_LOGGED_REQUESTS) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
      this.forgotten += 1;
    }
    const known: LoggedRequest = { ...start, times: new Map(), finished: [], messages: [], redacted: [] };
    this.#known.set(start.id, known);
    return known;
  }

  ids(): string[] {
    return [...this.#known.keys()];
  }

  /** Milliseconds until a confirmation expires; `undefined` for other requests. */
  expiresInMs(id: string): number | undefined {
    const question = this.#known.get(id)?.question;
    return question !== undefined && isAwaitingAnswer(question)
      ? Date.parse(question.expiresAt) - Date.now()
      : undefined;
  }

  summary(id: string): RequestSummary | undefined {
    const known = this.#known.get(id);
    return known === undefined ? undefined : summarizeRequest(known);
  }

  details(id: string): RequestDetails | undefined {
    const known = this.#known.get(id);
    if (known === undefined) return undefined;
    const { request, answer, trace, times, messages, question, line, redacted } = known;
    return {
      summary: summarizeRequest(known),
      request,
      answer,
      trace,
      inputs: findInputs(request, trace, answer),
      times: [...times.values()],
      messages,
      question,
      asked: question === undefined ? findConfirmationState(known) : undefined,
      ...(line === 0 ? {} : { line }),
      redacted,
    };
  }
}

const findConfirmationState = ({ id, linked, parked }: LoggedRequest): RequestDetails['asked'] =>
  linked === undefined && parked === undefined
    ? undefined
    : { id: linked?.id ?? id, by: parked?.by ?? linked?.question?.answer?.by };

type PayloadFields = Record<string, unknown>;

const readFields = (request: RequestMessage | undefined): PayloadFields | undefined => {
  if (request === undefined) return undefined;
  const fields =
    request.type === MessageBusType.HOOK_EXECUTION_REQUEST ? (request.payload ?? request.input) : request.context;
  return isRecord(fields) ? fields : undefined;
};

const MAX_GIST_CHARACTERS = 160;

const MAX_GIST_DEPTH = 4;

const findFirstText = (value: unknown, depth: number): string | undefined => {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (typeof value !== 'object' || value === null || depth === 0) return undefined;
  for (const member of Object.values(value)) {
    const text = findFirstText(member, depth - 1);
    if (text !== undefined) return text;
  }
  return undefined;
};

const findGist = (fields: PayloadFields | undefined, subject: string | undefined): string | undefined => {
  const others = Object.entries(fields ?? {}).filter(([, value]) => value !== subject);
  const text = findFirstText(Object.fromEntries(others), MAX_GIST_DEPTH)?.replace(/\s+/g, ' ').trim();
  return text === undefined || text.length <= MAX_GIST_CHARACTERS ? text : `${text.slice(0, MAX_GIST_CHARACTERS)}…`;
};

const changesNextInput = ({ outcome, code }: HookRow): boolean => outcome === 'answered' && code === undefined;

/** `undefined` if the payload has the form of an SDK that the inspector does not know. */
const readPayload = <E extends HookEventName>(eventName: E, fields: PayloadFields) => {
  const { read, toFields } = catalogue[eventName];
  const given = read(fields);
  return given.ok ? attempt(() => toFields(given.payload, defaultHookTranslator)) : undefined;
};

const findEventInputs = <E extends HookEventName>(
  eventName: E,
  fields: PayloadFields,
  { mode, rows }: HookExecutionTrace,
  merged: HookOutput | undefined,
): readonly unknown[] => {
  const first = readPayload(eventName, fields);
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
    if (mode === 'sequential' && feed !== undefined && row.output !== undefined && changesNextInput(row)) {
      input = feed(input, row.output);
    }
    return own;
  });
};

/**
 * Returns the input that each hook read: in a sequence the input as earlier hooks changed it, in the second run of a
 * guard the final input.
 */
const findInputs = (
  request: RequestMessage | undefined,
  trace: HookExecutionTrace | undefined,
  answer: AnswerMessage | undefined,
): readonly unknown[] => {
  const fields = readFields(request);
  if (request === undefined || trace === undefined || fields === undefined) return [];
  const eventName = readEventName(request);
  if (!isHookEventName(eventName)) return trace.rows.map(() => fields);
  const merged = answer?.type === MessageBusType.HOOK_EXECUTION_RESPONSE ? answer.output : undefined;
  return findEventInputs(eventName, fields, trace, merged);
};
