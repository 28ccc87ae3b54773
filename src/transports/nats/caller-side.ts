/** The caller's side of a broker: sends requests to hosts, and answers them itself if no host does. */
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
import { type RemoteRequest, RemoteRequests } from '../remote-requests.ts';
import { createLostRequestAnswer, type RequestLoss } from '../stand-in-answers.ts';
import { type BrokerLink, type BrokerMessage, decodeText, encodeText, readJson } from './link.ts';
import type { NatsSubjects } from './subjects.ts';

export interface CallerSideDeps {
  readonly link: BrokerLink;
  readonly subjects: NatsSubjects;
  readonly onLost: OnLost | undefined;
  readonly silenceMs: number;
  readonly translator: AnyHookTranslator | undefined;
  readonly report: (error: HookwrightError) => void;
  readonly deliver: (answer: AnswerMessage) => void;
}

/** Errors that arise before the hooks of a host decide, so the request may be sent to another host. */
const errorCodesBeforeDecision: ReadonlySet<unknown> = new Set([
  'disposed',
  'overloaded',
  'transport_failed',
  'internal_error',
]);

const ROLL_CALL_WAIT_MS = 1_000;

interface RollCall {
  readonly pending: RemoteRequest;
  readonly loss: RequestLoss;
  readonly timer: ReturnType<typeof setTimeout>;
}

export class CallerSide {
  readonly #deps: CallerSideDeps;
  readonly #pending: RemoteRequests;
  readonly #session = createId().slice(0, 10);
  #count = 0;
  #lost = 0;
  readonly #rollCalls = new Set<RollCall>();
  #end: (() => void) | undefined;

  constructor(deps: CallerSideDeps) {
    this.#deps = deps;
    this.#pending = new RemoteRequests(
      {
        ping: (host, numbers) => this.#ping(host, numbers),
        lost: (pending, loss) => this.#onLoss(pending, loss),
        callRoll: (order) => this.#callRoll(order),
      },
      deps.silenceMs,
    );
  }

  get counts(): { readonly asked: number; readonly lost: number } {
    return { asked: this.#pending.size, lost: this.#lost };
  }

  newNumber(): string {
    this.#count += 1;
    return `${this.#session}-${this.#count.toString(36)}`;
  }

  request(request: RequestMessage, onLost: OnLost | 'event'): void {
    this.#end ??= this.#deps.link.subscribe(this.#deps.subjects.toCaller(), (incoming) => this.#receive(incoming));
    const wanted: OnLost | 'event' = onLost === 'event' ? (this.#deps.onLost ?? 'event') : onLost;
    const sent = { request, onLost: wanted, isSecond: false, host: undefined };
    this.#send(sent, this.#deps.subjects.question(request.type));
  }

  answered(number: string, message: unknown): unknown {
    const host = isRecord(message) && isRecord(message.host) ? message.host.id : undefined;
    const pending = this.#pending.settleAnswered(number, typeof host === 'string' ? host : undefined);
    if (pending === undefined || !isRecord(message)) return message;
    const { error, output } = message;
    if (!isRecord(error) || output !== undefined || !errorCodesBeforeDecision.has(error.code)) return message;
    this.#onLoss(pending, { code: 'host_lost', message: String(error.message), details: { cause: error.code } });
    return undefined;
  }

  unreadable(number: string, why: string): void {
    const pending = this.#pending.get(number);
    if (pending !== undefined) this.#pending.fail(pending, 'transport_failed', why);
  }

  /** The broker reports at once if no process subscribes to a request's subject. */
  undeliverable(number: string): void {
    const pending = this.#pending.get(number);
    if (pending?.host === undefined) {
      if (pending !== undefined) this.#pending.fail(pending, 'no_handler', 'no hook host listens on the broker');
      return;
    }
    // The second host ended before it got the request, so a third one may run the hooks.
    this.#pending.forgetHost(pending.host);
    this.#pending.settle(number);
    this.#sendToOther(pending, { code: 'host_lost', message: `host ${pending.host} ended before it could be asked` });
  }

  refused(subject: string): void {
    this.#pending.failUntaken(`the broker does not let us publish to ${subject}; its permissions decide`);
  }

  close(): void {
    this.#end?.();
    this.#pending.close();
    for (const { timer } of this.#rollCalls) clearTimeout(timer);
    this.#rollCalls.clear();
  }

  #send(sent: Pick<RemoteRequest, 'request' | 'onLost' | 'isSecond' | 'host'>, subject: string): void {
    const { link, subjects } = this.#deps;
    const number = this.newNumber();
    const { request } = sent;
    const pending = this.#pending.add({ ...sent, number });
    let bytes: Uint8Array;
    try {
      bytes = encodeText(encodeMessage(request));
    } catch (error) {
      this.#pending.fail(pending, 'validation_failure', `the request is no JSON: ${describeThrown(error)}`);
      return;
    }
    if (bytes.byteLength > link.maxPayload) {
      const what = `the request has ${bytes.byteLength} bytes, and the broker takes at most ${link.maxPayload} (max_payload)`;
      this.#pending.fail(pending, 'invalid_request', what);
      return;
    }
    try {
      const reply = subjects.answer(answerTypes[request.type], { caller: subjects.caller, number });
      const expiresAt = performance.now() + Math.min(pending.timeoutMs, this.#deps.silenceMs);
      link.send(subject, bytes, { reply, expiresAt });
    } catch (error) {
      this.#pending.fail(pending, 'transport_failed', describeThrown(error));
    }
  }

  #receive({ subject, data, hasNoReceiver }: BrokerMessage): void {
    const [, , what, which] = this.#deps.subjects.tokensOf(subject);
    if (which === undefined) return;
    if (what === 'taken') this.#pending.noteTaken(which, decodeText(data));
    if (what === 'present') this.#present(readJson(data), Number(which), hasNoReceiver);
    if (what !== 'alive') return;
    const unknown = readJson(data);
    if (hasNoReceiver) this.#pending.loseHost(which);
    else if (Array.isArray(unknown)) this.#pending.noteHeartbeat(which, unknown.map(String));
  }

  #ping(host: string, numbers: readonly string[]): void {
    const { subjects } = this.#deps;
    this.#requestHeartbeat(`host ${host}`, subjects.alive(host), JSON.stringify(numbers), subjects.pong(host));
  }

  #requestHeartbeat(whom: string, subject: string, text: string, reply: string): void {
    const { link, report } = this.#deps;
    try {
      if (link.isUp) link.send(subject, encodeText(text), { reply });
    } catch (error) {
      report(new HookwrightError('transport_failed', `${whom} could not be asked: ${describeThrown(error)}`));
    }
  }

  #onLoss(pending: RemoteRequest, loss: RequestLoss): void {
    const isWorthIt = pending.onLost === 'retry' && !pending.isSecond && loss.code === 'host_lost';
    if (isWorthIt && this.#deps.link.isUp) this.#sendToOther(pending, loss);
    else this.#giveUp(pending, loss);
  }

  #sendToOther(pending: RemoteRequest, loss: RequestLoss): void {
    const left = pending.timeoutMs - (performance.now() - pending.sentAt);
    if (left <= 0) {
      this.#giveUp(pending, loss);
      return;
    }
    const other = this.#pending.findOtherHost(pending.host);
    if (other === undefined) this.#lookForOther(pending, loss, left);
    else this.#sendAgain(pending, other);
  }

  /** A roll call requests a sign of life from all hosts. The first host that answers gets the request. */
  #lookForOther(pending: RemoteRequest, loss: RequestLoss, left: number): void {
    const timer = setTimeout(() => this.#endRollCall(call), Math.min(ROLL_CALL_WAIT_MS, left));
    const call: RollCall = { pending, loss, timer };
    this.#rollCalls.add(call);
    this.#callRoll(pending.order);
  }

  #callRoll(order: number): void {
    const { subjects } = this.#deps;
    this.#requestHeartbeat('hosts', subjects.who(), '{}', subjects.present(order));
  }

  #present(message: unknown, order: number, hasNoReceiver: boolean): void {
    const host = isRecord(message) && typeof message.host === 'string' ? message.host : undefined;
    if (host !== undefined && Number.isSafeInteger(order)) this.#pending.notePresent(host, order);
    for (const call of [...this.#rollCalls]) {
      const { pending } = call;
      if (hasNoReceiver) this.#endRollCall(call);
      else if (host !== undefined && host !== pending.host && this.#finish(call)) this.#sendAgain(pending, host);
    }
  }

  #sendAgain({ request, onLost, sentAt, timeoutMs }: RemoteRequest, host: string): void {
    const left = Math.max(1, timeoutMs - (performance.now() - sentAt));
    const second = timeoutMs === Number.POSITIVE_INFINITY ? request : { ...request, timeoutMs: left };
    this.#send({ request: second, onLost, isSecond: true, host }, this.#deps.subjects.direct(host, request.type));
  }

  #endRollCall(call: RollCall): void {
    if (this.#finish(call)) this.#giveUp(call.pending, call.loss);
  }

  #finish(call: RollCall): boolean {
    clearTimeout(call.timer);
    return this.#rollCalls.delete(call);
  }

  #giveUp({ request, onLost }: RemoteRequest, loss: RequestLoss): void {
    const { link, subjects, translator, deliver } = this.#deps;
    this.#lost += 1;
    const { correlationId } = request;
    const type = MessageBusType.HOOK_EXECUTION_CANCEL;
    try {
      // If a host received the request after all, it can stop working on it.
      if (link.isUp) link.send(subjects.cancel(), encodeText(encodeMessage({ type, correlationId })));
    } catch {
      // A failed cancel only means that the host works in vain.
    }
    // The answer is deferred, because the requester may still be inside the call that publishes its request.
    const { trouble } = link;
    const explained = trouble === undefined ? loss : { ...loss, message: `${loss.message}; ${trouble}` };
    setImmediate(() => deliver(createLostRequestAnswer(request, onLost, explained, translator)));
  }
}
