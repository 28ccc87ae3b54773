// Selects the entries of a session by event, tool and hook.
import { createInvalidArgument } from '../../../errors.ts';
import { describeValue, expectKnown, isRecord, RecentMap, textOf } from '../../../kit/index.ts';
import { type HookMessage, isReplyType, MessageBusType } from '../../../protocol/index.ts';
import type { SessionEntry, SessionFilter } from '../session-format.ts';

const filterNames = ['events', 'tools', 'hooks'] as const satisfies (keyof SessionFilter)[];

const checkFilter = (filter: SessionFilter): void => {
  expectKnown('entries', filter, filterNames);
  for (const name of filterNames) {
    const names: unknown = filter[name];
    if (names === undefined || (Array.isArray(names) && names.every((one) => typeof one === 'string'))) continue;
    throw createInvalidArgument(`${name}: expected a list of names, got ${describeValue(names)}`);
  }
};

const readEventName = (message: HookMessage): string | undefined =>
  textOf(Reflect.get(message, 'eventName')) ?? textOf(Reflect.get(message, 'eventType'));

const readToolName = (message: HookMessage): string | undefined => {
  if (message.type === MessageBusType.HOOK_CONFIRMATION_REQUEST) return message.toolName;
  if (message.type === MessageBusType.HOOK_EXECUTION_TRACE) return message.subject;
  if (message.type !== MessageBusType.HOOK_EXECUTION_REQUEST) return undefined;
  const payload = message.payload ?? message.input;
  return isRecord(payload) ? textOf(payload.tool_name) : undefined;
};

const listHookNames = (message: HookMessage): readonly string[] => {
  if (message.type === MessageBusType.HOOK_STARTED) return [message.hookId, message.hookName];
  if (message.type !== MessageBusType.HOOK_EXECUTION_TRACE) return [];
  return message.rows.filter(({ planned }) => planned === 'run').flatMap(({ hookId, name }) => [hookId, name]);
};

const MAX_MESSAGES_PER_REQUEST = 10_000;

/** A set of entry numbers with one bit per entry, since sessions can have millions of entries. */
class EntrySet {
  #words = new Uint32Array(1_024);

  add(index: number): void {
    const word = index >>> 5;
    if (word >= this.#words.length) {
      const longer = new Uint32Array(Math.max(word + 1, this.#words.length * 2));
      longer.set(this.#words);
      this.#words = longer;
    }
    this.#words[word] = (this.#words[word] ?? 0) | (1 << (index & 31));
  }

  has(index: number): boolean {
    return ((this.#words[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;
  }
}

/** The hooks of a request are named in a later trace, so a filter by hooks first reads all entries (`learn`). */
export class EntryFilter {
  readonly #filter: SessionFilter;
  readonly #decided = new RecentMap<boolean>();
  readonly #wantedByHook = new EntrySet();
  readonly #learning = new RecentMap<{ readonly indexes: number[]; isWanted: boolean }>();
  #learned = 0;
  #checked = 0;

  constructor(filter: SessionFilter = {}) {
    checkFilter(filter);
    this.#filter = filter;
  }

  get keepsAll(): boolean {
    const { events, tools, hooks } = this.#filter;
    return events === undefined && tools === undefined && hooks === undefined;
  }

  get hasToLearn(): boolean {
    return this.#filter.hooks !== undefined;
  }

  learn({ message }: SessionEntry): void {
    const { correlationId } = message;
    const index = this.#learned;
    this.#learned += 1;
    const conversation = this.#learning.get(correlationId) ?? { indexes: [], isWanted: false };
    const hooks = this.#filter.hooks ?? [];
    if (!conversation.isWanted) conversation.isWanted = listHookNames(message).some((hook) => hooks.includes(hook));
    if (conversation.indexes.length < MAX_MESSAGES_PER_REQUEST) conversation.indexes.push(index);
    if (conversation.isWanted) for (const one of conversation.indexes.splice(0)) this.#wantedByHook.add(one);
    if (isReplyType(message.type)) this.#learning.delete(correlationId);
    else this.#learning.set(correlationId, conversation);
  }

  keeps({ message }: SessionEntry): boolean {
    const index = this.#checked;
    this.#checked += 1;
    if (this.#filter.hooks !== undefined && !this.#wantedByHook.has(index)) return false;
    return this.#matchesEventAndTool(message);
  }

  #matchesEventAndTool(message: HookMessage): boolean {
    const { events, tools } = this.#filter;
    if (events === undefined && tools === undefined) return true;
    const { correlationId } = message;
    const known = this.#decided.get(correlationId);
    const isWanted = known ?? (isListed(events, readEventName(message)) && isListed(tools, readToolName(message)));
    if (isReplyType(message.type)) this.#decided.delete(correlationId);
    else if (known === undefined) this.#decided.set(correlationId, isWanted);
    return isWanted;
  }
}

const isListed = (list: readonly string[] | undefined, name: string | undefined): boolean =>
  list === undefined || (name !== undefined && list.includes(name));

export const filterEntries = (
  filter: SessionFilter | undefined,
  read: () => AsyncGenerator<SessionEntry, void, undefined>,
  first: () => AsyncIterable<SessionEntry> = read,
): AsyncIterable<SessionEntry> => {
  // An invalid filter throws here, not later during the iteration.
  if (new EntryFilter(filter).keepsAll) return { [Symbol.asyncIterator]: read };
  const filtered = async function* (): AsyncGenerator<SessionEntry, void, undefined> {
    const wanted = new EntryFilter(filter);
    if (wanted.hasToLearn) for await (const entry of first()) wanted.learn(entry);
    for await (const entry of read()) if (wanted.keeps(entry)) yield entry;
  };
  return { [Symbol.asyncIterator]: filtered };
};
