// Replays a session in `drive` mode: publishes its requests, and compares the new answers with the recorded ones.
import type { Bus } from '../../../bus/index.ts';
import { type ErrorCode, HookwrightError } from '../../../errors.ts';
import { appendToPath, describeThrown, isRecord, omitUndefined, textOf, toPlain } from '../../../kit/index.ts';
import {
  type AnswerMessage,
  answerTypes,
  exchanges,
  getRequesterTimeoutMs,
  isAnswer,
  isRequest,
  MessageBusType,
  type RequestMessage,
  readEventName,
  readPayload,
} from '../../../protocol/index.ts';
import { isEqualAsShortened } from '../recording/encode-lines.ts';
import { hasRedactionMark, isEqualExceptMarks } from '../recording/redact.ts';
import { type EntryLocation, locateEntry, type SessionEntry } from '../session-format.ts';
import type { ReplayPair, ReplayPlayer, ReplayProblem } from './replay-player.ts';

/** A published request and its answers. The request message is not kept, since it may be large. */
interface DrivenRequest {
  readonly eventName: string;
  readonly location: EntryLocation;
  readonly redacted: readonly string[] | undefined;
  subject: string | undefined;
  recorded?: AnswerMessage;
  replayed?: AnswerMessage;
}

export interface DriveOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const readSubject = (request: RequestMessage): string | undefined => {
  const { tool_name, ability_id } = readPayload(request);
  return textOf(ability_id) ?? textOf(tool_name);
};

const toReplayPairs = ({ eventName, location, redacted, subject, recorded, replayed }: DrivenRequest): ReplayPair[] => {
  if (replayed === undefined) return [];
  const differences = recorded === undefined ? [] : findDifferences(recorded, replayed);
  const same = recorded !== undefined && differences.length === 0;
  return [omitUndefined({ eventName, subject, ...location, recorded, replayed, same, differences, redacted })];
};

export class DrivePlayer implements ReplayPlayer {
  readonly #bus: Bus;
  readonly #options: DriveOptions;
  readonly #driven: DrivenRequest[] = [];
  readonly #byEntry = new WeakMap<SessionEntry, DrivenRequest>();
  readonly #unpaired = new Map<string, DrivenRequest[]>();
  readonly #problems: ReplayProblem[] = [];

  constructor(bus: Bus, options: DriveOptions) {
    this.#bus = bus;
    this.#options = options;
  }

  takes(entry: SessionEntry): boolean {
    const { message } = entry;
    const { correlationId } = message;
    if (isRequest(message)) {
      const { redacted } = entry;
      const driven: DrivenRequest = {
        eventName: readEventName(message),
        location: locateEntry(entry),
        redacted,
        subject: readSubject(message),
      };
      this.#driven.push(driven);
      this.#byEntry.set(entry, driven);
      this.#unpaired.set(correlationId, [...(this.#unpaired.get(correlationId) ?? []), driven]);
      return true;
    }
    if (message.type === MessageBusType.HOOK_EXECUTION_TRACE) {
      const [driven] = this.#unpaired.get(correlationId) ?? [];
      if (driven !== undefined) driven.subject = message.subject;
    }
    if (isAnswer(message)) this.#pair(message);
    return false;
  }

  /** Of two requests with the same id, the first got the answer, and the second was refused as a duplicate. */
  #pair(recorded: AnswerMessage): void {
    const { correlationId } = recorded;
    const waiting = this.#unpaired.get(correlationId);
    const driven = recorded.error?.code === 'duplicate_request' ? waiting?.pop() : waiting?.shift();
    if (driven !== undefined) driven.recorded = recorded;
    if (waiting?.length === 0) this.#unpaired.delete(correlationId);
  }

  async play(entry: SessionEntry): Promise<void> {
    const { message } = entry;
    const driven = this.#byEntry.get(entry);
    if (driven === undefined || !isRequest(message)) return;
    const { handledBy: _handledBy, ...recorded } = message;
    const request: RequestMessage = { ...recorded, correlationId: this.#bus.createCorrelationId() };
    const replayed = await this.#request(request, driven.location);
    if (entry.shortened !== undefined && replayed.error?.code === 'validation_failure') {
      const problem = `the request was cut when it was recorded and cannot be replayed: ${replayed.error.message}`;
      this.#problems.push({ ...driven.location, code: 'invalid-message', message: problem });
    } else driven.replayed = toRecordedForm(replayed);
  }

  async #request(request: RequestMessage, location: EntryLocation): Promise<AnswerMessage> {
    const { timeoutMs, signal } = this.#options;
    const reportMissing = (code: ErrorCode, message: string): AnswerMessage => {
      const problem = `the request was not answered: ${message}`;
      this.#problems.push({ ...location, code: 'no-response', message: problem });
      return exchanges[request.type].refusal(readEventName(request), request.correlationId, { code, message });
    };
    if (!this.#bus.isHeard(request.type)) {
      return reportMissing('no_handler', `no engine listens for ${request.type} on this bus`);
    }
    const waitMs = timeoutMs ?? getRequesterTimeoutMs(request.timeoutMs);
    try {
      return await this.#bus.request(request, answerTypes[request.type], { timeoutMs: waitMs, signal });
    } catch (error) {
      const code = HookwrightError.is(error) ? error.code : 'internal_error';
      // Cancels the hooks of the request, since the replay no longer waits for their answer.
      const { correlationId } = request;
      this.#bus.publish({ type: MessageBusType.HOOK_EXECUTION_CANCEL, correlationId });
      if (signal?.aborted) throw error;
      return reportMissing(code, describeThrown(error));
    }
  }

  finish() {
    return Promise.resolve({ pairs: this.#driven.flatMap(toReplayPairs), problems: this.#problems });
  }

  end(): void {}
}

const MAX_DIFFERENCES = 100;

/** Fields of an answer that differ in every run. */
const IGNORED_PATHS_PATTERN =
  /^(?:correlationId|handledBy|result\.totalDuration|result\.hooks\[\d+\]\.duration_ms)$|^(?:error|result\.errors\[\d+\])\.details\.correlationId$/;

const isSameValue = (recorded: unknown, replayed: unknown): boolean => {
  if (Object.is(recorded, replayed)) return true;
  if (typeof recorded !== 'string') return false;
  if (typeof replayed === 'string' && isEqualAsShortened(recorded, replayed)) return true;
  if (!hasRedactionMark(recorded)) return false;
  // A redaction mark may have replaced a value of any type. A mark inside a text replaced only text.
  return typeof replayed === 'string' ? isEqualExceptMarks(recorded, replayed) : isEqualExceptMarks(recorded, '');
};

const collectDifferences = (recorded: unknown, replayed: unknown, path: string, differences: string[]): void => {
  if (differences.length >= MAX_DIFFERENCES || IGNORED_PATHS_PATTERN.test(path)) return;
  if (Array.isArray(recorded) && Array.isArray(replayed)) {
    const length = Math.max(recorded.length, replayed.length);
    for (let index = 0; index < length; index += 1) {
      collectDifferences(recorded[index], replayed[index], appendToPath(path, index), differences);
    }
  } else if (isRecord(recorded) && isRecord(replayed)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(replayed)]))
      collectDifferences(recorded[key], replayed[key], appendToPath(path, key), differences);
  } else if (!isSameValue(recorded, replayed)) {
    differences.push(path);
  }
};

export const toRecordedForm = (response: AnswerMessage): AnswerMessage => {
  const plain: unknown = JSON.parse(JSON.stringify(toPlain(response)));
  return isAnswerLike(plain) ? plain : response;
};

const isAnswerLike = (value: unknown): value is AnswerMessage => isRecord(value) && 'result' in value;

const findDifferences = (recorded: AnswerMessage, replayed: AnswerMessage): string[] => {
  const differences: string[] = [];
  collectDifferences(recorded, replayed, '', differences);
  return differences;
};
