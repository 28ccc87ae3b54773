/** Tracks unanswered requests to hosts, and which hosts are alive. */
import type { ErrorCode } from '../errors.ts';
import { type OnLost, REQUESTER_GRACE_MS, type RequestMessage } from '../protocol/index.ts';
import type { RequestLoss } from './stand-in-answers.ts';

export interface RemoteRequest {
  readonly number: string;
  readonly request: RequestMessage;
  readonly onLost: OnLost | 'event';
  readonly sentAt: number;
  readonly timeoutMs: number;
  /** True if the request was sent to another host before. */
  readonly isSecond: boolean;
  /** Position among all requests of this process. */
  readonly order: number;
  host: string | undefined;
  heardAt: number;
  pingedAt: number;
}

interface RemoteRequestsOwner {
  /** Sends request numbers to a host. The host replies with the numbers that it does not know. */
  ping(host: string, numbers: readonly string[]): void;
  /** Requests a heartbeat from all hosts. A host that replies has received all requests up to `order`. */
  callRoll(order: number): void;
  lost(request: RemoteRequest, loss: RequestLoss): void;
}

const REQUEST_CHECK_INTERVAL_MS = 50;
/** A timer this late shows that the process was suspended, so messages that arrived meanwhile are read first. */
const MIN_SUSPENSION_MS = 100;
const PING_INTERVAL_MS = 250;
const ROLL_CALL_INTERVAL_MS = 1_000;
/** Part of a deadline after which a silent host is lost; the rest of the time is for a second host. */
const MAX_SILENCE_SHARE = 0.8;

/** Ends each request with an answer, with the loss of its host, or at its deadline. */
export class RemoteRequests {
  readonly #owner: RemoteRequestsOwner;
  readonly #silenceMs: number;
  readonly #requests = new Map<string, RemoteRequest>();
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

  add(sent: Pick<RemoteRequest, 'number' | 'request' | 'onLost' | 'isSecond' | 'host'>): RemoteRequest {
    const now = performance.now();
    const { timeoutMs = Number.POSITIVE_INFINITY } = sent.request;
    this.#order += 1;
    const times = { sentAt: now, timeoutMs, heardAt: now, pingedAt: now };
    const pending = { ...sent, ...times, order: this.#order };
    this.#requests.set(sent.number, pending);
    if (this.#timer === undefined) this.#wait();
    return pending;
  }

  get(number: string): RemoteRequest | undefined {
    return this.#requests.get(number);
  }

  settleAnswered(number: string, host: string | undefined): RemoteRequest | undefined {
    const pending = this.settle(number);
    if (pending !== undefined && host !== undefined) this.#hosts.noteHost(host, pending.order);
    return pending;
  }

  settle(number: string): RemoteRequest | undefined {
    const pending = this.#requests.get(number);
    if (!this.#requests.delete(number)) return undefined;
    if (this.#requests.size === 0) this.#stop();
    return pending;
  }

  noteTaken(number: string, host: string): void {
    const pending = this.#requests.get(number);
    if (pending === undefined) return;
    pending.host = host;
    pending.heardAt = performance.now();
    this.#hosts.noteHost(host, pending.order);
  }

  findOtherHost(host: string | undefined): string | undefined {
    return this.#hosts.findOther(host, performance.now() - ROLL_CALL_INTERVAL_MS);
  }

  notePresent(host: string, order: number): void {
    this.#hosts.noteHost(host, order);
  }

  /** `unknown` are requests that the host confirmed and then lost, for example in a restart. */
  noteHeartbeat(host: string, unknown: readonly string[]): void {
    this.#hosts.noteHost(host, 0);
    for (const number of unknown) {
      const pending = this.#requests.get(number);
      if (pending?.host !== host) continue;
      this.fail(pending, 'host_lost', `host ${host} took the request and knows nothing of it any more`);
    }
  }

  forgetHost(host: string): void {
    this.#hosts.forget(host);
  }

  loseHost(host: string): void {
    this.#hosts.forget(host);
    this.#failAllAt(host, 'host_lost', `host ${host} ended while it worked on the request`);
  }

  failUntaken(why: string): void {
    this.#failAllAt(undefined, 'transport_failed', why);
  }

  #failAllAt(host: string | undefined, code: ErrorCode, message: string): void {
    for (const pending of [...this.#requests.values()]) if (pending.host === host) this.fail(pending, code, message);
  }

  fail(pending: RemoteRequest, code: ErrorCode, message: string): void {
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
    this.#dueAt = performance.now() + REQUEST_CHECK_INTERVAL_MS;
    this.#timer = setTimeout(this.#tick, REQUEST_CHECK_INTERVAL_MS);
  }

  readonly #tick = (): void => {
    if (performance.now() - this.#dueAt > MIN_SUSPENSION_MS) setImmediate(() => this.#checkAll());
    else this.#checkAll();
  };

  #checkAll(): void {
    const now = performance.now();
    const due = new Map<string, string[]>();
    let isUntaken = false;
    for (const pending of [...this.#requests.values()]) {
      this.#check(pending, now, due);
      if (pending.host === undefined && now - pending.heardAt >= ROLL_CALL_INTERVAL_MS) isUntaken = true;
    }
    for (const [host, numbers] of due) this.#owner.ping(host, numbers);
    if (isUntaken && now - this.#calledAt >= ROLL_CALL_INTERVAL_MS) {
      this.#calledAt = now;
      this.#owner.callRoll(this.#order);
    }
    if (this.#requests.size === 0) this.#timer = undefined;
    else this.#wait();
  }

  #check(pending: RemoteRequest, now: number, due: Map<string, string[]>): void {
    const { timeoutMs, host, number } = pending;
    const age = now - pending.sentAt;
    const silence = Math.min(this.#silenceMs, timeoutMs * MAX_SILENCE_SHARE);
    const heardAt = host === undefined ? pending.heardAt : Math.max(pending.heardAt, this.#hosts.heardAt(host));
    const silentMs = Math.round(now - heardAt);
    if (age >= timeoutMs + REQUESTER_GRACE_MS * 0.9) {
      this.fail(pending, 'deadline_exceeded', `no answer within ${timeoutMs} ms`);
    } else if (silentMs >= silence && host !== undefined) {
      this.fail(pending, 'host_lost', `host ${host} took the request and was not heard of for ${silentMs} ms`);
    } else if (silentMs >= silence && host === undefined) {
      this.#checkUntaken(pending, silentMs, age >= timeoutMs * MAX_SILENCE_SHARE, now - silence);
    } else if (host !== undefined && now - pending.pingedAt >= Math.min(PING_INTERVAL_MS, timeoutMs / 5)) {
      pending.pingedAt = now;
      const numbers = due.get(host);
      if (numbers === undefined) due.set(host, [number]);
      else numbers.push(number);
    }
  }

  /** A request that is still queued at a busy host is not lost. */
  #checkUntaken(pending: RemoteRequest, silentMs: number, isUrgent: boolean, since: number): void {
    const where = this.#hosts.locateRequest(pending.order, since);
    if (where === 'nowhere') {
      this.fail(pending, 'host_lost', 'the host that was to take the request ended, and no other has it');
    } else if (where === 'unknown' || isUrgent) {
      this.fail(pending, 'no_handler', `no host took the request within ${silentMs} ms`);
    }
  }
}

interface KnownHost {
  readonly heardAt: number;
  /** The host has received all requests up to this `order`. */
  readonly passed: number;
}

/** A broker delivers in order, so a host that confirmed a later request has no earlier request waiting. */
class KnownHosts {
  readonly #hosts = new Map<string, KnownHost>();

  noteHost(host: string, passed: number): void {
    const before = this.#hosts.get(host)?.passed ?? 0;
    this.#hosts.set(host, { heardAt: performance.now(), passed: Math.max(before, passed) });
  }

  forget(host: string): void {
    this.#hosts.delete(host);
  }

  heardAt(host: string): number {
    return this.#hosts.get(host)?.heardAt ?? 0;
  }

  findOther(host: string | undefined, since: number): string | undefined {
    return [...this.#hosts].find(([name, { heardAt }]) => name !== host && heardAt >= since)?.[0];
  }

  /** Whether an unconfirmed request is still queued at a live host (`waiting`) or at none (`nowhere`). */
  locateRequest(order: number, since: number): 'waiting' | 'nowhere' | 'unknown' {
    const live = [...this.#hosts.values()].filter(({ heardAt }) => heardAt >= since);
    if (live.length === 0) return 'unknown';
    return live.some(({ passed }) => passed < order) ? 'waiting' : 'nowhere';
  }
}
