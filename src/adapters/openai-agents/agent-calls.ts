// Tool calls of the OpenAI Agents SDK: their hooks run when the model answers, before the tools run.
import type { Hooks } from '../../facade/index.ts';
import { isRecord, isSameList, type Members } from '../../kit/index.ts';
import { type AdapterToolCall, BegunCall, BegunCalls } from '../core/begun-calls.ts';
import { NewestEntries } from '../core/wrapping.ts';

const PROVIDER_DATA_KEY = 'hookwright';

export type CallDescriber = (item: object) => AdapterToolCall | undefined;

export class AgentCalls {
  readonly hooks: Hooks;
  readonly begun = new BegunCalls();
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
   * Runs the hooks of all calls in parallel, before the SDK makes the calls. If a hook asks, the item gets the reason for
   * the user who approves the call.
   */
  async decideItems<Item extends object>(
    items: readonly Item[],
    describe: CallDescriber,
    signal: AbortSignal | undefined,
  ): Promise<readonly Item[]> {
    const decided = await Promise.all(items.map((item) => this.#decideItem(item, describe(item), signal)));
    return isSameList(decided, items) ? items : decided;
  }

  async #decideItem<Item extends object>(
    item: Item,
    call: AdapterToolCall | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Item> {
    const id = call?.id ?? readCallId(item);
    if (id !== undefined && signal !== undefined) this.signals.keep(id, signal);
    if (call === undefined || id === undefined || !this.wouldAsk(call.name)) return item;
    const begun = this.begin(call);
    this.begun.keep(id, begun);
    if ((await begun.clearance) !== 'ask') return item;
    const providerData: unknown = Reflect.get(item, 'providerData');
    const words = { [PROVIDER_DATA_KEY]: { ask: begun.question?.reason ?? '' } };
    return Object.assign({}, item, { providerData: isRecord(providerData) ? { ...providerData, ...words } : words });
  }
}

const readCallId = (item: object): string | undefined => {
  const id: unknown = Reflect.get(item, 'callId');
  return typeof id === 'string' ? id : undefined;
};

export const removeOwnData = <Input extends string | readonly object[]>(input: Input): Input | object[] => {
  if (typeof input === 'string' || !input.some(hasOwnData)) return input;
  return input.map((item) => {
    const { providerData, ...others }: Members = { ...item };
    if (!isRecord(providerData) || !hasOwnData(item)) return item;
    const { [PROVIDER_DATA_KEY]: _words, ...own } = providerData;
    return Object.keys(own).length === 0 ? others : { ...others, providerData: own };
  });
};

const hasOwnData = (item: object): boolean => {
  const data: unknown = Reflect.get(item, 'providerData');
  return isRecord(data) && PROVIDER_DATA_KEY in data;
};
