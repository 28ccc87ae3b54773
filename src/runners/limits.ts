import { availableParallelism } from 'node:os';
import { DEFAULT_MODEL_TEXT_BYTES, DEFAULT_TIMEOUT_MS, type HookConfig, MAX_TIMEOUT_MS } from '../protocol/index.ts';

/** How far hooks may go. The defaults come from measurements and are part of what the library promises. */
export interface RunnerLimits {
  /** Hooks that run at once, in one engine. */
  readonly concurrency: number;
  /** From the polite signal to the one that cannot be ignored. */
  readonly killGraceMs: number;
  /** How long output is waited for after a hook has ended. */
  readonly drainMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Processes of warm hooks that wait for their event, in all. */
  readonly spares: number;
  /** Of one warm hook: more than one where its events come at once. */
  readonly sparesPerHook: number;
  /** What may wait to be read by one worker. */
  readonly workerQueueBytes: number;
  /** After so many requests a worker is replaced by a fresh one. */
  readonly workerRequests: number;
  /** A worker that holds more memory is replaced. Linux only. */
  readonly workerRssBytes: number;
  /**
   * A host that holds more memory than this has its commands started by a small process beside it: a start of its own would
   * hold its event loop, the longer the more it holds. Linux only.
   */
  readonly largeHostBytes: number;
  /** What the hooks of one event together may say to the model: messages and context. */
  readonly modelTextBytes: number;
}

export const defaultLimits = (): RunnerLimits => ({
  concurrency: Math.min(16, 4 * availableParallelism()),
  killGraceMs: 500,
  drainMs: 100,
  stdoutBytes: 1_048_576,
  stderrBytes: 262_144,
  spares: 8,
  sparesPerHook: 1,
  workerQueueBytes: 8_388_608,
  workerRequests: 100_000,
  workerRssBytes: 536_870_912,
  largeHostBytes: 157_286_400,
  modelTextBytes: DEFAULT_MODEL_TEXT_BYTES,
});

/** A timer cannot wait for ever or for less than nothing. Settings were checked when they were read; code may not have been. */
export const timeoutOf = ({ timeout }: HookConfig): number =>
  timeout === undefined || !(timeout > 0) ? DEFAULT_TIMEOUT_MS : Math.min(timeout, MAX_TIMEOUT_MS);
