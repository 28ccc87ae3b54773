import type { ErrorCode } from '../../errors.ts';
import { catalogue, createHookOutput, isHookEventName } from '../../events/index.ts';
import type { AnyHookTranslator } from '../../models/index.ts';
import {
  type AnswerMessage,
  eventIn,
  exchanges,
  type HookOutput,
  MessageBusType,
  type OnLost,
  REQUESTER_GRACE_MS,
  type RequestMessage,
} from '../../protocol/index.ts';

/** What is asked of hosts, and who cares for it. */
export interface HostRequest {
  readonly number: string;
  readonly request: RequestMessage;
  readonly wish: OnLost | 'event';
  readonly askedAt: number;
  /** From `askedAt` on; without end where the request has no deadline. */
  readonly timeoutMs: number;
  readonly isSecond: boolean;
  /** Which of all questions of this process it is. */
  readonly order: number;
  /** Who took it. */
  host: string | undefined;
  heardAt: number;
  pingedAt: number;
}

interface AskedOwner {
  /** Asks a host whether it still works on these. */
  ping(host: string, numbers: readonly string[]): void;
  /** Asks all hosts whether they are there, after everything that was asked up to now. */
  callRoll(order: number): void;
  lost(question: HostRequest, loss: LostRequest): void;
}

const TICK_MS = 50;
/** So much later than it was due, a look would be at old news. */
const LATE_MS = 100;
const PING_MS = 250;
/** How soon, and how often, hosts are asked whether they are there while a request is unclaimed. */
const ROLL_CALL_MS = 1_000;
/** Which part of a deadline may pass in silence; what is left is for a second host, or for the caller. */
const PATIENCE = 0.8;

/** Questions that hosts were asked. Each is settled: by an answer, by the loss of its host, or by its deadline. */
export class RequestsInFlight {
  readonly #owner: AskedOwner;
  readonly #silenceMs: number;
  readonly #questions = new Map<string, HostRequest>();
  readonly #hosts = new KnownHosts();
  #order = 0;
  #calledAt = 0;
  #dueAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(owner: AskedOwner, silenceMs: number) {
    this.#owner = owner;
    this.#silenceMs = silenceMs;
  }

  get size(): number {
    return this.#questions.size;
  }

  /** With a host where that one alone is asked. */
  add(asked: Pick<HostRequest, 'number' | 'request' | 'wish' | 'isSecond' | 'host'>): void {
    const now = performance.now();
    const { timeoutMs = Number.POSITIVE_INFINITY } = asked.request;
    this.#order += 1;
    const times = { askedAt: now, timeoutMs, heardAt: now, pingedAt: now };
    this.#questions.set(asked.number, { ...asked, ...times, order: this.#order });
    if (this.#timer === undefined) this.#wait();
  }

  get(number: string): HostRequest | undefined {
    return this.#questions.get(number);
  }

  /** An answer came from a host. */
  answered(number: string, host: string | undefined): HostRequest | undefined {
    const question = this.settle(number);
    if (question !== undefined && host !== undefined) this.#hosts.heardOf(host, question.order);
    return question;
  }

  /** Removes an answered request. */
  settle(number: string): HostRequest | undefined {
    const question = this.#questions.get(number);
    if (!this.#questions.delete(number)) return undefined;
    if (this.#questions.size === 0) this.#stop();
    return question;
  }

  taken(number: string, host: string): void {
    const question = this.#questions.get(number);
    if (question === undefined) return;
    question.host = host;
    question.heardAt = performance.now();
    this.#hosts.heardOf(host, question.order);
  }

  /** A host that may be asked in place of one that was lost, as far as one is known. */
  otherThan(host: string | undefined): string | undefined {
    return this.#hosts.other(host, performance.now() - ROLL_CALL_MS);
  }

  /** A host says that it is there, after all questions up to one. */
  present(host: string, order: number): void {
    this.#hosts.heardOf(host, order);
  }

  /** A host answered a ping; it knows nothing of some questions that it took, so their answers will not come. */
  heard(host: string, unknown: readonly string[]): void {
    this.#hosts.heardOf(host, 0);
    for (const number of unknown) {
      const question = this.#questions.get(number);
      if (question?.host !== host) continue;
      this.fail(question, 'host_lost', `host ${host} took the request and knows nothing of it any more`);
    }
  }

  /** A host was gone before it could be asked. */
  neverThere(host: string): void {
    this.#hosts.gone(host);
  }

  /** A host no longer exists. */
  gone(host: string): void {
    this.#hosts.gone(host);
    for (const question of [...this.#questions.values()]) {
      if (question.host === host) this.fail(question, 'host_lost', `host ${host} ended while it worked on the request`);
    }
  }

  /** The broker lets none of these through. */
  refused(why: string): void {
    for (const question of [...this.#questions.values()]) {
      if (question.host === undefined) this.fail(question, 'transport_failed', why);
    }
  }

  fail(question: HostRequest, code: ErrorCode, message: string): void {
    if (this.settle(question.number) === undefined) return;
    const { host } = question;
    this.#owner.lost(question, { code, message, ...(host === undefined ? {} : { details: { host } }) });
  }

  close(): void {
    this.#questions.clear();
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#dueAt = performance.now() + TICK_MS;
    this.#timer = setTimeout(this.#tick, TICK_MS);
  }

  readonly #tick = (): void => {
    // A process that was suspended has to read first what came meanwhile.
    if (performance.now() - this.#dueAt > LATE_MS) setImmediate(() => this.#lookAtAll());
    else this.#lookAtAll();
  };

  #lookAtAll(): void {
    const now = performance.now();
    const due = new Map<string, string[]>();
    let isUntaken = false;
    for (const question of [...this.#questions.values()]) {
      this.#look(question, now, due);
      if (question.host === undefined && now - question.heardAt >= ROLL_CALL_MS) isUntaken = true;
    }
    for (const [host, numbers] of due) this.#owner.ping(host, numbers);
    if (isUntaken && now - this.#calledAt >= ROLL_CALL_MS) {
      this.#calledAt = now;
      this.#owner.callRoll(this.#order);
    }
    if (this.#questions.size === 0) this.#timer = undefined;
    else this.#wait();
  }

  #look(question: HostRequest, now: number, due: Map<string, string[]>): void {
    const { timeoutMs, host, number } = question;
    const age = now - question.askedAt;
    const silence = Math.min(this.#silenceMs, timeoutMs * PATIENCE);
    const heardAt = host === undefined ? question.heardAt : Math.max(question.heardAt, this.#hosts.heardAt(host));
    const silentMs = Math.round(now - heardAt);
    if (age >= timeoutMs + REQUESTER_GRACE_MS * 0.9) {
      this.fail(question, 'deadline_exceeded', `no answer within ${timeoutMs} ms`);
    } else if (silentMs >= silence && host !== undefined) {
      this.fail(question, 'host_lost', `host ${host} took the request and was not heard of for ${silentMs} ms`);
    } else if (silentMs >= silence && host === undefined) {
      this.#lookForUntaken(question, silentMs, age >= timeoutMs * PATIENCE, now - silence);
    } else if (host !== undefined && now - question.pingedAt >= Math.min(PING_MS, timeoutMs / 5)) {
      question.pingedAt = now;
      const numbers = due.get(host);
      if (numbers === undefined) due.set(host, [number]);
      else numbers.push(number);
    }
  }

  /** Long at a busy host is not lost. */
  #lookForUntaken(question: HostRequest, silentMs: number, isUrgent: boolean, since: number): void {
    const where = this.#hosts.whereabouts(question.order, since);
    if (where === 'nowhere') {
      this.fail(question, 'host_lost', 'the host that was to take the request ended, and no other has it');
    } else if (where === 'unknown' || isUrgent) {
      this.fail(question, 'no_handler', `no host took the request within ${silentMs} ms`);
    }
  }
}

interface KnownHost {
  heardAt: number;
  /** It has got whatever came to it of all questions up to this one. */
  passed: number;
}

/**
 * Hosts that this process has heard of. What a broker has for one it gives in order: a host that took or said something that
 * came later has no earlier question before it any more.
 */
class KnownHosts {
  readonly #hosts = new Map<string, KnownHost>();

  heardOf(host: string, passed: number): void {
    const heardAt = performance.now();
    const known = this.#hosts.get(host);
    if (known === undefined) this.#hosts.set(host, { heardAt, passed });
    else {
      known.heardAt = heardAt;
      known.passed = Math.max(known.passed, passed);
    }
  }

  gone(host: string): void {
    this.#hosts.delete(host);
  }

  /** By `performance.now()`; never is 0. */
  heardAt(host: string): number {
    return this.#hosts.get(host)?.heardAt ?? 0;
  }

  /** One that was heard of since, and is not that one. */
  other(host: string | undefined, since: number): string | undefined {
    return [...this.#hosts].find(([name, { heardAt }]) => name !== host && heardAt >= since)?.[0];
  }

  /** Whether an unclaimed request is still queued at a live host, at none, or cannot be told. */
  whereabouts(order: number, since: number): 'waiting' | 'nowhere' | 'unknown' {
    const heard = [...this.#hosts.values()].filter(({ heardAt }) => heardAt >= since);
    if (heard.length === 0) return 'unknown';
    return heard.some(({ passed }) => passed < order) ? 'waiting' : 'nowhere';
  }
}

type Verdict = Exclude<OnLost, 'retry'>;

const outputs: { readonly [Wish in Verdict]: (reason: string) => HookOutput | undefined } = {
  deny: (reason) => ({ decision: 'deny', reason, hookSpecificOutput: { onFault: true } }),
  // Marked, because an `ask` that stands for a fault denies where no person can be asked.
  ask: (reason) => ({ decision: 'ask', reason, hookSpecificOutput: { onFault: true } }),
  none: () => undefined,
};

/** What a loss comes to; after another host was asked in vain it is what the event says. */
const verdictFor = (eventName: string, wish: OnLost | 'event'): Verdict => {
  if (wish !== 'retry' && wish !== 'event') return wish;
  return (isHookEventName(eventName) ? catalogue[eventName].onLost : undefined) ?? 'none';
};

export interface LostRequest {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The answer to a request that no host answered: an error, and the verdict that its requester wants in that case. */
export const lostAnswer = (
  request: RequestMessage,
  wish: OnLost | 'event',
  loss: LostRequest,
  translator?: AnyHookTranslator,
): AnswerMessage => {
  const { type, correlationId } = request;
  const eventName = eventIn(request);
  const refusal = exchanges[type].refusal(eventName, correlationId, loss);
  if (refusal.type !== MessageBusType.HOOK_EXECUTION_RESPONSE || !isHookEventName(eventName)) return refusal;
  const verdict = verdictFor(eventName, wish);
  const given = outputs[verdict](
    `No hook host answered, so it ${verdict === 'ask' ? 'asks' : 'is denied'}: ${loss.message}`,
  );
  if (given === undefined) return refusal;
  const output = createHookOutput(eventName, given, translator);
  return { ...refusal, result: { ...refusal.result, finalOutput: output, allOutputs: [given] }, output };
};
