// Limits for running hooks, such as output size and timeouts, with their defaults.
import { availableParallelism } from 'node:os';
import { DEFAULT_MODEL_TEXT_BYTES, DEFAULT_TIMEOUT_MS, type HookConfig, MAX_TIMEOUT_MS } from '../protocol/index.ts';

export interface RunnerLimits {
  readonly concurrency: number;
  readonly killGraceMs: number;
  /** Time to wait for output after a hook's process has exited. */
  readonly drainMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Idle processes of all warm hooks (hooks whose process is started in advance). */
  readonly spares: number;
  /** Idle processes per warm hook. More than one helps if several events occur at once. */
  readonly sparesPerHook: number;
  /** Bytes that one worker may leave unread on its stdin. */
  readonly workerQueueBytes: number;
  /** A worker process is replaced after this many requests. */
  readonly workerRequests: number;
  /** A worker process with more memory is replaced. Linux only. */
  readonly workerRssBytes: number;
  /**
   * From this memory size on, a host starts commands through a small helper process. On Linux, starting a process
   * blocks the event loop, and the more memory the host has, the longer.
   */
  readonly largeHostBytes: number;
  /** Total size of the texts that all hooks of one event may send to the model. */
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

/** Settings files are validated when they are read, but hooks configured in code are not. */
export const getHookTimeout = ({ timeout }: HookConfig): number =>
  timeout === undefined || !(timeout > 0) ? DEFAULT_TIMEOUT_MS : Math.min(timeout, MAX_TIMEOUT_MS);
