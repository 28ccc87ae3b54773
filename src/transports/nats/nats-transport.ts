/** `natsTransport`: connects buses over a NATS broker. */
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
  replyTypes,
} from '../../protocol/index.ts';
import { readMessage } from '../read-message.ts';
import { CallerSide } from './caller-side.ts';
import { HostSide } from './host-side.ts';
import { BrokerLink, type BrokerMessage, connectToBroker, encodeText } from './link.ts';
import { checkNatsOptions, createClientOptions, type NatsStats, type NatsTransportOptions } from './nats-options.ts';
import { NatsSubjects, toSubjectToken } from './subjects.ts';

export interface NatsTransport extends Transport {
  readonly hostId: string;
  /** Resolves with the first connection. Messages published earlier wait for it as long as their deadline allows. */
  ready(): Promise<void>;
  /** Resolves when the broker has all messages published so far and this process has received all earlier messages. */
  flush(): Promise<void>;
  /** Adds a hash of this host's configuration to its answers. Call it again when the configuration changes. */
  announce(config: string): void;
  /** Accepts no more requests, waits up to `timeoutMs` (10,000) for answers, and resolves to true if all were sent. */
  drain(timeoutMs?: number): Promise<boolean>;
  stats(): NatsStats;
}

const DEFAULT_HOST_SILENCE_MS = 10_000;
const DEFAULT_DRAIN_TIMEOUT_MS = 10_000;
const DRAIN_POLL_INTERVAL_MS = 10;

class BrokerTransport implements NatsTransport {
  readonly features = { inline: false, knowsListeners: false, spansProcesses: true } as const;
  readonly hostId = createId();
  readonly #link: BrokerLink;
  readonly #subjects: NatsSubjects;
  readonly #mailboxes: Mailboxes;
  readonly #callers: CallerSide;
  readonly #host: HostSide;
  readonly #configurations = new HostConfigurations();
  readonly #listeners = new Set<(error: unknown) => void>();
  readonly #translator: AnyHookTranslator | undefined;
  readonly #observed: boolean;
  /** Errors that occurred before an `error` listener existed. */
  readonly #unreported: HookwrightError[] = [];

  constructor(options: NatsTransportOptions) {
    const { prefix = 'hookwright', group = 'hosts', name, translator, observed = true } = options;
    const { onLost, hostSilenceMs: silenceMs = DEFAULT_HOST_SILENCE_MS, connection } = options;
    const report = (error: HookwrightError): void => this.#report(error);
    const subjects = new NatsSubjects(prefix, group, toSubjectToken(name ?? createId()));
    this.#subjects = subjects;
    this.#translator = translator;
    this.#observed = observed;
    // Invalid options throw in this call rather than when connecting.
    if (connection === undefined) createClientOptions(options);
    const link = new BrokerLink(connection ?? (() => connectToBroker(options)), {
      error: report,
      refused: (subject) => this.#callers.refused(subject),
    });
    this.#link = link;
    this.#mailboxes = new Mailboxes(link, subjects, toSubjectToken(group), (incoming, role) =>
      this.#open(incoming, role),
    );
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
    const isHandled = 'handledBy' in message && message.handledBy !== undefined;
    if (isHandled) this.#send(message, this.#subjects.told(type));
    else if (isQuestionType(type)) this.#request(type, message);
    else if (isReplyType(type)) this.#host.answer(type, message);
    else if (type === MessageBusType.HOOK_EXECUTION_CANCEL) this.#send(message, this.#subjects.cancel());
    else this.#send(message, this.#subjects.told(type));
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
    for (const error of this.#unreported.splice(0)) listener(error);
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

  async drain(timeoutMs = DEFAULT_DRAIN_TIMEOUT_MS): Promise<boolean> {
    this.#mailboxes.stopServing();
    // The broker delivers in order, so after a flush all earlier messages have arrived.
    await this.#flushIfUp();
    const until = performance.now() + timeoutMs;
    while (this.#host.counts.owed > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_INTERVAL_MS));
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

  #request(type: keyof typeof replyTypes, message: HookMessage): void {
    const onLost = 'onLost' in message ? message.onLost : undefined;
    if (onLost !== undefined && isRequest(message)) {
      this.#callers.request(message, onLost);
      return;
    }
    const number = this.#callers.newNumber();
    const reply = this.#subjects.answer(replyTypes[type], { caller: this.#subjects.caller, number });
    this.#link.send(this.#subjects.question(type), encodeText(encodeMessage(message)), { reply });
  }

  #send(message: HookMessage, subject: string): void {
    this.#link.send(subject, encodeText(encodeMessage(message)));
  }

  #open(incoming: BrokerMessage, role: Role): { readonly message: unknown } | undefined {
    const { subject, reply, data, hasNoReceiver } = incoming;
    const type = this.#subjects.typeOf(subject);
    if (type === undefined) return undefined;
    const number = this.#subjects.numberHere(subject);
    if (hasNoReceiver) {
      if (number !== undefined) this.#callers.undeliverable(number);
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
      if (!this.#host.accepts(incoming, type, message.value, isOurs)) return undefined;
      if (isOurs && !this.#mailboxes.serve(type, message.value)) this.#link.send(subject, data, { reply });
      if (isOurs) return undefined;
    }
    if (type === MessageBusType.HOOK_EXECUTION_CANCEL && this.#isForeignCancel(subject, message.value))
      return undefined;
    return { message: message.value };
  }

  /** Only the requester may cancel a request: other processes can read its id on the bus. */
  #isForeignCancel(subject: string, message: unknown): boolean {
    const id: unknown = isRecord(message) ? message.correlationId : undefined;
    return typeof id === 'string' && this.#host.isForeign(id, this.#subjects.cancellerIn(subject));
  }

  /** A caller sends a request to this host alone if the first host of the request is gone. */
  #serveDirectly(incoming: BrokerMessage): void {
    const type = this.#subjects.typeOf(incoming.subject);
    if (type === undefined || !isQuestionType(type)) return;
    const message = this.#read(incoming.data, type, undefined);
    if (message === undefined || !this.#host.accepts(incoming, type, message.value, true)) return;
    this.#mailboxes.serve(type, message.value);
  }

  #read(data: Uint8Array, type: MessageBusType, number: string | undefined): { readonly value: unknown } | undefined {
    try {
      return { value: readMessage(data, type, this.#translator) };
    } catch (error) {
      this.#report(toTransportError(error));
      if (number !== undefined) this.#callers.unreadable(number, describeThrown(error));
      return undefined;
    }
  }

  #noteHost(answer: unknown): void {
    const host = isRecord(answer) ? answer.host : undefined;
    if (isRecord(host) && typeof host.config === 'string') this.#noteConfig(String(host.id), host.config);
  }

  #noteConfig(host: string, config: string | undefined): void {
    const wrong = this.#configurations.findConflict(host, config);
    if (wrong !== undefined) this.#report(new HookwrightError('invalid_config', wrong, { details: { host, config } }));
  }

  #report(error: HookwrightError): void {
    if (this.#listeners.size === 0 && this.#unreported.length < 100) this.#unreported.push(error);
    for (const listener of this.#listeners) listener(error);
  }
}

const toTransportError = (error: unknown): HookwrightError =>
  HookwrightError.is(error) ? error : new HookwrightError('transport_failed', describeThrown(error), { cause: error });

/**
 * Connects the buses of many processes over a NATS broker. Reconnects by itself; messages published meanwhile wait as
 * long as their deadline allows. A request goes to one host of a group. A request of `requestHooks` is always answered:
 * by a host, or by this process if the host is lost.
 *
 * @throws HookwrightError if a connection to another machine lacks TLS or credentials and `insecure` is not set.
 */
export const natsTransport = (options: NatsTransportOptions = {}): NatsTransport => {
  checkNatsOptions(options);
  return new BrokerTransport(options);
};

type MailboxReceiver = (message: unknown) => void;

interface Mailbox {
  readonly role: Role;
  /** A new array is assigned for each change, so that a running loop over the old array is not disturbed. */
  receivers: readonly MailboxReceiver[];
  close: () => void;
}

type MessageOpener = (incoming: BrokerMessage, role: Role) => { readonly message: unknown } | undefined;

class Mailboxes {
  readonly #link: BrokerLink;
  readonly #subjects: NatsSubjects;
  readonly #group: string;
  readonly #open: MessageOpener;
  readonly #mailboxes = new Map<string, Mailbox>();

  constructor(link: BrokerLink, subjects: NatsSubjects, group: string, open: MessageOpener) {
    this.#link = link;
    this.#subjects = subjects;
    this.#group = group;
    this.#open = open;
  }

  receive(channel: Channel, role: Role, deliver: MailboxReceiver): () => void {
    const key = `${role} ${channel}`;
    const mailbox = this.#mailboxes.get(key) ?? this.#start(key, channel, role);
    let isActive = true;
    // A new function for each subscription: a caller may subscribe one function twice.
    const receiver: MailboxReceiver = (message) => {
      if (isActive) deliver(message);
    };
    mailbox.receivers = [...mailbox.receivers, receiver];
    return () => {
      if (!isActive) return;
      isActive = false;
      mailbox.receivers = mailbox.receivers.filter((other) => other !== receiver);
      if (mailbox.receivers.length > 0) return;
      mailbox.close();
      this.#mailboxes.delete(key);
    };
  }

  deliverHere(type: MessageBusType, message: unknown): void {
    for (const key of [`requester ${type}`, `watcher ${type}`, 'watcher *']) {
      for (const receiver of this.#mailboxes.get(key)?.receivers ?? []) receiver(message);
    }
  }

  stopServing(): void {
    for (const mailbox of this.#mailboxes.values()) if (mailbox.role === 'server') mailbox.close();
  }

  serve(type: MessageBusType, message: unknown): boolean {
    const [first] = this.#mailboxes.get(`server ${type}`)?.receivers ?? [];
    first?.(message);
    return first !== undefined;
  }

  #start(key: string, channel: Channel, role: Role): Mailbox {
    const mailbox: Mailbox = { role, receivers: [], close: () => {} };
    this.#mailboxes.set(key, mailbox);
    const deliver = (incoming: BrokerMessage): void => {
      const opened = this.#open(incoming, role);
      if (opened === undefined) return;
      for (const receiver of role === 'server' ? mailbox.receivers.slice(0, 1) : mailbox.receivers) {
        receiver(opened.message);
      }
    };
    const queue = role === 'server' ? this.#group : undefined;
    const ends = this.#subjectsFor(channel, role).map((subject) => this.#link.subscribe(subject, deliver, queue));
    mailbox.close = () => {
      for (const end of ends.splice(0)) end();
    };
    return mailbox;
  }

  #subjectsFor(channel: Channel, role: Role): readonly string[] {
    const { everything, everyOf, questionsOf, answersOf, unaddressed, told } = this.#subjects;
    if (channel === '*') return [everything()];
    if (role === 'server') return [isQuestionType(channel) ? questionsOf(channel) : told(channel)];
    if (role === 'requester' && isReplyType(channel)) return [answersOf(channel), unaddressed(channel)];
    return [everyOf(channel)];
  }
}

const MAX_REMEMBERED_HOSTS = 1_000;

/** Detects hosts of one group with different configurations, since any of them may answer a request. */
class HostConfigurations {
  readonly #byHost = new Map<string, string>();
  readonly #reported = new Set<string>();

  findConflict(host: string, config: string | undefined): string | undefined {
    if (config === undefined || this.#byHost.get(host) === config) return undefined;
    const other = [...this.#byHost].findLast(([known, theirs]) => known !== host && theirs !== config);
    this.#byHost.delete(host);
    this.#byHost.set(host, config);
    const [oldest] = this.#byHost.keys();
    if (this.#byHost.size > MAX_REMEMBERED_HOSTS && oldest !== undefined) this.#byHost.delete(oldest);
    if (other === undefined) return undefined;
    const pair = [config, other[1]].sort().join(' ');
    if (this.#reported.has(pair)) return undefined;
    this.#reported.add(pair);
    return `hosts of one group run different configurations: ${host} has ${config}, ${other[0]} has ${other[1]}; which hooks a request meets depends on who answers it`;
  }
}
