// Runs the hooks of one event in a given order and with given delays, and returns the merged fields.
import { setTimeout as sleep } from 'node:timers/promises';
import { createInvalidArgument } from '../../../errors.ts';
import type { HookEventName, PayloadOf } from '../../../events/index.ts';
import { describeThrown, doNothing, isRecord, omitUndefined } from '../../../kit/index.ts';
import { MAX_TIMEOUT_MS } from '../../../protocol/index.ts';
import type { HookRunner } from '../../../runners/index.ts';
import { flattenFields } from '../compare-fields.ts';
import {
  createTrialHandler,
  listFaults,
  type PlannedRequest,
  type TrialEngine,
  throwIfAborted,
} from '../trial-engine.ts';

export interface HookArrangement {
  readonly order: readonly number[];
  readonly delays: ReadonlyMap<number, number>;
}

export type MergedFields = ReadonlyMap<string, unknown>;

export interface RaceRunnerOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
  readonly reset?: (() => unknown) | undefined;
}

const toArrangementKey = ({ order, delays }: HookArrangement): string =>
  order.map((index) => `${index}+${delays.get(index) ?? 0}`).join();

const flattenSpecificOutput = (output: object): Record<string, unknown> => {
  const { hookSpecificOutput, ...fields }: Record<string, unknown> = { ...output };
  if (!isRecord(hookSpecificOutput)) return fields;
  for (const [key, value] of Object.entries(hookSpecificOutput)) {
    fields[Object.hasOwn(fields, key) ? `hookSpecificOutput.${key}` : key] = value;
  }
  return fields;
};

export class RaceRunner<E extends HookEventName> {
  readonly #engine: TrialEngine;
  readonly #eventName: E;
  readonly #payload: PayloadOf<E>;
  readonly #planned: PlannedRequest;
  readonly #options: RaceRunnerOptions;
  readonly #runner: HookRunner;
  readonly #known = new Map<string, MergedFields>();
  count = 0;

  constructor(
    engine: TrialEngine,
    eventName: E,
    payload: PayloadOf<E>,
    planned: PlannedRequest,
    options: RaceRunnerOptions,
  ) {
    this.#engine = engine;
    this.#eventName = eventName;
    this.#payload = payload;
    this.#planned = planned;
    this.#options = options;
    this.#runner = engine.createRunner();
  }

  async resultOf(arrangement: HookArrangement): Promise<MergedFields> {
    const key = toArrangementKey(arrangement);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const result = await this.run(arrangement);
    this.#known.set(key, result);
    return result;
  }

  async run({ order, delays }: HookArrangement): Promise<MergedFields> {
    const { signal, timeoutMs = MAX_TIMEOUT_MS } = this.#options;
    throwIfAborted(signal, 'The search for races');
    await this.#reset();
    this.count += 1;
    const hooks = order.flatMap((index) => this.#planned.hooks[index] ?? []);
    const held = new Map(order.map((index) => [this.#planned.hooks[index]?.config, delays.get(index) ?? 0]));
    const { sequential } = this.#planned;
    const plan = { eventName: this.#eventName, hookConfigs: hooks.map((hook) => hook.config), sequential };
    const handler = createTrialHandler(this.#engine, plan, async ({ hook, eventName, input, signal: ending }) => {
      const delay = held.get(hook) ?? 0;
      if (delay > 0) await sleep(delay, undefined, { signal: ending ?? signal }).catch(doNothing);
      return this.#runner.executeHook(hook, eventName, input, ending);
    });
    const total = [...held.values()].reduce((sum, delay) => sum + delay, 0);
    const limit = Math.min(MAX_TIMEOUT_MS, timeoutMs + total);
    const detailed = await handler.fireDetailed(this.#eventName, this.#payload, { timeoutMs: limit, signal });
    throwIfAborted(signal, 'The search for races');
    const faults = listFaults(hooks, detailed.results);
    return flattenFields({
      ...flattenSpecificOutput(detailed.result.finalOutput ?? {}),
      ...Object.fromEntries(faults.map(({ hook, code }) => [`fault of ${hook}`, code])),
      ...omitUndefined({ error: detailed.error?.code }),
    });
  }

  async #reset(): Promise<void> {
    try {
      await this.#options.reset?.();
    } catch (error) {
      throw createInvalidArgument(`reset failed: ${describeThrown(error)}`);
    }
  }

  dispose(): Promise<void> {
    return this.#runner.dispose();
  }
}
