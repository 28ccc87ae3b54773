import type { Channel, Role, Transport } from '../../bus/index.ts';
import { createId } from '../../bus/internal.ts';
import { HookwrightError } from '../../errors.ts';
import { encodeMessage } from '../../events/index.ts';
import { describeThrown, isRecord } from '../../kit/index.ts';
import type { AnyHookTranslator } from '../../models/index.ts';
import {
  type HookMessage,
  isQuestionType,
  isReplyType,
  isRequest,
  MessageBusType,
  type OnLost,
  replyTypes,
} from '../../protocol/index.ts';
import { CallerSide } from './caller-side.ts';
import { Configurations } from './configurations.ts';
import { connectWith } from './connect.ts';
import { asBytes } from './control.ts';
import { HostSide } from './host-side.ts';
import type { Incoming } from './incoming.ts';
import { Link } from './link.ts';
import { Mailboxes } from './mailboxes.ts';
import { checkOptions, clientOptions, type NatsTransportOptions } from './options.ts';
import { readMessage } from './read.ts';
import type { NatsStats } from './stats.ts';
import { asToken, NatsSubjects } from './subjects.ts';

/** A broker as a transport, and what a process that lives with one needs beside. */
export interface NatsTransport extends Transport {
  /** By which other processes know this one as a host. */
  readonly hostId: string;
  /** Resolves with the first link to the broker; until then what is published waits, as far as its deadline allows. */
  ready(): Promise<void>;
  /** Resolves when the broker has got everything that was published and received here. */
  flush(): Promise<void>;
  /** Says what this host runs: a hash of its configuration, which its answers carry. Call it again when that changes. */
  announce(config: string): void;
  /** Takes no more requests, and resolves when those that it took are answered, or after `timeoutMs` (10,000): whether they are. */
  drain(timeoutMs?: number): Promise<boolean>;
  stats(): NatsStats;
}

const DEFAULT_SILENCE_MS = 10_000;
const DRAIN_MS = 10_000;
const LOOK_MS = 10;

const wishIn = (message: HookMessage): OnLost | 'event' | undefined =>
  'onLost' in message ? message.onLost : undefined;

const isHandled = (message: HookMessage): boolean => 'handledBy' in message && message.handledBy !== undefined;

class OverNats implements NatsTransport {
  readonly features = { inline: false, knowsListeners: false, spansProcesses: true } as const;
  readonly hostId = createId();
  readonly #link: Link;
  readonly #subjects: NatsSubjects;
  readonly #mailboxes: Mailboxes;
  readonly #callers: CallerSide;
  readonly #host: HostSide;
  readonly #configurations = new Configurations();
  readonly #listeners = new Set<(error: unknown) => void>();
  readonly #translator: AnyHookTranslator | undefined;
  readonly #observed: boolean;
  readonly #untold: HookwrightError[] = [];

  constructor(options: NatsTransportOptions) {
    const { prefix = 'hookwright', group = 'hosts', name, translator, observed = true } = options;
    const { onLost, hostSilenceMs: silenceMs = DEFAULT_SILENCE_MS, connection } = options;
    const report = (error: HookwrightError): void => this.#report(error);
    const subjects = new NatsSubjects(prefix, group, asToken(name ?? createId()));
    this.#subjects = subjects;
    this.#translator = translator;
    this.#observed = observed;
    // Whatever is wrong with the servers is told here and now.
    if (connection === undefined) clientOptions(options);
    const link = new Link(connection ?? (() => connectWith(options)), {
      error: report,
      up: () => {},
      refused: (subject) => this.#callers.refused(subject),
    });
    this.#link = link;
    this.#mailboxes = new Mailboxes(link, subjects, asToken(group), (incoming, role) => this.#open(incoming, role));
    const deliver = (answer: HookMessage): void => this.#mailboxes.deliverHere(answer.type, answer);
    this.#callers = new CallerSide({ link, subjects, onLost, silenceMs, translator, report, deliver });
    this.#host = new HostSide({
      id: this.hostId,
      link,
      subjects,
      report,
      direct: (incoming) => this.#serveDirectly(incoming),
      noteConfig: (host, config) => this.#noteConfig(host, config),
    });
  }

  publish(type: MessageBusType, message: HookMessage): void {
    if (isHandled(message)) this.#tell(message, this.#subjects.told(type));
    else if (isQuestionType(type)) this.#ask(type, message);
    else if (isReplyType(type)) this.#host.answer(type, message);
    else if (type === MessageBusType.HOOK_EXECUTION_CANCEL) this.#tell(message, this.#subjects.cancel());
    else this.#tell(message, this.#subjects.told(type));
  }

  receive(channel: Channel, role: Role, deliver: (message: unknown) => void): () => void {
    const end = this.#mailboxes.receive(channel, role, deliver);
    if (role === 'server') this.#host.start();
    return end;
  }

  hears(_channel: Channel, role: Role): boolean {
    return this.#observed || role !== 'watcher';
  }

  onError(listener: (error: unknown) => void): void {
    this.#listeners.add(listener);
    for (const error of this.#untold.splice(0)) listener(error);
  }

  ready(): Promise<void> {
    return this.#link.ready();
  }

  flush(): Promise<void> {
    return this.#link.flush();
  }

  announce(config: string): void {
    this.#noteConfig(this.hostId, config);
    this.#host.announce(config);
  }

  async drain(timeoutMs = DRAIN_MS): Promise<boolean> {
    this.#mailboxes.stopServing();
    // What the broker had on its way arrives before this does.
    await this.#flushIfUp();
    const until = performance.now() + timeoutMs;
    while (this.#host.counts.owed > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    await this.#flushIfUp();
    return this.#host.counts.owed === 0;
  }

  async close(): Promise<void> {
    this.#callers.close();
    await this.#link.close();
  }

  stats(): NatsStats {
    const { isUp, server, dropped } = this.#link;
    return { isUp, server, dropped, ...this.#callers.counts, ...this.#host.counts };
  }

  async #flushIfUp(): Promise<void> {
    if (this.#link.isUp) await this.#link.flush().catch(() => {});
  }

  #ask(type: keyof typeof replyTypes, message: HookMessage): void {
    const wish = wishIn(message);
    if (wish !== undefined && isRequest(message)) {
      this.#callers.ask(message, wish);
      return;
    }
    const number = this.#callers.newNumber();
    const reply = this.#subjects.answer(replyTypes[type], { caller: this.#subjects.caller, number });
    this.#link.send(this.#subjects.question(type), asBytes(encodeMessage(message)), { reply });
  }

  #tell(message: HookMessage, subject: string): void {
    this.#link.send(subject, asBytes(encodeMessage(message)));
  }

  /** What arrived, as a message; nothing where it is for nobody. */
  #open(incoming: Incoming, role: Role): { readonly message: unknown } | undefined {
    const { subject, reply, data, isNobody } = incoming;
    const type = this.#subjects.typeOf(subject);
    if (type === undefined) return undefined;
    const number = this.#subjects.numberHere(subject);
    if (isNobody) {
      if (number !== undefined) this.#callers.nobody(number);
      return undefined;
    }
    const message = this.#read(data, type, number);
    if (message === undefined) return undefined;
    if (role === 'requester' && number !== undefined) {
      const answer = this.#callers.answered(number, message.value);
      this.#noteHost(answer);
      return answer === undefined ? undefined : { message: answer };
    }
    if (isQuestionType(type)) {
      const isOurs = role === 'server';
      if (!this.#host.took(incoming, type, message.value, isOurs)) return undefined;
      if (isOurs && !this.#mailboxes.serve(type, message.value)) this.#link.send(subject, data, { reply });
      if (isOurs) return undefined;
    }
    if (type === MessageBusType.HOOK_EXECUTION_CANCEL && this.#isForeignCancel(subject, message.value))
      return undefined;
    return { message: message.value };
  }

  /** Who did not ask cannot cancel: it takes more than to have heard of an id. */
  #isForeignCancel(subject: string, message: unknown): boolean {
    const id: unknown = isRecord(message) ? message.correlationId : undefined;
    return typeof id === 'string' && this.#host.isStranger(id, this.#subjects.cancellerIn(subject));
  }

  /** One host was asked, this one; whoever it was that took the question before is gone. */
  #serveDirectly(incoming: Incoming): void {
    const type = this.#subjects.typeOf(incoming.subject);
    if (type === undefined || !isQuestionType(type)) return;
    const message = this.#read(incoming.data, type, undefined);
    if (message === undefined || !this.#host.took(incoming, type, message.value, true)) return;
    this.#mailboxes.serve(type, message.value);
  }

  #read(data: Uint8Array, type: MessageBusType, number: string | undefined): { readonly value: unknown } | undefined {
    try {
      return { value: readMessage(data, type, this.#translator) };
    } catch (error) {
      this.#report(asError(error));
      if (number !== undefined) this.#callers.unreadable(number, describeThrown(error));
      return undefined;
    }
  }

  #noteHost(answer: unknown): void {
    const host = isRecord(answer) ? answer.host : undefined;
    if (isRecord(host) && typeof host.config === 'string') this.#noteConfig(String(host.id), host.config);
  }

  #noteConfig(host: string, config: string | undefined): void {
    const wrong = this.#configurations.note(host, config);
    if (wrong !== undefined) this.#report(new HookwrightError('invalid_config', wrong, { details: { host, config } }));
  }

  #report(error: HookwrightError): void {
    if (this.#listeners.size === 0 && this.#untold.length < 100) this.#untold.push(error);
    for (const listener of this.#listeners) listener(error);
  }
}

const asError = (error: unknown): HookwrightError =>
  HookwrightError.is(error) ? error : new HookwrightError('transport_failed', describeThrown(error), { cause: error });

/**
 * Joins buses of many processes over a NATS broker. It connects by itself and again when the link drops; what is published
 * meanwhile waits, as long as its deadline allows. Requests go to one host of a group; a request of `requestHooks` is
 * answered in any case: by a host, or here, when its host is lost.
 *
 * @throws HookwrightError when it would leave the machine without TLS and credentials, and nobody allowed that.
 */
export const natsTransport = (options: NatsTransportOptions = {}): NatsTransport => {
  checkOptions(options);
  return new OverNats(options);
};
