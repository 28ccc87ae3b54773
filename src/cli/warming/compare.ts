import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type HookConfig, type HookExecutionResult, likeOrigin } from '../../protocol/index.ts';
import type { HookRunner } from '../../runners/index.ts';
import { decisionIn, isBlocked } from '../rendering/verdict-text.ts';

/** What of a run has to be the same, by the names people know. */
const facts = {
  fault: ({ code }: HookExecutionResult) => code,
  'exit code': ({ exitCode, signal }: HookExecutionResult) => exitCode ?? signal,
  stderr: ({ stderr = '' }: HookExecutionResult) => stderr,
  answer: ({ output, stdout = '' }: HookExecutionResult) => output ?? stdout,
} satisfies Readonly<Record<string, (result: HookExecutionResult) => unknown>>;

export interface WarmDifference {
  readonly what: string;
  readonly cold: unknown;
  readonly warm: unknown;
}

export interface Times {
  readonly coldMs: number;
  readonly warmMs: number;
}

/** What came of a hook that was run both ways. */
export type WarmComparison =
  | ({ readonly state: 'equal'; readonly blocked: boolean } & Times)
  | { readonly state: 'differs'; readonly differences: readonly WarmDifference[] }
  /** It is not even the same from one cold run to the next. */
  | { readonly state: 'unsteady'; readonly differences: readonly WarmDifference[] }
  | { readonly state: 'not-served'; readonly why: string };

/**
 * Long enough for what acts before it reads to have done so, for spares are looked at when their event comes: some looks, and
 * twice what a whole run takes.
 */
const settleMs = (cold: readonly HookExecutionResult[]): number =>
  400 + 2 * Math.max(...cold.map(({ duration }) => duration));

const differencesOf = (cold: HookExecutionResult, warm: HookExecutionResult): WarmDifference[] =>
  Object.entries(facts).flatMap(([what, of]) =>
    isDeepStrictEqual(of(cold), of(warm)) ? [] : [{ what, cold: of(cold), warm: of(warm) }],
  );

const middle = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;

/** Runs one hook in both ways, with a runner of its own: what was started ahead ends with that. */
export class Trial {
  readonly #runner: HookRunner;
  readonly #eventName: string;
  readonly #cold: HookConfig;
  readonly #warm: HookConfig;
  readonly #signal: AbortSignal;

  constructor(runner: HookRunner, hook: HookConfig, eventName: string, signal: AbortSignal) {
    this.#runner = runner;
    this.#eventName = eventName;
    this.#signal = signal;
    this.#cold = likeOrigin({ ...hook, warm: false }, hook);
    this.#warm = likeOrigin({ ...hook, warm: true }, hook);
  }

  async compare(inputs: readonly object[]): Promise<WarmComparison> {
    const cold: HookExecutionResult[] = [];
    const warm: HookExecutionResult[] = [];
    for (const input of inputs) cold.push(await this.#run(this.#cold, input));
    // The first run of a warm hook is a cold one, after which the next process is started.
    for (const input of inputs.slice(0, 1)) await this.#run(this.#warm, input);
    for (const [index, input] of inputs.entries()) {
      await sleep(settleMs(cold), undefined, { signal: this.#signal });
      const result = await this.#run(this.#warm, input);
      if (result.warm !== 'hit') return { state: 'not-served', why: notServed(result) };
      warm.push(result);
      const before = cold[index];
      const differences = before === undefined ? [] : differencesOf(before, result);
      if (before === undefined || differences.length === 0) continue;
      const again = differencesOf(before, await this.#run(this.#cold, input));
      return again.length > 0 ? { state: 'unsteady', differences: again } : { state: 'differs', differences };
    }
    return {
      state: 'equal',
      blocked: cold.some(({ output }) => isBlocked(decisionIn(this.#eventName, output))),
      coldMs: middle(cold.map(({ duration }) => duration)),
      warmMs: middle(warm.map(({ duration }) => duration)),
    };
  }

  async #run(hook: HookConfig, input: object): Promise<HookExecutionResult> {
    const [result] = await this.#runner.executeAll([hook], this.#eventName, input, undefined, undefined, this.#signal);
    this.#signal.throwIfAborted();
    if (result === undefined) throw new Error('unreachable: a run has a result');
    return result;
  }
}

const notServed = ({ warnings = [] }: HookExecutionResult): string =>
  warnings.find(({ code }) => code === 'acts-early')?.message ??
  'no process of it was waiting: files that it depends on change with each run, or processes are not started ahead here';
