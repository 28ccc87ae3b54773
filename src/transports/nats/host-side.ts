/** The host's side of a broker: confirms received requests, sends heartbeats, and sends answers to their callers. */
import { HookwrightError } from '../../errors.ts';
import { encodeMessage } from '../../events/index.ts';
import { describeThrown, isRecord } from '../../kit/index.ts';
import {
  type HookMessage,
  isAnswer,
  isRequestType,
  type MessageBusType,
  type QuestionType,
  REQUESTER_GRACE_MS,
  replyTypes,
} from '../../protocol/index.ts';
import { ReceivedRequests, type ReplyAddress } from '../received-requests.ts';
import { createTooLargeAnswer } from '../stand-in-answers.ts';
import { type BrokerLink, type BrokerMessage, encodeText, readJson } from './link.ts';
import type { NatsStats } from './nats-options.ts';
import type { NatsSubjects } from './subjects.ts';

export interface HostSideDeps {
  readonly id: string;
  readonly link: BrokerLink;
  readonly subjects: NatsSubjects;
  readonly report: (error: HookwrightError) => void;
  readonly direct: (incoming: BrokerMessage) => void;
  readonly noteConfig: (host: string, config: string | undefined) => void;
}

const isDuplicate = (message: HookMessage): boolean =>
  'error' in message && message.error?.code === 'duplicate_request';

const readTimeoutMs = (message: unknown): number =>
  isRecord(message) && typeof message.timeoutMs === 'number' ? message.timeoutMs : Number.POSITIVE_INFINITY;

export class HostSide {
  readonly #deps: HostSideDeps;
  readonly #addressees = new ReceivedRequests();
  /** Confirmations are sent at the end of an event loop turn, and only for requests that are unanswered by then. */
  #unconfirmed: ReplyAddress[] = [];
  #ends: (() => void)[] = [];
  #config: string | undefined;
  #duplicates = 0;
  #late = 0;
  #answered = 0;

  constructor(deps: HostSideDeps) {
    this.#deps = deps;
  }

  get counts(): Pick<NatsStats, 'owed' | 'answered' | 'duplicates' | 'late'> {
    return { owed: this.#addressees.owed, answered: this.#answered, duplicates: this.#duplicates, late: this.#late };
  }

  start(): void {
    if (this.#ends.length > 0) return;
    const { id, link, subjects } = this.#deps;
    this.#ends = [
      link.subscribe(subjects.toHost(id), (incoming) => this.#addressed(incoming)),
      link.subscribe(subjects.hosts(), ({ data }) => this.#announced(readJson(data))),
      link.subscribe(subjects.who(), ({ reply }) => {
        if (subjects.isCallers(reply)) this.#send(reply, { host: id });
      }),
    ];
  }

  announce(config: string): void {
    this.#config = config;
    this.#send(this.#deps.subjects.hosts(), { host: this.#deps.id, config });
  }

  /** Returns `false` if the broker delivered the request a second time. */
  accepts(incoming: BrokerMessage, type: QuestionType, message: unknown, isOurs: boolean): boolean {
    const { subjects } = this.#deps;
    const address = subjects.addressIn(incoming.subject, incoming.reply, replyTypes[type]);
    if (address === undefined || !isRecord(message) || typeof message.correlationId !== 'string') return true;
    if (isOurs && !this.#addressees.isFirst(address)) {
      this.#duplicates += 1;
      return false;
    }
    const expiresAt = performance.now() + readTimeoutMs(message) + REQUESTER_GRACE_MS;
    this.#addressees.add(message.correlationId, { ...address, expiresAt, isOurs });
    if (isOurs && isRequestType(type) && 'onLost' in message) {
      if (this.#unconfirmed.length === 0) setImmediate(() => this.#confirm());
      this.#unconfirmed.push(address);
    }
    return true;
  }

  isForeign(correlationId: string, caller: string | undefined): boolean {
    return this.#addressees.isOfOthers(correlationId, caller);
  }

  answer(type: MessageBusType, message: HookMessage): void {
    const { link, subjects, report } = this.#deps;
    const addressee = this.#addressees.take(message.correlationId, isDuplicate(message));
    if (addressee === undefined) {
      link.send(subjects.unaddressed(type), encodeText(encodeMessage(message)));
      return;
    }
    if (addressee.expiresAt < performance.now()) {
      this.#late += 1;
      const what = `an answer to ${message.correlationId} came after its deadline and was not sent`;
      report(new HookwrightError('deadline_exceeded', what, { details: { correlationId: message.correlationId } }));
      return;
    }
    const { expiresAt, isOurs } = addressee;
    if (isOurs) this.#answered += 1;
    link.send(subjects.answer(type, addressee), this.#encode(message, isOurs), { expiresAt });
  }

  #encode(message: HookMessage, isOurs: boolean): Uint8Array {
    const { id, link, report } = this.#deps;
    const host = this.#config === undefined ? { id } : { id, config: this.#config };
    const signed = isOurs && isAnswer(message) ? { ...message, host } : message;
    const bytes = encodeText(encodeMessage(signed));
    const limit = link.maxPayload;
    if (bytes.byteLength <= limit || !isAnswer(message)) return bytes;
    const short = createTooLargeAnswer(message, bytes.byteLength, limit);
    if ('error' in short) report(new HookwrightError('transport_failed', short.error?.message ?? ''));
    return encodeText(encodeMessage({ ...short, host }));
  }

  #confirm(): void {
    const { link, subjects, id, report } = this.#deps;
    const addresses = this.#unconfirmed;
    this.#unconfirmed = [];
    try {
      for (const address of addresses) {
        if (this.#addressees.owes(address.number)) link.send(subjects.taken(address), encodeText(id));
      }
    } catch (error) {
      report(new HookwrightError('transport_failed', `requests could not be confirmed: ${describeThrown(error)}`));
    }
  }

  #addressed(incoming: BrokerMessage): void {
    const { subjects, direct, report } = this.#deps;
    const [, , what] = subjects.tokensOf(incoming.subject);
    if (what === 'ask') {
      direct(incoming);
      return;
    }
    const numbers = readJson(incoming.data);
    if (what !== 'alive' || !Array.isArray(numbers) || !subjects.isCallers(incoming.reply)) {
      report(new HookwrightError('invalid_message', `a word to this host cannot be used: ${incoming.subject}`));
      return;
    }
    const unknown = numbers.filter((number) => !this.#addressees.owes(String(number)));
    this.#send(incoming.reply, unknown);
  }

  #announced(announcement: unknown): void {
    const { subjects, id, noteConfig } = this.#deps;
    if (!isRecord(announcement) || typeof announcement.host !== 'string' || announcement.host === id) return;
    noteConfig(announcement.host, typeof announcement.config === 'string' ? announcement.config : undefined);
    // A host that joined later has not received the announcement of this host.
    if (announcement.isReply === true || this.#config === undefined) return;
    this.#send(subjects.hosts(), { host: id, config: this.#config, isReply: true });
  }

  #send(subject: string, value: unknown): void {
    try {
      this.#deps.link.send(subject, encodeText(JSON.stringify(value)));
    } catch (error) {
      const what = `a word to the others could not be sent: ${describeThrown(error)}`;
      this.#deps.report(new HookwrightError('transport_failed', what, { cause: error }));
    }
  }
}
