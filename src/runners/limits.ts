// Limits of hooks: concurrency, output size, timeouts and workers, with their defaults.
import { availableParallelism } from 'node:os';
import { DEFAULT_MODEL_TEXT_BYTES, DEFAULT_TIMEOUT_MS, type HookConfig, MAX_TIMEOUT_MS } from '../protocol/index.ts';

/** Limits of the hooks of one engine. The defaults come from measurements and are documented. */
export interface RunnerLimits {
  /** Hooks that run at once in one engine. */
  readonly concurrency: number;
  /** Time between SIGTERM and SIGKILL. */
  readonly killGraceMs: number;
  /** How long the engine waits for output after a hook has exited. */
  readonly drainMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Idle processes of warm hooks, in all. */
  readonly spares: number;
  /** Idle processes of one warm hook; more than one helps if its events come at once. */
  readonly sparesPerHook: number;
  /** Bytes that may wait to be read by one worker. */
  readonly workerQueueBytes: number;
  /** Requests after which a worker is replaced. */
  readonly workerRequests: number;
  /** Memory above which a worker is replaced. Linux only. */
  readonly workerRssBytes: number;
  /**
   * Memory of the host above which a small helper process starts its commands: starting a process blocks the event loop
   * of its parent, the longer the more memory the parent has. Linux only.
   */
  readonly largeHostBytes: number;
  /** Text for the model that the hooks of one event may give together: messages and context. */
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

/**
 * Timeout of a hook within the range of timers. Settings were validated when read; configurations from code were not.
 */
export const timeoutOf = ({ timeout }: HookConfig): number =>
  timeout === undefined || !(timeout > 0) ? DEFAULT_TIMEOUT_MS : Math.min(timeout, MAX_TIMEOUT_MS);
