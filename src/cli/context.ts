import { onAbort } from '../kit/index.ts';
import type { CliProblem } from './command-outcome.ts';
import type { Text, TextLine } from './rendering/text.ts';

/** The world of a command: directory, environment, terminal. Commands use it in place of `process`. */
export interface Context {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Columns of the terminal; unlimited without one. */
  readonly width: number;
  readonly isJson: boolean;
  /** Aborts at the first Ctrl-C and when stdout is closed: the command stops, and reports what it has. */
  readonly signal: AbortSignal;
  /** Calls back at each SIGHUP, which then does not end the process: a service reads its settings again. */
  onHangup(callback: () => void): void;
  /** Writes one item of a stream: a line of JSON, or its text. */
  item(data: unknown, text: () => Text): void;
  /**
   * Reports settings files that cannot be read: before any other output, with exit code 1. `undefined` if a command reports
   * them itself.
   */
  broken?: ((problems: readonly CliProblem[]) => void) | undefined;
  /** Whether a file, or this file, was reported so. */
  hasBroken?: ((file?: string) => boolean) | undefined;
  /** Writes a note to stderr; not with `--json`. */
  note(text: Text): void;
  /** Shows the progress in a line that is replaced, on a terminal only. `undefined` clears it. */
  progress(text: string | undefined): void;
  /** Writes text for another program to stdout, unfiltered. */
  write(text: string): void;
  /** Asks the user; `undefined` without a terminal, or without an answer. */
  ask(question: TextLine): Promise<string | undefined>;
  /** Whether there is a terminal to ask on. */
  readonly canAsk: boolean;
  /** All of stdin; empty when it is a terminal. */
  readStdin(maxBytes: number): Promise<string>;
}

/** Resolves at Ctrl-C. */
export const untilStopped = ({ signal }: Pick<Context, 'signal'>): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });

/** Whether the user typed yes; anything else is a no. */
export const isYes = (typed: string | undefined): boolean => ['y', 'yes'].includes(typed?.trim().toLowerCase() ?? '');
