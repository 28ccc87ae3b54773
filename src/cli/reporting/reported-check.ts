import type { CliProblem } from '../command-outcome.ts';

/** One thing that a pipeline is told about: it passed, or something was found. */
export interface Reported {
  /** What was looked at. */
  readonly name: string;
  /** What kind of finding it is, for those who filter. */
  readonly rule: string;
  /** Absent where it passed. */
  readonly level?: 'error' | 'warning' | 'note' | undefined;
  readonly message?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly durationMs?: number | undefined;
}

export const reportedProblem = (problem: CliProblem): Reported => {
  const { severity, code = 'settings', message, hint, file, line, column } = problem;
  const fix = hint === undefined || message.includes(hint) ? '' : `; ${hint}`;
  return { name: message, rule: code, level: severity, message: `${message}${fix}`, file, line, column };
};
