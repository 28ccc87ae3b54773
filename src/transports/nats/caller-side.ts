import { createId } from '../../bus/internal.ts';
import { HookwrightError } from '../../errors.ts';
import { encodeMessage } from '../../events/index.ts';
import { describeThrown, isRecord } from '../../kit/index.ts';
import type { AnyHookTranslator } from '../../models/index.ts';
import {
  type AnswerMessage,
  answerTypes,
  MessageBusType,
  type OnLost,
  type RequestMessage,
} from '../../protocol/index.ts';
import { asBytes, type Incoming, type Link, readJson, textIn } from './link.ts';
import { type HostRequest, type LostRequest, lostAnswer, RequestsInFlight } from './requests-in-flight.ts';
import type { NatsSubjects } from './subjects.ts';

export interface CallerParts {
  readonly link: Link;
  readonly subjects: NatsSubjects;
  readonly onLost: OnLost | undefined;
  readonly silenceMs: number;
  readonly translator: AnyHookTranslator | undefined;
  readonly report: (error: HookwrightError) => void;
  /** Delivers a response to its requester, as if it had come from the broker. */
  readonly deliver: (answer: AnswerMessage) => void;
}

/** A host that says this has not said what its hooks think. */
const unheardCodes: ReadonlySet<unknown> = new Set(['disposed', 'overloaded', 'transport_failed', 'internal_error']);

/** How long other hosts may take to say that they are there. */
const ROLL_CALL_MS = 1_000;

interface RollCall {
  readonly question: HostRequest;
  readonly loss: LostRequest;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** What a process does that asks: it gives each question a number, and sees to it that each gets an answer. */
export class CallerSide {
  readonly #parts: CallerParts;
  readonly #asked: RequestsInFlight;
  readonly #session = createId().slice(0, 10);
  #count = 0;
  #lost = 0;
  #rollCalls: readonly RollCall[] = [];
  #end: (() => void) | undefined;

  constructor(parts: CallerParts) {
    this.#parts = parts;
    this.#asked = new RequestsInFlight(
      {
        ping: (host, numbers) => this.#ping(host, numbers),
        lost: (question, loss) => this.#onLoss(question, loss),
        callRoll: (order) => this.#callRoll(order),
      },
      parts.silenceMs,
    );
  }

  get counts(): { readonly asked: number; readonly lost: number } {
    return { asked: this.#asked.size, lost: this.#lost };
  }

  /** A fresh number for a request, also for one without a requester here. */
  newNumber(): string {
    this.#count += 1;
    return `${this.#session}-${this.#count.toString(36)}`;
  }

  /** Asks hosts, and answers itself where none does. */
  ask(request: RequestMessage, wish: OnLost | 'event'): void {
    this.#end ??= this.#parts.link.subscribe(this.#parts.subjects.toCaller(), (incoming) => this.#told(incoming));
    const effective = wish === 'event' ? (this.#parts.onLost ?? 'event') : wish;
    this.#send(
      { request, wish: effective, isSecond: false, host: undefined },
      this.#parts.subjects.question(request.type),
    );
  }

  /** An answer has come from a host. What is to be delivered in its place, where it says nothing, is returned. */
  answered(number: string, message: unknown): unknown {
    const host = isRecord(message) && isRecord(message.host) ? message.host.id : undefined;
    const question = this.#asked.answered(number, typeof host === 'string' ? host : undefined);
    if (question === undefined || !isRecord(message)) return message;
    const { error, output } = message;
    if (!isRecord(error) || output !== undefined || !unheardCodes.has(error.code)) return message;
    this.#onLoss(question, { code: 'host_lost', message: String(error.message), details: { cause: error.code } });
    return undefined;
  }

  /** An unreadable response arrived. */
  unreadable(number: string, why: string): void {
    const question = this.#asked.get(number);
    if (question !== undefined) this.#asked.fail(question, 'transport_failed', why);
  }

  /** The broker has no receiver for the request. */
  undeliverable(number: string): void {
    const question = this.#asked.get(number);
    if (question?.host === undefined) {
      if (question !== undefined) this.#asked.fail(question, 'no_handler', 'no hook host listens on the broker');
      return;
    }
    // The other host was gone before it was asked, so a further one may be.
    this.#asked.neverThere(question.host);
    this.#asked.settle(number);
    this.#askOther(question, { code: 'host_lost', message: `host ${question.host} ended before it could be asked` });
  }

  refused(subject: string): void {
    this.#asked.refused(`the broker does not let us publish to ${subject}; its permissions decide`);
  }

  close(): void {
    this.#end?.();
    this.#asked.close();
    for (const { timer } of this.#rollCalls) clearTimeout(timer);
    this.#rollCalls = [];
  }

  #send(asked: Pick<HostRequest, 'request' | 'wish' | 'isSecond' | 'host'>, subject: string): void {
    const { link, subjects } = this.#parts;
    const number = this.newNumber();
    const { request } = asked;
    this.#asked.add({ ...asked, number });
    const question = this.#asked.get(number);
    if (question === undefined) return;
    let bytes: Uint8Array;
    try {
      bytes = asBytes(encodeMessage(request));
    } catch (error) {
      this.#asked.fail(question, 'validation_failure', `the request is no JSON: ${describeThrown(error)}`);
      return;
    }
    if (bytes.byteLength > link.maxPayload) {
      const what = `the request has ${bytes.byteLength} bytes, and the broker takes at most ${link.maxPayload} (max_payload)`;
      this.#asked.fail(question, 'invalid_request', what);
      return;
    }
    try {
      const reply = subjects.answer(answerTypes[request.type], { caller: subjects.caller, number });
      const expiresAt = performance.now() + Math.min(question.timeoutMs, this.#parts.silenceMs);
      link.send(subject, bytes, { reply, expiresAt });
    } catch (error) {
      this.#asked.fail(question, 'transport_failed', describeThrown(error));
    }
  }

  #told({ subject, data, hasNoReceiver }: Incoming): void {
    const [, , what, which] = this.#parts.subjects.tokensOf(subject);
    if (what === 'taken' && which !== undefined) this.#asked.taken(which, textIn(data));
    else if (what === 'alive' && which !== undefined) {
      const unknown = readJson(data);
      if (hasNoReceiver) this.#asked.gone(which);
      else if (Array.isArray(unknown)) this.#asked.heard(which, unknown.map(String));
    } else if (what === 'present')
      this.#present(hasNoReceiver ? undefined : readJson(data), Number(which), hasNoReceiver);
  }

  #ping(host: string, numbers: readonly string[]): void {
    const { link, subjects, report } = this.#parts;
    try {
      if (link.isUp) link.send(subjects.alive(host), asBytes(JSON.stringify(numbers)), { reply: subjects.pong(host) });
    } catch (error) {
      report(new HookwrightError('transport_failed', `host ${host} could not be asked: ${describeThrown(error)}`));
    }
  }

  #onLoss(question: HostRequest, loss: LostRequest): void {
    const isWorthIt = question.wish === 'retry' && !question.isSecond && loss.code === 'host_lost';
    if (isWorthIt && this.#parts.link.isUp) this.#askOther(question, loss);
    else this.#giveUp(question, loss);
  }

  #askOther(question: HostRequest, loss: LostRequest): void {
    const left = question.timeoutMs - (performance.now() - question.askedAt);
    if (left <= 0) {
      this.#giveUp(question, loss);
      return;
    }
    const other = this.#asked.otherThan(question.host);
    if (other === undefined) this.#lookForOther(question, loss, left);
    else this.#askAgain(question, other);
  }

  /** Asks who is there; the first other host is asked. */
  #lookForOther(question: HostRequest, loss: LostRequest, left: number): void {
    const timer = setTimeout(() => this.#endRollCall(call), Math.min(ROLL_CALL_MS, left));
    const call: RollCall = { question, loss, timer };
    this.#rollCalls = [...this.#rollCalls, call];
    this.#callRoll(question.order);
  }

  #callRoll(order: number): void {
    const { link, subjects, report } = this.#parts;
    try {
      if (link.isUp) link.send(subjects.who(), asBytes('{}'), { reply: subjects.present(order) });
    } catch (error) {
      report(new HookwrightError('transport_failed', `hosts could not be asked: ${describeThrown(error)}`));
    }
  }

  #present(said: unknown, order: number, hasNoReceiver: boolean): void {
    const host = isRecord(said) && typeof said.host === 'string' ? said.host : undefined;
    if (host !== undefined && Number.isSafeInteger(order)) this.#asked.present(host, order);
    for (const call of this.#rollCalls) {
      const { question } = call;
      if (hasNoReceiver) this.#endRollCall(call);
      else if (host !== undefined && host !== question.host && this.#finish(call)) this.#askAgain(question, host);
    }
  }

  #askAgain({ request, wish, askedAt, timeoutMs }: HostRequest, host: string): void {
    const left = Math.max(1, timeoutMs - (performance.now() - askedAt));
    const second = timeoutMs === Number.POSITIVE_INFINITY ? request : { ...request, timeoutMs: left };
    this.#send({ request: second, wish, isSecond: true, host }, this.#parts.subjects.direct(host, request.type));
  }

  #endRollCall(call: RollCall): void {
    if (this.#finish(call)) this.#giveUp(call.question, call.loss);
  }

  #finish(call: RollCall): boolean {
    if (!this.#rollCalls.includes(call)) return false;
    clearTimeout(call.timer);
    this.#rollCalls = this.#rollCalls.filter((other) => other !== call);
    return true;
  }

  #giveUp({ request, wish }: HostRequest, loss: LostRequest): void {
    const { link, subjects, translator, deliver } = this.#parts;
    this.#lost += 1;
    const { correlationId } = request;
    const type = MessageBusType.HOOK_EXECUTION_CANCEL;
    try {
      // A host that received it after all need not work on it.
      if (link.isUp) link.send(subjects.cancel(), asBytes(encodeMessage({ type, correlationId })));
    } catch {
      // It was a courtesy.
    }
    // The requester may not have seen its own request yet.
    const { trouble } = link;
    const told = trouble === undefined ? loss : { ...loss, message: `${loss.message}; ${trouble}` };
    setImmediate(() => deliver(lostAnswer(request, wish, told, translator)));
  }
}
