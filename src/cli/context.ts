/** What a command may use of the process: directory, environment, terminal and signals. */
import { onAbort } from '../kit/index.ts';
import type { CliProblem } from './command-outcome.ts';
import type { Text, TextLine } from './rendering/text.ts';

/** Passed to every command, which uses it in place of `process`. */
export interface Context {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Columns of the terminal; infinite without a terminal. */
  readonly width: number;
  readonly isJson: boolean;
  /** Aborts at the first Ctrl-C and when stdout is closed: the command stops and reports the results so far. */
  readonly signal: AbortSignal;
  /** Calls back at each SIGHUP, which then does not end the process: `serve` reads its settings again. */
  onHangup(callback: () => void): void;
  /** Streams one item: a line of JSON with `--json`, otherwise its text. */
  item(data: unknown, text: () => Text): void;
  /** Reports unreadable settings files first, and sets exit code 1. `undefined`: the command reports them itself. */
  broken?: ((problems: readonly CliProblem[]) => void) | undefined;
  /** Whether `broken` has reported this file, or any file. */
  hasBroken?: ((file?: string) => boolean) | undefined;
  /** Writes a note to stderr; nothing with `--json`. */
  note(text: Text): void;
  /** Replaces the progress line on a terminal. `undefined` clears it. */
  progress(text: string | undefined): void;
  /** Writes text for another program to stdout, without filtering control characters. */
  write(text: string): void;
  /** Prompts the user; `undefined` without a terminal or an answer. */
  ask(question: TextLine): Promise<string | undefined>;
  readonly canAsk: boolean;
  /** All of stdin; empty if stdin is a terminal. */
  readStdin(maxBytes: number): Promise<string>;
}

export const waitForInterrupt = ({ signal }: Pick<Context, 'signal'>): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });

/** Whether the user typed `y` or `yes`. */
export const isTypedYes = (typed: string | undefined): boolean =>
  ['y', 'yes'].includes(typed?.trim().toLowerCase() ?? '');
