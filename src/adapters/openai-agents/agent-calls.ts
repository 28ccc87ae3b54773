// Tool calls that the hooked model has decided and the hooked tools will run.
import type { Hooks } from '../../facade/index.ts';
import { isRecord } from '../../kit/index.ts';
import { type AdapterToolCall, BegunCall, BegunCalls } from '../core/begun-calls.ts';
import { NewestEntries } from '../core/wrapping.ts';

type Members = Readonly<Record<string, unknown>>;

/** Key of our data in `providerData`; it is removed before a model sees the item. */
const KEY = 'hookwright';

/** The tool call of an item in an answer; `undefined` for other items. */
export type Describe = (item: object) => AdapterToolCall | undefined;

export class AgentCalls {
  readonly hooks: Hooks;
  readonly begun = new BegunCalls();
  /** Signal of the run in which a call was made. */
  readonly signals = new NewestEntries<AbortSignal>();

  constructor(hooks: Hooks) {
    this.hooks = hooks;
  }

  begin(call: AdapterToolCall): BegunCall {
    const { id } = call;
    return new BegunCall(this.hooks, call, id === undefined ? undefined : this.signals.get(id));
  }

  wouldAsk(toolName: string): boolean {
    return this.hooks.system.wouldRun('BeforeTool', { toolName });
  }

  /**
   * Runs the hooks of all calls in an answer in parallel, before the SDK makes the calls. If a hook asks, the item
   * carries the reason for the user who approves it.
   */
  async decided<Item extends object>(
    items: readonly Item[],
    describe: Describe,
    signal: AbortSignal | undefined,
  ): Promise<readonly Item[]> {
    const decided = await Promise.all(items.map((item) => this.#decided(item, describe(item), signal)));
    return decided.every((item, index) => item === items[index]) ? items : decided;
  }

  async #decided<Item extends object>(
    item: Item,
    call: AdapterToolCall | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Item> {
    const id = call?.id ?? callIdOf(item);
    if (id !== undefined && signal !== undefined) this.signals.keep(id, signal);
    if (call === undefined || id === undefined || !this.wouldAsk(call.name)) return item;
    const begun = this.begin(call);
    this.begun.keep(id, begun);
    if ((await begun.clearance) !== 'ask') return item;
    const providerData: unknown = Reflect.get(item, 'providerData');
    const words = { [KEY]: { ask: begun.question?.reason ?? '' } };
    return Object.assign({}, item, { providerData: isRecord(providerData) ? { ...providerData, ...words } : words });
  }
}

const callIdOf = (item: object): string | undefined => {
  const id: unknown = Reflect.get(item, 'callId');
  return typeof id === 'string' ? id : undefined;
};

/** Removes our data from the items. */
export const withoutWords = <Input extends string | readonly object[]>(input: Input): Input | object[] => {
  if (typeof input === 'string' || !input.some(hasWords)) return input;
  return input.map((item) => {
    const { providerData, ...others }: Members = { ...item };
    if (!isRecord(providerData) || !hasWords(item)) return item;
    const { [KEY]: _words, ...own } = providerData;
    return Object.keys(own).length === 0 ? others : { ...others, providerData: own };
  });
};

const hasWords = (item: object): boolean => {
  const data: unknown = Reflect.get(item, 'providerData');
  return isRecord(data) && KEY in data;
};
