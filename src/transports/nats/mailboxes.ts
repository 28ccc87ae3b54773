import type { Channel, Role } from '../../bus/index.ts';
import { isQuestionType, isReplyType, type MessageBusType } from '../../protocol/index.ts';
import type { Incoming } from './incoming.ts';
import type { Link } from './link.ts';
import type { NatsSubjects } from './subjects.ts';

type Deliver = (message: unknown) => void;

interface Mailbox {
  readonly channel: Channel;
  readonly role: Role;
  /** Replaced, never changed: who comes or goes during a delivery does not disturb it. */
  receivers: readonly Deliver[];
  close: () => void;
}

/** Opens the message of what arrived in a mailbox; nothing where it is for nobody. */
export type Opener = (incoming: Incoming, role: Role) => { readonly message: unknown } | undefined;

/** Who receives what in this process. All receivers of one channel in one role share a subscription, and what comes is read once. */
export class Mailboxes {
  readonly #link: Link;
  readonly #subjects: NatsSubjects;
  readonly #group: string;
  readonly #open: Opener;
  readonly #mailboxes = new Map<string, Mailbox>();

  constructor(link: Link, subjects: NatsSubjects, group: string, open: Opener) {
    this.#link = link;
    this.#subjects = subjects;
    this.#group = group;
    this.#open = open;
  }

  receive(channel: Channel, role: Role, deliver: Deliver): () => void {
    const key = `${role} ${channel}`;
    const mailbox = this.#mailboxes.get(key) ?? this.#start(key, channel, role);
    let isActive = true;
    // A wrapper of its own: the same function may receive twice.
    const receiver: Deliver = (message) => {
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

  /** Gives a message of this process to whoever receives answers here, as if it had come from the broker. */
  deliverHere(type: MessageBusType, message: unknown): void {
    for (const key of [`requester ${type}`, `watcher ${type}`, 'watcher *']) {
      for (const receiver of this.#mailboxes.get(key)?.receivers ?? []) receiver(message);
    }
  }

  /** Whether questions are answered here. */
  get serves(): boolean {
    return [...this.#mailboxes.values()].some(({ role }) => role === 'server');
  }

  /** Takes no more questions; what arrived already is still delivered. */
  stopServing(): void {
    for (const mailbox of this.#mailboxes.values()) if (mailbox.role === 'server') mailbox.close();
  }

  /** One of those who serve gets it; false where there is nobody left. */
  serve(type: MessageBusType, message: unknown): boolean {
    const [first] = this.#mailboxes.get(`server ${type}`)?.receivers ?? [];
    first?.(message);
    return first !== undefined;
  }

  #start(key: string, channel: Channel, role: Role): Mailbox {
    const mailbox: Mailbox = { channel, role, receivers: [], close: () => {} };
    this.#mailboxes.set(key, mailbox);
    const deliver = (incoming: Incoming): void => {
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
