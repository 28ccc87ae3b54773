import { HookwrightError } from '../../errors.ts';
import { encodeMessage } from '../../events/index.ts';
import { describeThrown, isRecord, shorten } from '../../kit/index.ts';
import {
  type AnswerMessage,
  eventIn,
  exchanges,
  type HookMessage,
  type HookOutput,
  isAnswerType,
  isBlocking,
  isRequestType,
  MessageBusType,
  type QuestionType,
  REQUESTER_GRACE_MS,
  replyTypes,
} from '../../protocol/index.ts';
import { asBytes, type Incoming, type Link, readJson } from './link.ts';
import type { NatsStats } from './nats-options.ts';
import type { Address, NatsSubjects } from './subjects.ts';

export interface HostParts {
  readonly id: string;
  readonly link: Link;
  readonly subjects: NatsSubjects;
  readonly report: (error: HookwrightError) => void;
  /** A question came to this host alone. */
  readonly direct: (incoming: Incoming) => void;
  /** Another host of the group says what it runs. */
  readonly noteConfig: (host: string, config: string | undefined) => void;
}

const isDuplicate = (message: HookMessage): boolean =>
  'error' in message && message.error?.code === 'duplicate_request';

const timeoutIn = (message: unknown): number =>
  isRecord(message) && typeof message.timeoutMs === 'number' ? message.timeoutMs : Number.POSITIVE_INFINITY;

/** What a process does that answers: it says what it took, where answers go, and that it is still there. */
export class HostSide {
  readonly #parts: HostParts;
  readonly #addressees = new Addressees();
  /** Taken in this turn, and not yet said: what is answered in the same turn needs no word about it. */
  #untold: Address[] = [];
  #ends: (() => void)[] = [];
  #config: string | undefined;
  #duplicates = 0;
  #late = 0;
  #answered = 0;

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  get counts(): Pick<NatsStats, 'owed' | 'answered' | 'duplicates' | 'late'> {
    return { owed: this.#addressees.owed, answered: this.#answered, duplicates: this.#duplicates, late: this.#late };
  }

  /** Answers are asked for here from now on. */
  start(): void {
    if (this.#ends.length > 0) return;
    const { id, link, subjects } = this.#parts;
    this.#ends = [
      link.subscribe(subjects.toHost(id), (incoming) => this.#addressed(incoming)),
      link.subscribe(subjects.hosts(), ({ data }) => this.#announced(readJson(data))),
      link.subscribe(subjects.who(), ({ reply }) => {
        if (subjects.isCallers(reply)) this.#say(reply, { host: id });
      }),
    ];
  }

  /** Tells the other hosts of the group what this one runs. */
  announce(config: string): void {
    this.#config = config;
    this.#say(this.#parts.subjects.hosts(), { host: this.#parts.id, config });
  }

  /**
   * A request was delivered to a server, or to a watcher that may answer.
   *
   * @returns false if it was delivered before.
   */
  took(incoming: Incoming, type: QuestionType, message: unknown, isOurs: boolean): boolean {
    const { subjects } = this.#parts;
    const address = subjects.addressIn(incoming.subject, incoming.reply, replyTypes[type]);
    if (address === undefined || !isRecord(message) || typeof message.correlationId !== 'string') return true;
    if (isOurs && !this.#addressees.isFirst(address)) {
      this.#duplicates += 1;
      return false;
    }
    const expiresAt = performance.now() + timeoutIn(message) + REQUESTER_GRACE_MS;
    this.#addressees.add(message.correlationId, { ...address, expiresAt, isOurs });
    if (isOurs && isRequestType(type) && 'onLost' in message) this.#tellLater(address);
    return true;
  }

  /** Whether a request is cancelled by another process than its requester. */
  isStranger(correlationId: string, caller: string | undefined): boolean {
    return this.#addressees.isOfOthers(correlationId, caller);
  }

  /** Sends a response to its requester. */
  answer(type: MessageBusType, message: HookMessage): void {
    const { link, subjects, report } = this.#parts;
    const addressee = this.#addressees.take(message.correlationId, isDuplicate(message));
    if (addressee === undefined) {
      link.send(subjects.unaddressed(type), asBytes(encodeMessage(message)));
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
    link.send(subjects.answer(type, addressee), this.#bytesOf(type, message, addressee), { expiresAt });
  }

  #bytesOf(type: MessageBusType, message: HookMessage, { isOurs }: Addressee): Uint8Array {
    const { id, link, report } = this.#parts;
    const host = this.#config === undefined ? { id } : { id, config: this.#config };
    const signed = isOurs && isAnswerType(type) ? { ...message, host } : message;
    const bytes = asBytes(encodeMessage(signed));
    const limit = link.maxPayload;
    if (bytes.byteLength <= limit || !isAnswer(message)) return bytes;
    const short = shortAnswer(message, bytes.byteLength, limit);
    if ('error' in short) report(new HookwrightError('transport_failed', short.error?.message ?? ''));
    return asBytes(encodeMessage({ ...short, host }));
  }

  #tellLater(address: Address): void {
    if (this.#untold.length === 0) setImmediate(() => this.#tellTaken());
    this.#untold.push(address);
  }

  #tellTaken(): void {
    const { link, subjects, id, report } = this.#parts;
    const untold = this.#untold;
    this.#untold = [];
    try {
      for (const address of untold) {
        if (this.#addressees.owes(address.number)) link.send(subjects.taken(address), asBytes(id));
      }
    } catch (error) {
      report(new HookwrightError('transport_failed', `requests could not be confirmed: ${describeThrown(error)}`));
    }
  }

  /** `alive`: which of these does this host not work on? `ask`: a question to this host and no other. */
  #addressed(incoming: Incoming): void {
    const { subjects, direct, report } = this.#parts;
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
    this.#say(incoming.reply, unknown);
  }

  /** Another host says what it runs. */
  #announced(said: unknown): void {
    const { subjects, id, noteConfig } = this.#parts;
    if (!isRecord(said) || typeof said.host !== 'string' || said.host === id) return;
    noteConfig(said.host, typeof said.config === 'string' ? said.config : undefined);
    // Who came later does not know what this one runs.
    if (said.isReply === true || this.#config === undefined) return;
    this.#say(subjects.hosts(), { host: id, config: this.#config, isReply: true });
  }

  #say(subject: string, value: unknown): void {
    try {
      this.#parts.link.send(subject, asBytes(JSON.stringify(value)));
    } catch (error) {
      const what = `a word to the others could not be sent: ${describeThrown(error)}`;
      this.#parts.report(new HookwrightError('transport_failed', what, { cause: error }));
    }
  }
}

const isAnswer = (message: HookMessage): message is Parameters<typeof shortAnswer>[0] => isAnswerType(message.type);

/** A question that came here, and where its answer has to go. */
interface Addressee extends Address {
  /** By `performance.now()`: an answer after that is not sent. */
  readonly expiresAt: number;
  /** Whether this process serves it, and owes an answer. */
  readonly isOurs: boolean;
}

/** This many unanswered requests are remembered, and at most twice as many. */
const REMEMBERED = 20_000;

/** Who asked what, until it is answered. Two callers may have chosen one id: the first answer belongs to the first. */
class Addressees {
  #current = new Map<string, Addressee[]>();
  #previous = new Map<string, Addressee[]>();
  /** Questions that were delivered here, so that a second delivery of one is known. */
  #seen = new Set<string>();
  #seenBefore = new Set<string>();
  #owed = new Set<string>();

  /** Those that this process owes an answer to. */
  get owed(): number {
    return this.#owed.size;
  }

  owes(number: string): boolean {
    return this.#owed.has(number);
  }

  /** @returns false when this very question was delivered before. */
  isFirst({ caller, number }: Address): boolean {
    const key = `${caller} ${number}`;
    if (this.#seen.has(key) || this.#seenBefore.has(key)) return false;
    if (this.#seen.size >= REMEMBERED) {
      this.#seenBefore = this.#seen;
      this.#seen = new Set();
    }
    this.#seen.add(key);
    return true;
  }

  add(id: string, addressee: Addressee): void {
    const known = this.#current.get(id) ?? this.#previous.get(id);
    if (addressee.isOurs) this.#owed.add(addressee.number);
    if (known === undefined) {
      if (this.#current.size >= REMEMBERED) this.#forgetOld();
      this.#current.set(id, [addressee]);
      return;
    }
    const index = known.findIndex(({ number, caller }) => number === addressee.number && caller === addressee.caller);
    if (index === -1) known.push(addressee);
    else if (addressee.isOurs) known[index] = addressee;
  }

  /** Whether a question was asked by others, as far as is known here. */
  isOfOthers(id: string, caller: string | undefined): boolean {
    const known = this.#current.get(id) ?? this.#previous.get(id);
    return known !== undefined && !known.some((addressee) => addressee.caller === caller);
  }

  /** Where a response has to go: a refusal as duplicate goes to the latest requester. */
  take(id: string, isRefusedDuplicate: boolean): Addressee | undefined {
    const known = this.#current.get(id) ?? this.#previous.get(id);
    const addressee = isRefusedDuplicate ? known?.pop() : known?.shift();
    if (known?.length === 0) {
      this.#current.delete(id);
      this.#previous.delete(id);
    }
    if (addressee !== undefined) this.#owed.delete(addressee.number);
    return addressee;
  }

  #forgetOld(): void {
    for (const one of [...this.#previous.values()].flat()) this.#owed.delete(one.number);
    this.#previous = this.#current;
    this.#current = new Map();
  }
}

const LONG = 2_000;

const shortText = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : shorten(text, LONG);

/** The verdict alone, where it is against something: that must not be lost with what makes the answer so long. */
const verdictOnly = (output: HookOutput | undefined): HookOutput | undefined => {
  if (output === undefined) return undefined;
  const isBlock = isBlocking(output.decision);
  const isStop = output.continue === false;
  if (!isBlock && !isStop) return undefined;
  const reason = shortText(output.reason);
  const stopReason = shortText(output.stopReason);
  return {
    ...(isBlock ? { decision: 'deny' } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(isStop ? { continue: false } : {}),
    ...(stopReason === undefined ? {} : { stopReason }),
  };
};

/** In place of an answer that is too long for the broker: why, and a block where there is one. */
const shortAnswer = (answer: AnswerMessage, bytes: number, limit: number): AnswerMessage => {
  const message = `the answer has ${bytes} bytes, and the broker takes at most ${limit} (max_payload)`;
  const error = { code: 'transport_failed', message, details: { bytes, limit } } as const;
  const exchange = Object.values(exchanges).find(({ answer: type }) => type === answer.type);
  const refusal = exchange?.refusal(eventIn(answer), answer.correlationId, error) ?? answer;
  if (refusal.type !== MessageBusType.HOOK_EXECUTION_RESPONSE || !('output' in answer)) return refusal;
  const output = verdictOnly(answer.output);
  return output === undefined ? refusal : { ...refusal, result: { ...refusal.result, finalOutput: output }, output };
};
