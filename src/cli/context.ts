import { onAbort } from '../kit/index.ts';
import type { CliProblem } from './command-outcome.ts';
import type { Text, TextLine } from './rendering/text.ts';

/** What a command may use of the world: nothing of it is read from `process` anywhere else. */
export interface Context {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Columns of the terminal; unlimited without one. */
  readonly width: number;
  readonly isJson: boolean;
  /** Aborts at the first Ctrl-C and when the output has no reader any more: stop, and report what was done so far. */
  readonly signal: AbortSignal;
  /** Calls back at each SIGHUP, which a service takes as a wish to read its settings again; it does not end the program then. */
  onHangup(callback: () => void): void;
  /** Writes one item of a stream: a line of JSON, or what `text` makes of it. */
  item(data: unknown, text: () => Text): void;
  /**
   * Settings that cannot be read as a whole come first in every answer, and end the process with 1. Left out where a command
   * has a protocol of its own, or tells of them itself.
   */
  broken?: ((problems: readonly CliProblem[]) => void) | undefined;
  /** Whether there were such settings, or whether this file is one of them. */
  hasBroken?: ((file?: string) => boolean) | undefined;
  /** Says something beside the answer, on stderr; not with `--json`. */
  note(text: Text): void;
  /** Shows how far a long piece of work is: one line that is replaced, on a terminal only. `undefined` clears it. */
  progress(text: string | undefined): void;
  /** Writes to stdout what is for another program, untouched. */
  write(text: string): void;
  /** Asks the person at the terminal; `undefined` without a person, or without an answer. */
  ask(question: TextLine): Promise<string | undefined>;
  /** Whether there is a person at the terminal. */
  readonly canAsk: boolean;
  /** All of stdin; empty when it is a terminal. */
  readStdin(maxBytes: number): Promise<string>;
}

/** The variables of an environment that are set. */
export const definedIn = (env: Context['env']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** Resolves at Ctrl-C. */
export const untilStopped = ({ signal }: Pick<Context, 'signal'>): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });

/** Whether the user typed yes; anything else is a no. */
export const isYes = (typed: string | undefined): boolean => ['y', 'yes'].includes(typed?.trim().toLowerCase() ?? '');
