import type { ErrorCode } from '../../errors.ts';
import { type OnLost, REQUESTER_GRACE_MS, type RequestMessage } from '../../protocol/index.ts';
import type { Loss } from './lost.ts';

/** What is asked of hosts, and who cares for it. */
export interface Question {
  readonly number: string;
  readonly request: RequestMessage;
  readonly wish: OnLost | 'event';
  readonly askedAt: number;
  /** From `askedAt` on; without end where the request has no deadline. */
  readonly timeoutMs: number;
  readonly isSecond: boolean;
  /** Who took it. */
  host: string | undefined;
  heardAt: number;
  pingedAt: number;
}

export interface AskedOwner {
  /** Asks a host whether it still works on these. */
  ping(host: string, numbers: readonly string[]): void;
  lost(question: Question, loss: Loss): void;
}

const TICK_MS = 50;
const PING_MS = 250;
/** Which part of a deadline may pass in silence; what is left is for a second host, or for the caller. */
const PATIENCE = 0.8;

/** Questions that hosts were asked. Each is settled: by an answer, by the loss of its host, or by its deadline. */
export class Asked {
  readonly #owner: AskedOwner;
  readonly #silenceMs: number;
  readonly #questions = new Map<string, Question>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(owner: AskedOwner, silenceMs: number) {
    this.#owner = owner;
    this.#silenceMs = silenceMs;
  }

  get size(): number {
    return this.#questions.size;
  }

  add(asked: Pick<Question, 'number' | 'request' | 'wish' | 'isSecond'> & { readonly askedAt?: number }): void {
    const now = performance.now();
    const { timeoutMs = Number.POSITIVE_INFINITY } = asked.request;
    const question = {
      ...asked,
      askedAt: asked.askedAt ?? now,
      timeoutMs,
      host: undefined,
      heardAt: now,
      pingedAt: now,
    };
    this.#questions.set(asked.number, question);
    this.#timer ??= setTimeout(this.#tick, TICK_MS);
  }

  get(number: string): Question | undefined {
    return this.#questions.get(number);
  }

  /** An answer came. */
  settle(number: string): Question | undefined {
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
  }

  /** A host answered a ping; it knows nothing of some questions that it took, so their answers will not come. */
  heard(host: string, unknown: readonly string[]): void {
    const now = performance.now();
    for (const question of this.#questions.values()) if (question.host === host) question.heardAt = now;
    for (const number of unknown) {
      const question = this.#questions.get(number);
      if (question?.host !== host) continue;
      this.fail(question, 'host_lost', `host ${host} took the request and knows nothing of it any more`);
    }
  }

  /** A host is not there any more. */
  gone(host: string): void {
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

  fail(question: Question, code: ErrorCode, message: string): void {
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

  readonly #tick = (): void => {
    const now = performance.now();
    const due = new Map<string, string[]>();
    for (const question of [...this.#questions.values()]) this.#look(question, now, due);
    for (const [host, numbers] of due) this.#owner.ping(host, numbers);
    this.#timer = this.#questions.size === 0 ? undefined : setTimeout(this.#tick, TICK_MS);
  };

  #look(question: Question, now: number, due: Map<string, string[]>): void {
    const { timeoutMs, host, number } = question;
    const age = now - question.askedAt;
    const silence = Math.min(this.#silenceMs, timeoutMs * PATIENCE);
    const silentMs = Math.round(now - question.heardAt);
    if (age >= timeoutMs + REQUESTER_GRACE_MS * 0.9) {
      this.fail(question, 'deadline_exceeded', `no answer within ${timeoutMs} ms`);
    } else if (silentMs >= silence) {
      if (host === undefined) this.fail(question, 'no_handler', `no host took the request within ${silentMs} ms`);
      else this.fail(question, 'host_lost', `host ${host} took the request and was not heard of for ${silentMs} ms`);
    } else if (host !== undefined && now - question.pingedAt >= Math.min(PING_MS, timeoutMs / 5)) {
      question.pingedAt = now;
      const numbers = due.get(host);
      if (numbers === undefined) due.set(host, [number]);
      else numbers.push(number);
    }
  }
}
