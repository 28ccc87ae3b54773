// Joins the messages of a recording into decisions: each hook request with its answer and its trace.
import {
  type AnswerMessage,
  createMessageGuards,
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HookExecutionTrace,
  type HookMessage,
  isRequest,
  MessageBusType,
  type RequestMessage,
  readEventName,
} from '../../protocol/index.ts';
import { locateEntry } from '../index.ts';

export interface RecordedEntry {
  readonly line: number;
  readonly message: HookMessage;
  readonly file?: string;
  /** Paths of redacted secrets in the message. */
  readonly redacted?: readonly string[];
  readonly shortened?: readonly string[];
}

export interface BacktestProblem {
  readonly line?: number;
  readonly file?: string;
  readonly message: string;
}

export type RecordedSession = (AsyncIterable<RecordedEntry> | Iterable<RecordedEntry>) & {
  readonly problems?: readonly BacktestProblem[];
};

export interface RecordedExchange<Request = HookExecutionRequest, Answer = HookExecutionResponse> {
  readonly index: number;
  readonly line: number;
  readonly file?: string | undefined;
  readonly request: Request;
  readonly response: Answer;
  readonly trace: HookExecutionTrace | undefined;
  readonly isRedacted: boolean;
  /** True if a text of the request's `tool_input` is redacted or cut. */
  readonly isToolInputAltered: boolean;
  readonly isRequestShortened: boolean;
  /** True if the request, its trace or its response was cut. */
  readonly isShortened: boolean;
}

interface PendingExchange<Request, Answer> {
  readonly index: number;
  readonly entry: RecordedEntry;
  readonly request: Request;
  response?: Answer;
  trace?: HookExecutionTrace;
  isShortened: boolean;
  refused: number;
}

const MAX_PENDING_EXCHANGES = 20_000;

const MAX_EXCHANGES_WITHOUT_TRACE = 256;

const createExchange = <Request, Answer>(
  { index, entry, request, trace, isShortened }: PendingExchange<Request, Answer>,
  response: Answer,
): RecordedExchange<Request, Answer> => ({
  index,
  line: entry.line,
  file: entry.file,
  request,
  response,
  trace,
  isRedacted: entry.redacted !== undefined && entry.redacted.length > 0,
  isToolInputAltered: [...(entry.redacted ?? []), ...(entry.shortened ?? [])].some((path) =>
    /^(?:payload|input)\.tool_input\b/.test(path),
  ),
  isRequestShortened: wasShortened(entry),
  isShortened,
});

const removeOldest = <Key, Value>(map: Map<Key, Value>): Value | undefined => {
  const [oldest] = map;
  if (oldest !== undefined) map.delete(oldest[0]);
  return oldest?.[1];
};

export interface ExchangeGuards<Request, Answer> {
  readonly isRequest: (message: HookMessage) => message is HookMessage & Request;
  readonly isAnswer: (message: HookMessage) => message is HookMessage & Answer;
}

export const hookExchangeGuards: ExchangeGuards<HookExecutionRequest, HookExecutionResponse> = createMessageGuards(
  MessageBusType.HOOK_EXECUTION_REQUEST,
);

export interface CollectOptions<Request = HookExecutionRequest> {
  readonly accepts: (request: Request) => boolean;
  readonly onProblem: (problem: BacktestProblem) => void;
  /** Called for each request of the other kind: for an agent's events, of an ability's event. */
  readonly onOtherRequest?: () => void;
}

class ExchangeCollector<Request extends RequestMessage, Answer extends AnswerMessage> {
  readonly #pair: ExchangeGuards<Request, Answer>;
  readonly #options: CollectOptions<Request>;
  #requests = 0;
  readonly #pending = new Map<string, PendingExchange<Request, Answer>>();
  readonly #untraced = new Map<string, PendingExchange<Request, Answer> & { response: Answer }>();

  constructor(pair: ExchangeGuards<Request, Answer>, options: CollectOptions<Request>) {
    this.#pair = pair;
    this.#options = options;
  }

  add(entry: RecordedEntry): RecordedExchange<Request, Answer> | undefined {
    const { message } = entry;
    if (this.#pair.isRequest(message)) return this.#addRequest(entry, message);
    if (this.#pair.isAnswer(message)) return this.#addResponse(entry, message);
    if (isRequest(message)) this.#options.onOtherRequest?.();
    return message.type === MessageBusType.HOOK_EXECUTION_TRACE ? this.#addTrace(entry, message) : undefined;
  }

  #addRequest(entry: RecordedEntry, request: Request): RecordedExchange<Request, Answer> | undefined {
    const { correlationId } = request;
    const waiting = this.#pending.get(correlationId);
    if (waiting !== undefined) {
      waiting.refused += 1;
      return undefined;
    }
    const answered = this.#untraced.get(correlationId);
    this.#untraced.delete(correlationId);
    if (this.#options.accepts(request)) {
      const index = this.#requests;
      this.#requests += 1;
      this.#pending.set(correlationId, { index, entry, request, isShortened: wasShortened(entry), refused: 0 });
      if (this.#pending.size > MAX_PENDING_EXCHANGES) this.#giveUp(removeOldest(this.#pending));
    }
    return answered === undefined ? undefined : createExchange(answered, answered.response);
  }

  #addTrace(entry: RecordedEntry, trace: HookExecutionTrace): RecordedExchange<Request, Answer> | undefined {
    const { correlationId } = trace;
    const pending = this.#pending.get(correlationId) ?? this.#untraced.get(correlationId);
    if (pending === undefined || pending.trace !== undefined) return undefined;
    pending.trace = trace;
    pending.isShortened ||= wasShortened(entry);
    if (pending.response === undefined) return undefined;
    this.#untraced.delete(correlationId);
    return createExchange(pending, pending.response);
  }

  #addResponse(entry: RecordedEntry, response: Answer): RecordedExchange<Request, Answer> | undefined {
    const { correlationId, error } = response;
    const pending = this.#pending.get(correlationId);
    if (pending === undefined) return undefined;
    if (error?.code === 'duplicate_request' && pending.refused > 0) {
      pending.refused -= 1;
      return undefined;
    }
    this.#pending.delete(correlationId);
    pending.isShortened ||= wasShortened(entry);
    if (pending.trace !== undefined || error !== undefined) return createExchange(pending, response);
    this.#untraced.set(correlationId, { ...pending, response });
    if (this.#untraced.size <= MAX_EXCHANGES_WITHOUT_TRACE) return undefined;
    const oldest = removeOldest(this.#untraced);
    return oldest === undefined ? undefined : createExchange(oldest, oldest.response);
  }

  #giveUp(pending: PendingExchange<Request, Answer> | undefined): void {
    if (pending === undefined) return;
    const { entry, request } = pending;
    this.#options.onProblem({
      ...locateEntry(entry),
      message: `${readEventName(request)} was never answered in this recording and is not compared`,
    });
  }

  *end(): Generator<RecordedExchange<Request, Answer>> {
    for (const answered of this.#untraced.values()) yield createExchange(answered, answered.response);
    for (const pending of this.#pending.values()) this.#giveUp(pending);
  }
}

const wasShortened = ({ shortened }: RecordedEntry): boolean => shortened !== undefined && shortened.length > 0;

export async function* collectExchanges<Request extends RequestMessage, Answer extends AnswerMessage>(
  session: RecordedSession,
  pair: ExchangeGuards<Request, Answer>,
  options: CollectOptions<Request>,
): AsyncGenerator<RecordedExchange<Request, Answer>> {
  const collector = new ExchangeCollector(pair, options);
  for await (const entry of session) {
    const decision = collector.add(entry);
    if (decision !== undefined) yield decision;
  }
  yield* collector.end();
}

/** Returns `undefined` if the session can be iterated only once, because counting would use it up. */
export const countRequests = async (
  session: RecordedSession,
  accepts: CollectOptions['accepts'],
): Promise<number | undefined> => {
  const iterator = Symbol.asyncIterator in session ? session[Symbol.asyncIterator]() : session[Symbol.iterator]();
  if (Object.is(iterator, session)) return undefined;
  let count = 0;
  for await (const { message } of session) {
    if (message.type === MessageBusType.HOOK_EXECUTION_REQUEST && accepts(message)) count += 1;
  }
  return count;
};
