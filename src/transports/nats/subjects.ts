/** Names the subjects of messages on a NATS broker. */
import { isMessageType } from '../../bus/internal.ts';
import { createInvalidArgument } from '../../errors.ts';
import { describeValue } from '../../kit/index.ts';
import { MessageBusType } from '../../protocol/index.ts';
import type { ReplyAddress } from '../received-requests.ts';

const PREFIX_PATTERN = /^[\w-]+(?:\.[\w-]+)*$/;

/** Encodes a text as one token of a subject, in which `.`, `*` and `>` have a meaning. */
export const toSubjectToken = (text: string): string =>
  encodeURIComponent(text).replace(/[.!~*'()]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);

/**
 * The subjects of messages. Broker permissions name them, so they are part of the public interface:
 *
 * - `<root>.bus.<type>.ask.<caller>`: a request; one host of a group gets it
 * - `<root>.bus.<type>.to.<caller>.<number>`: its response
 * - `<root>.bus.<type>.all`: a response whose requester is unknown
 * - `<root>.bus.<type>.told`: everything else, for watchers; `<root>.bus.hook-execution-cancel.by.<caller>`: a cancel
 * - `<root>.host.<host>.…`: to one host; `<root>.caller.<caller>.…`: to one caller
 * - `<root>.who`: the roll call of hosts; `<root>.hosts`: a host's configuration, for the others
 *
 * `<root>` is the prefix and the group.
 */
export class NatsSubjects {
  readonly #root: string;
  readonly caller: string;
  readonly #depth: number;
  #read: { readonly subject: string; readonly tokens: readonly string[] } = { subject: '', tokens: [] };

  constructor(prefix: string, group: string, caller: string) {
    if (!PREFIX_PATTERN.test(prefix)) {
      const expected = 'words of letters, digits, - and _, joined by dots';
      throw createInvalidArgument(`prefix: expected ${expected}, got ${describeValue(prefix)}`);
    }
    this.#root = `${prefix}.${toSubjectToken(group)}`;
    this.caller = caller;
    this.#depth = this.#root.split('.').length;
  }

  readonly everything = (): string => `${this.#root}.bus.>`;
  readonly everyOf = (type: MessageBusType): string => `${this.#root}.bus.${type}.>`;
  readonly questionsOf = (type: MessageBusType): string => `${this.#root}.bus.${type}.ask.*`;
  readonly question = (type: MessageBusType): string => `${this.#root}.bus.${type}.ask.${this.caller}`;
  readonly answersOf = (type: MessageBusType): string => `${this.#root}.bus.${type}.to.${this.caller}.>`;
  readonly answer = (type: MessageBusType, { caller, number }: ReplyAddress): string =>
    `${this.#root}.bus.${type}.to.${caller}.${number}`;
  readonly unaddressed = (type: MessageBusType): string => `${this.#root}.bus.${type}.all`;
  readonly told = (type: MessageBusType): string => `${this.#root}.bus.${type}.told`;

  readonly cancel = (): string => `${this.#root}.bus.${MessageBusType.HOOK_EXECUTION_CANCEL}.by.${this.caller}`;

  readonly hosts = (): string => `${this.#root}.hosts`;
  readonly who = (): string => `${this.#root}.who`;
  readonly toHost = (host: string): string => `${this.#root}.host.${host}.>`;
  readonly alive = (host: string): string => `${this.#root}.host.${host}.alive`;
  readonly direct = (host: string, type: MessageBusType): string =>
    `${this.#root}.host.${host}.ask.${type}.${this.caller}`;

  readonly toCaller = (): string => `${this.#root}.caller.${this.caller}.>`;
  readonly taken = ({ caller, number }: ReplyAddress): string => `${this.#root}.caller.${caller}.taken.${number}`;
  readonly pong = (host: string): string => `${this.#root}.caller.${this.caller}.alive.${host}`;
  readonly present = (order: number): string => `${this.#root}.caller.${this.caller}.present.${order}`;

  /** Checks the reply subject that a request names, so that it cannot make a host publish on other subjects. */
  isCallers(subject: string | undefined): subject is string {
    return subject?.startsWith(`${this.#root}.caller.`) === true && !/[*>\s]/.test(subject);
  }

  tokensOf(subject: string): readonly string[] {
    if (subject !== this.#read.subject) this.#read = { subject, tokens: subject.split('.').slice(this.#depth) };
    return this.#read.tokens;
  }

  typeOf(subject: string): MessageBusType | undefined {
    const [room, first, , direct] = this.tokensOf(subject);
    const type = room === 'host' ? direct : first;
    return isMessageType(type) ? type : undefined;
  }

  numberHere(subject: string): string | undefined {
    const [room, , how, caller, number] = this.tokensOf(subject);
    return room === 'bus' && how === 'to' && caller === this.caller ? number : undefined;
  }

  cancellerIn(subject: string): string | undefined {
    const [, , how, caller] = this.tokensOf(subject);
    return how === 'by' ? caller : undefined;
  }

  addressIn(subject: string, reply: string | undefined, answerType: MessageBusType): ReplyAddress | undefined {
    const caller = this.tokensOf(subject).at(-1);
    const number = reply?.slice(reply.lastIndexOf('.') + 1);
    if (caller === undefined || number === undefined || number === '') return undefined;
    const address = { caller, number };
    return reply === this.answer(answerType, address) ? address : undefined;
  }
}
