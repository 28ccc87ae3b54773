// Searches for pairs of hooks whose order or timing changes the merged answer of an event.
import { setTimeout as sleep } from 'node:timers/promises';
import type { HookEventName } from '../../../events/index.ts';
import { isEqualJson, listDifferingPaths } from '../compare-fields.ts';
import type { HookArrangement, MergedFields, RaceRunner } from './race-runner.ts';

export interface RaceFinding {
  readonly hooks: readonly [string, string];
  /** Dotted path in the merged answer, such as `tool_input.path`. */
  readonly field: string;
  /** Values of `field` with the first hook before the second, and with the second before the first. */
  readonly results: readonly [unknown, unknown];
  /** `order`: the configured order makes the difference. `latency`: the start times do. */
  readonly how: 'order' | 'latency';
}

export interface RaceSearchOptions {
  readonly names: readonly string[];
  readonly sequential: boolean;
  readonly orders: number;
  readonly latencies: readonly number[];
  readonly signal: AbortSignal;
}

interface ArrangementKind {
  readonly how: RaceFinding['how'];
  readonly arrange: (order: HookOrder) => HookArrangement;
}

interface RacingPair {
  readonly hooks: readonly [number, number];
  readonly results: readonly [unknown, unknown];
}

const createDelays = (order: HookOrder, latency: number): ReadonlyMap<number, number> =>
  new Map(order.map((index, place) => [index, place * latency]));

const sortOrder = (order: HookOrder): HookOrder => order.toSorted((a, b) => a - b);

/** Milliseconds between two runs of a hook, so that an answer with a timestamp in whole seconds likely differs. */
const TIMESTAMP_WAIT_MS = 600;

const listPairs = (count: number): [number, number][] =>
  createConfiguredOrder(count).flatMap((a) =>
    createConfiguredOrder(count - a - 1).map((b): [number, number] => [a, a + b + 1]),
  );

/** If an order of hooks changes the result, neighbours are swapped one by one until a swap shows which two race. */
export class RaceSearch<E extends HookEventName> {
  readonly unsteady = new Set<string>();
  /** Field → name of a hook that changes the field in every run, even alone. Such fields are not compared. */
  readonly varying = new Map<string, string>();
  readonly #notCompared = new Set<string>();
  readonly #runs: RaceRunner<E>;
  readonly #options: RaceSearchOptions;
  readonly #latency: number;
  readonly #configuredOrder: HookOrder;
  readonly #found = new Map<string, RacingPair & { readonly field: string; readonly how: RaceFinding['how'] }>();

  constructor(runs: RaceRunner<E>, options: RaceSearchOptions) {
    this.#runs = runs;
    this.#options = options;
    this.#latency = Math.max(0, ...options.latencies);
    this.#configuredOrder = createConfiguredOrder(options.names.length);
  }

  get findings(): RaceFinding[] {
    const { names } = this.#options;
    const name = (index: number): string => names[index] ?? '';
    return [...this.#found.values()]
      .sort((a, b) => a.hooks[0] - b.hooks[0] || a.hooks[1] - b.hooks[1])
      .map(({ hooks: [a, b], field, results, how }) => ({ hooks: [name(a), name(b)], field, results, how }));
  }

  async search(): Promise<void> {
    const { names, sequential, orders, latencies } = this.#options;
    const count = names.length;
    await this.#findVaryingFields();
    await this.#explore(this.#byOrder(), selectOrders(count, orders));
    for (const latency of latencies.filter((one) => one > 0)) {
      // Hooks of a sequence never overlap, so a delay only matters for processes that an earlier hook left running: one
      // order per hook and the usual one are enough.
      const starts = selectOrders(count, sequential ? Math.min(orders, count + 1) : orders);
      await this.#explore(this.#byStart(latency), starts);
    }
    if (latencies.includes(0) && !sequential) await this.#tryAllAtOnce();
  }

  #byOrder(): ArrangementKind {
    const latency = this.#options.sequential ? 0 : this.#latency;
    return { how: 'order', arrange: (order) => ({ order, delays: createDelays(sortOrder(order), latency) }) };
  }

  #byStart(latency: number): ArrangementKind {
    return {
      how: 'latency',
      arrange: (starts) => ({ order: sortOrder(starts), delays: createDelays(starts, latency) }),
    };
  }

  #differing(a: MergedFields, b: MergedFields): string[] {
    return listDifferingPaths(a, b).filter((field) => !this.varying.has(field) && !this.#notCompared.has(field));
  }

  #add(how: RaceFinding['how'], field: string, pair: RacingPair): void {
    const key = JSON.stringify([how, pair.hooks, field]);
    if (!this.#found.has(key)) this.#found.set(key, { ...pair, field, how });
  }

  /** Compares only later runs of the hooks, because the first run may create files that later runs find. */
  async #findVaryingFields(): Promise<void> {
    const straight = this.#byOrder().arrange(this.#configuredOrder);
    await this.#runs.run(straight);
    const first = await this.#runs.run(straight);
    const second = await this.#runs.resultOf(straight);
    const fields = this.#differing(first, second);
    if (fields.length === 0) return;
    await this.#learnAlone(this.#configuredOrder);
    for (const field of fields) {
      if (this.varying.has(field)) continue;
      await this.#blamePair(field, [first.get(field), second.get(field)]);
    }
  }

  async #learnAlone(hooks: HookOrder): Promise<void> {
    for (const hook of hooks) {
      const alone = this.#byOrder().arrange([hook]);
      const first = await this.#runs.run(alone);
      const second = await this.#runs.run(alone);
      await sleep(TIMESTAMP_WAIT_MS, undefined, { signal: this.#options.signal }).catch(() => undefined);
      const third = await this.#runs.run(alone);
      for (const field of [...listDifferingPaths(first, second), ...listDifferingPaths(first, third)]) {
        this.varying.set(field, this.#options.names[hook] ?? '');
      }
    }
  }

  async #explore(kind: ArrangementKind, orders: readonly HookOrder[]): Promise<void> {
    for (const order of orders) {
      const base = await this.#runs.resultOf(kind.arrange(this.#configuredOrder));
      const result = await this.#runs.resultOf(kind.arrange(order));
      for (const field of this.#differing(base, result)) await this.#explain(kind, listStepsTo(order), field);
    }
  }

  async #explain(kind: ArrangementKind, steps: readonly HookOrder[], field: string): Promise<void> {
    const [from, to] = [steps[0], steps.at(-1)];
    if (from === undefined || to === undefined) return;
    const [before, after] = [
      await this.#runs.resultOf(kind.arrange(from)),
      await this.#runs.resultOf(kind.arrange(to)),
    ];
    if (isEqualJson(before.get(field), after.get(field))) return;
    if (steps.length > 2) {
      const middle = Math.floor(steps.length / 2);
      await this.#explain(kind, steps.slice(0, middle + 1), field);
      await this.#explain(kind, steps.slice(middle), field);
      return;
    }
    const hooks = findSwap(from, to);
    if (hooks === undefined || this.#found.has(JSON.stringify([kind.how, hooks, field]))) return;
    await this.#settle(kind, field, { hooks, results: [before.get(field), after.get(field)] }, [from, to]);
  }

  async #settle(
    kind: ArrangementKind,
    field: string,
    pair: RacingPair,
    inContext: readonly [HookOrder, HookOrder],
  ): Promise<void> {
    const [a, b] = pair.hooks;
    const alone = await this.#inBothOrders(kind, field, [
      [a, b],
      [b, a],
    ]);
    const isReproduced = !isEqualJson(...alone.results);
    const { results, isSteady } = isReproduced ? alone : await this.#inBothOrders(kind, field, inContext);
    if (isSteady && !isEqualJson(...results)) {
      this.#add(kind.how, field, { hooks: pair.hooks, results });
      return;
    }
    await this.#learnAlone(pair.hooks);
    if (this.varying.has(field)) return;
    if (isReproduced) this.#add('latency', field, { hooks: pair.hooks, results });
    else await this.#blamePair(field, pair.results);
  }

  async #inBothOrders(
    kind: ArrangementKind,
    field: string,
    [first, second]: readonly [HookOrder, HookOrder],
  ): Promise<{ readonly results: readonly [unknown, unknown]; readonly isSteady: boolean }> {
    const settled = async (order: HookOrder): Promise<readonly [unknown, boolean]> => {
      const value = (await this.#runs.resultOf(kind.arrange(order))).get(field);
      const again = (await this.#runs.run(kind.arrange(order))).get(field);
      return [value, isEqualJson(value, again)];
    };
    const [a, isFirstSteady] = await settled(first);
    const [b, isSecondSteady] = await settled(second);
    return { results: [a, b], isSteady: isFirstSteady && isSecondSteady };
  }

  async #tryAllAtOnce(): Promise<void> {
    const apart = await this.#runs.resultOf(this.#byOrder().arrange(this.#configuredOrder));
    const atOnce = await this.#runs.resultOf(this.#byStart(0).arrange(this.#configuredOrder));
    for (const field of this.#differing(apart, atOnce)) {
      if ([...this.#found.values()].some((one) => one.field === field && one.how === 'latency')) continue;
      await this.#blamePair(field, [apart.get(field), atOnce.get(field)]);
    }
  }

  async #blamePair(field: string, seen: readonly [unknown, unknown]): Promise<void> {
    const pair = await this.#pairFor(field, seen);
    if (pair === undefined) this.unsteady.add(field);
    else this.#add('latency', field, pair);
    this.#notCompared.add(field);
  }

  async #pairFor(field: string, seen: readonly [unknown, unknown]): Promise<RacingPair | undefined> {
    const pairs = listPairs(this.#options.names.length);
    const [only] = pairs;
    if (only !== undefined && pairs.length === 1) return { hooks: only, results: seen };
    for (const [a, b] of pairs) {
      const { arrange } = this.#byStart(this.#latency);
      const atOnce = this.#byStart(0).arrange([a, b]);
      const values: unknown[] = [];
      for (const arrangement of [arrange([a, b]), arrange([b, a]), atOnce, atOnce]) {
        values.push((await this.#runs.run(arrangement)).get(field));
      }
      const other = values.findIndex((value) => !isEqualJson(value, values[0]));
      if (other !== -1) return { hooks: [a, b], results: [values[0], values[other]] };
    }
    return undefined;
  }
}

type HookOrder = readonly number[];

const createConfiguredOrder = (count: number): HookOrder => Array.from({ length: count }, (_, index) => index);

const moveHook = (order: HookOrder, from: number, to: number): HookOrder => {
  const others = order.filter((_, index) => index !== from);
  return [...others.slice(0, to), ...order.slice(from, from + 1), ...others.slice(to)];
};

function* listAllOrders(rest: HookOrder, begun: HookOrder = []): Generator<HookOrder> {
  if (rest.length === 0) yield begun;
  for (const [index, next] of rest.entries()) {
    yield* listAllOrders(
      rest.filter((_, at) => at !== index),
      [...begun, next],
    );
  }
}

const createSeededRandom = (): (() => number) => {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
};

const shuffleOrder = (order: HookOrder, random: () => number): HookOrder => {
  const copy = [...order];
  for (let index = copy.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [copy[index], copy[other]] = [copy[other] ?? 0, copy[index] ?? 0];
  }
  return copy;
};

function* drawOrders(count: number): Generator<HookOrder> {
  const straight = createConfiguredOrder(count);
  yield straight.toReversed();
  for (const index of straight.toReversed()) yield moveHook(straight, index, count - 1);
  for (const index of straight) yield moveHook(straight, index, 0);
  for (const index of straight.slice(1)) yield moveHook(straight, index, index - 1);
  const random = createSeededRandom();
  for (;;) yield shuffleOrder(straight, random);
}

/** Selects the same orders each time, so that repeated searches report the same races. */
const selectOrders = (count: number, limit: number): HookOrder[] => {
  const straight = createConfiguredOrder(count);
  const found = new Map([[straight.join(), straight]]);
  const possible =
    count <= 8 ? straight.reduce((product, index) => product * (index + 1), 1) : Number.POSITIVE_INFINITY;
  const wanted = Math.min(limit, possible);
  for (const order of possible <= limit ? listAllOrders(straight) : drawOrders(count)) {
    if (found.size >= wanted) break;
    found.set(order.join(), order);
  }
  return [...found.values()].slice(1);
};

const listStepsTo = (order: HookOrder): HookOrder[] => {
  let current = createConfiguredOrder(order.length);
  const steps = [current];
  for (const [place, wanted] of order.entries()) {
    for (let at = current.indexOf(wanted); at > place; at -= 1) {
      current = moveHook(current, at, at - 1);
      steps.push(current);
    }
  }
  return steps;
};

const findSwap = (a: HookOrder, b: HookOrder): [number, number] | undefined => {
  const at = a.findIndex((one, index) => one !== b[index]);
  const [first, second] = [a[at], a[at + 1]];
  return first === undefined || second === undefined ? undefined : [Math.min(first, second), Math.max(first, second)];
};
