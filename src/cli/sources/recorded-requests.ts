/** Finds requests in a recorded session, with their responses and traces. */
import { isRecord, textOf } from '../../kit/index.ts';
import {
  type HookMessage,
  isAnswer,
  isRequest,
  MessageBusType,
  type RequestMessage,
  readEventName,
  readPayload,
} from '../../protocol/index.ts';
import type { Session } from '../../sessions/index.ts';
import { isBlockedOrParked } from '../../triggers/index.ts';
import type { AnsweredEvent } from '../rendering/fired-lines.ts';
import { formatConfirmation } from '../rendering/message-lines.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { toTerminal } from '../rendering/text.ts';
import { findVerdict } from '../rendering/verdict-text.ts';
import { NotFoundError } from '../usage-error.ts';

export interface RecordedRequest extends AnsweredEvent {
  readonly line: number;
  readonly file?: string | undefined;
  readonly request: RequestMessage;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** `request` is `last`, a correlation id or a line number. By default, the last refused request is selected. */
export interface RequestSelector {
  readonly request: string | undefined;
  readonly event?: string | undefined;
  readonly tool?: string | undefined;
  readonly denied?: boolean | undefined;
}

const readToolName = (request: RequestMessage): string | undefined => textOf(readPayload(request).tool_name);

const isWanted = (request: RequestMessage, line: number, { request: wish, event, tool }: RequestSelector): boolean => {
  if (wish !== undefined && wish !== 'last') return request.correlationId === wish || String(line) === wish;
  if (event !== undefined && readEventName(request) !== event) return false;
  return tool === undefined || readToolName(request) === tool;
};

interface ScannedRequest {
  readonly line: number;
  readonly file: string | undefined;
  readonly request: RequestMessage;
  readonly messages: HookMessage[];
  readonly isWanted: boolean;
  isAnswered: boolean;
}

/** While a request is open, requests with its id are refused: every other message is about the first one. */
interface OpenRequest {
  readonly first: ScannedRequest;
  readonly refused: ScannedRequest[];
}

const findRecipient = ({ first, refused }: OpenRequest, message: HookMessage): ScannedRequest =>
  (isAnswer(message) && message.error?.code === 'duplicate_request' ? refused.shift() : undefined) ?? first;

const toRecordedRequest = ({ line, file, request, messages }: ScannedRequest): RecordedRequest => {
  const trace = messages.find((message) => message.type === MessageBusType.HOOK_EXECUTION_TRACE);
  return {
    line,
    file,
    request,
    eventName: readEventName(request),
    subject: trace?.subject ?? readToolName(request),
    response: messages.find(isAnswer),
    trace,
    confirmation: describeConfirmations(request, messages),
    payload: readPayload(request),
  };
};

const describeConfirmations = (request: RequestMessage, messages: readonly HookMessage[]): string | undefined => {
  const { approval } = readPayload(request);
  const resumed = isRecord(approval) ? [`a parked call, approved by ${String(approval.by)}`] : [];
  const said = messages.flatMap((message) => {
    if (message.type !== MessageBusType.HOOK_CONFIRMATION_RESPONSE) return [];
    const { parked, reason } = message;
    return parked === undefined ? (reason ?? []) : toTerminal([formatConfirmation(message)], false).trim();
  });
  return [...resumed, ...said].join('; then ') || undefined;
};

const isRefusal = (message: HookMessage): boolean =>
  message.type === MessageBusType.HOOK_EXECUTION_RESPONSE &&
  isBlockedOrParked(findVerdict(message.eventName, message.output)) &&
  message.error === undefined;

const isRefusedConfirmation = (message: HookMessage): boolean =>
  message.type === MessageBusType.HOOK_CONFIRMATION_RESPONSE && !message.approved;

export const isRefusedOrFailed = ({ response, trace }: RecordedRequest): boolean =>
  response?.error !== undefined ||
  (response !== undefined && isRefusal(response)) ||
  trace?.rows.some(({ outcome }) => outcome === 'faulted') === true;

const createMissingError = (
  session: Session,
  { request, event, tool }: RequestSelector,
  cwd: string,
): NotFoundError => {
  const what =
    request === undefined || request === 'last'
      ? `request${event === undefined ? '' : ` for ${event}`}${tool === undefined ? '' : ` about ${tool}`}`
      : `request ${JSON.stringify(request)}`;
  return new NotFoundError(
    `${shortenPath(session.file, cwd)} has no ${what}`,
    'hookwright replay shows what it has; a request is named by its correlation id or its line',
  );
};

const MAX_OPEN_REQUESTS = 1_000;

/** Yields each wanted request, and yields it again with each later message about it. */
async function* scanSession(
  session: Session,
  wish: RequestSelector,
): AsyncGenerator<{ readonly found: ScannedRequest; readonly message?: HookMessage }> {
  const open = new Map<string, OpenRequest>();
  for await (const { message, line, file } of session) {
    const { correlationId } = message;
    const earlier = open.get(correlationId);
    if (isRequest(message)) {
      const isRefused = earlier?.first.isAnswered === false;
      // An id names the request that hooks decided; a refused one is found by its line.
      const isOfInterest = isWanted(message, line, wish) && !(isRefused && wish.request === correlationId);
      const found = { line, file, request: message, messages: [], isWanted: isOfInterest, isAnswered: false };
      if (isRefused) earlier.refused.push(found);
      else open.set(correlationId, { first: found, refused: [] });
      const [oldest] = open.keys();
      if (open.size > MAX_OPEN_REQUESTS && oldest !== undefined) open.delete(oldest);
      if (isOfInterest) yield { found };
    } else if (earlier !== undefined) {
      const found = findRecipient(earlier, message);
      found.isAnswered ||= isAnswer(message);
      if (!found.isWanted) continue;
      found.messages.push(message);
      yield { found, message };
    }
  }
}

export const listRequests = async (session: Session, wish: RequestSelector): Promise<RecordedRequest[]> => {
  const all: ScannedRequest[] = [];
  for await (const { found, message } of scanSession(session, wish)) if (message === undefined) all.push(found);
  const wanted = wish.denied === true ? all.filter(({ messages }) => messages.some(isRefusal)) : all;
  return wanted.map(toRecordedRequest);
};

export const findRequest = async (session: Session, wish: RequestSelector, cwd: string): Promise<RecordedRequest> => {
  let last: ScannedRequest | undefined;
  let refused: ScannedRequest | undefined;
  for await (const { found, message } of scanSession(session, wish)) {
    if (message === undefined) last = found;
    else if (isRefusal(message) || isRefusedConfirmation(message)) refused = found;
  }
  const found = wish.request === undefined ? (refused ?? last) : last;
  if (found === undefined) throw createMissingError(session, wish, cwd);
  return toRecordedRequest(found);
};

export const listSessionProblems = (session: Session) =>
  session.problems.map(({ line, message, file, code }) => ({
    severity: 'warning' as const,
    message,
    code,
    file: file ?? session.file,
    line,
  }));
