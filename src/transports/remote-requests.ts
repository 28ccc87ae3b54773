/** Tracks unanswered requests to hosts, and which hosts are alive. */
import type { ErrorCode } from '../errors.ts';
import { type OnLost, REQUESTER_GRACE_MS, type RequestMessage } from '../protocol/index.ts';
import type { RequestLoss } from './stand-in-answers.ts';

export interface PendingRequest {
  readonly number: string;
  readonly request: RequestMessage;
  readonly onLost: OnLost | 'event';
  readonly sentAt: number;
  /** From `sentAt` on; infinity without a deadline. */
  readonly timeoutMs: number;
  /** Whether it was sent to another host before. */
  readonly isSecond: boolean;
  /** Its position among all requests of this process. */
  readonly order: number;
  /** The host that took it. */
  host: string | undefined;
  heardAt: number;
  pingedAt: number;
}

interface RemoteRequestsOwner {
  /** Sends request numbers to a host, which answers with those that it does not know. */
  ping(host: string, numbers: readonly string[]): void;
  /** Requests a heartbeat from all hosts, sent after all requests up to this one. */
  callRoll(order: number): void;
  lost(request: PendingRequest, loss: RequestLoss): void;
}

const TICK_MS = 50;
/** A timer this late was held up, for example in a suspended process: process the received messages first. */
const LATE_MS = 100;
const PING_MS = 250;
/** Interval of roll calls while a request is unclaimed. */
const ROLL_CALL_MS = 1_000;
/** The part of a deadline that may pass in silence; the rest is for a second host or for the caller. */
const PATIENCE = 0.8;

/** Settles each request: by an answer, by the loss of its host, or by its deadline. */
export class RemoteRequests {
  readonly #owner: RemoteRequestsOwner;
  readonly #silenceMs: number;
  readonly #requests = new Map<string, PendingRequest>();
  readonly #hosts = new KnownHosts();
  #order = 0;
  #calledAt = 0;
  #dueAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(owner: RemoteRequestsOwner, silenceMs: number) {
    this.#owner = owner;
    this.#silenceMs = silenceMs;
  }

  get size(): number {
    return this.#requests.size;
  }

  /** With `host` the request goes to that host only. */
  add(sent: Pick<PendingRequest, 'number' | 'request' | 'onLost' | 'isSecond' | 'host'>): PendingRequest {
    const now = performance.now();
    const { timeoutMs = Number.POSITIVE_INFINITY } = sent.request;
    this.#order += 1;
    const times = { sentAt: now, timeoutMs, heardAt: now, pingedAt: now };
    const pending = { ...sent, ...times, order: this.#order };
    this.#requests.set(sent.number, pending);
    if (this.#timer === undefined) this.#wait();
    return pending;
  }

  get(number: string): PendingRequest | undefined {
    return this.#requests.get(number);
  }

  /** Notes the answer of a host. */
  answered(number: string, host: string | undefined): PendingRequest | undefined {
    const pending = this.settle(number);
    if (pending !== undefined && host !== undefined) this.#hosts.heardOf(host, pending.order);
    return pending;
  }

  /** Removes an answered request. */
  settle(number: string): PendingRequest | undefined {
    const pending = this.#requests.get(number);
    if (!this.#requests.delete(number)) return undefined;
    if (this.#requests.size === 0) this.#stop();
    return pending;
  }

  taken(number: string, host: string): void {
    const pending = this.#requests.get(number);
    if (pending === undefined) return;
    pending.host = host;
    pending.heardAt = performance.now();
    this.#hosts.heardOf(host, pending.order);
  }

  /** A live host that can take over the request of a lost one. */
  otherThan(host: string | undefined): string | undefined {
    return this.#hosts.other(host, performance.now() - ROLL_CALL_MS);
  }

  /** Notes a heartbeat of a host that has received all requests up to `order`. */
  present(host: string, order: number): void {
    this.#hosts.heardOf(host, order);
  }

  /** Notes a ping's answer. Requests that the host took and no longer knows will not be answered. */
  heard(host: string, unknown: readonly string[]): void {
    this.#hosts.heardOf(host, 0);
    for (const number of unknown) {
      const pending = this.#requests.get(number);
      if (pending?.host !== host) continue;
      this.fail(pending, 'host_lost', `host ${host} took the request and knows nothing of it any more`);
    }
  }

  /** The host was gone before the request was sent. */
  neverThere(host: string): void {
    this.#hosts.gone(host);
  }

  /** The host no longer exists. */
  gone(host: string): void {
    this.#hosts.gone(host);
    for (const pending of [...this.#requests.values()]) {
      if (pending.host === host) this.fail(pending, 'host_lost', `host ${host} ended while it worked on the request`);
    }
  }

  /** The broker refuses all these requests. */
  refused(why: string): void {
    for (const pending of [...this.#requests.values()]) {
      if (pending.host === undefined) this.fail(pending, 'transport_failed', why);
    }
  }

  fail(pending: PendingRequest, code: ErrorCode, message: string): void {
    if (this.settle(pending.number) === undefined) return;
    const { host } = pending;
    this.#owner.lost(pending, { code, message, ...(host === undefined ? {} : { details: { host } }) });
  }

  close(): void {
    this.#requests.clear();
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
    if (performance.now() - this.#dueAt > LATE_MS) setImmediate(() => this.#lookAtAll());
    else this.#lookAtAll();
  };

  #lookAtAll(): void {
    const now = performance.now();
    const due = new Map<string, string[]>();
    let isUntaken = false;
    for (const pending of [...this.#requests.values()]) {
      this.#look(pending, now, due);
      if (pending.host === undefined && now - pending.heardAt >= ROLL_CALL_MS) isUntaken = true;
    }
    for (const [host, numbers] of due) this.#owner.ping(host, numbers);
    if (isUntaken && now - this.#calledAt >= ROLL_CALL_MS) {
      this.#calledAt = now;
      this.#owner.callRoll(this.#order);
    }
    if (this.#requests.size === 0) this.#timer = undefined;
    else this.#wait();
  }

  #look(pending: PendingRequest, now: number, due: Map<string, string[]>): void {
    const { timeoutMs, host, number } = pending;
    const age = now - pending.sentAt;
    const silence = Math.min(this.#silenceMs, timeoutMs * PATIENCE);
    const heardAt = host === undefined ? pending.heardAt : Math.max(pending.heardAt, this.#hosts.heardAt(host));
    const silentMs = Math.round(now - heardAt);
    if (age >= timeoutMs + REQUESTER_GRACE_MS * 0.9) {
      this.fail(pending, 'deadline_exceeded', `no answer within ${timeoutMs} ms`);
    } else if (silentMs >= silence && host !== undefined) {
      this.fail(pending, 'host_lost', `host ${host} took the request and was not heard of for ${silentMs} ms`);
    } else if (silentMs >= silence && host === undefined) {
      this.#lookForUntaken(pending, silentMs, age >= timeoutMs * PATIENCE, now - silence);
    } else if (host !== undefined && now - pending.pingedAt >= Math.min(PING_MS, timeoutMs / 5)) {
      pending.pingedAt = now;
      const numbers = due.get(host);
      if (numbers === undefined) due.set(host, [number]);
      else numbers.push(number);
    }
  }

  /** A request that waits at a busy host is not lost. */
  #lookForUntaken(pending: PendingRequest, silentMs: number, isUrgent: boolean, since: number): void {
    const where = this.#hosts.whereabouts(pending.order, since);
    if (where === 'nowhere') {
      this.fail(pending, 'host_lost', 'the host that was to take the request ended, and no other has it');
    } else if (where === 'unknown' || isUrgent) {
      this.fail(pending, 'no_handler', `no host took the request within ${silentMs} ms`);
    }
  }
}

interface KnownHost {
  heardAt: number;
  /** The last request up to which the host has received everything sent to it. */
  passed: number;
}

/** Hosts by heartbeat. A broker delivers in order: a host that took a later request has no earlier one waiting. */
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

  /** On the clock of `performance.now()`; 0 for never. */
  heardAt(host: string): number {
    return this.#hosts.get(host)?.heardAt ?? 0;
  }

  /** Another host that was alive after `since`. */
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
