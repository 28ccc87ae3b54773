/**
 * What the process ends with. 2 is left out on purpose: to an agent that runs a program as its hook it means "block", and
 * only `run --as-hook` may say that.
 */
export const ExitCode = {
  Ok: 0,
  /** Something was found, an action was blocked, or what was asked for is not there. */
  Findings: 1,
  /** `--as-hook` only: block. */
  Block: 2,
  Usage: 64,
  Internal: 70,
  /** Interrupted by Ctrl-C before there was a result. */
  Interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
