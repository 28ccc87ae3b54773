/** The interface that every command uses in place of `process`: directory, environment, terminal and signals. */
import { onAbort } from '../kit/index.ts';
import type { CliProblem, ExitCode } from './command-outcome.ts';
import type { Text, TextLine } from './rendering/text.ts';

export interface Context {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Columns of the terminal; `Infinity` without a terminal. */
  readonly width: number;
  readonly isJson: boolean;
  /** Aborts at the first Ctrl-C and when stdout is closed. The command then stops and reports the results so far. */
  readonly signal: AbortSignal;
  /** Keeps SIGHUP from ending the process, and calls back instead: `serve` then reads its settings again. */
  onHangup(callback: () => void): void;
  item(data: unknown, text: () => Text): void;
  /** Reports settings files that cannot be read, and sets exit code 1. If absent, the command itself reports them. */
  reportUnreadable?: ((problems: readonly CliProblem[]) => void) | undefined;
  hasUnreadable(file?: string): boolean;
  note(text: Text): void;
  progress(text: string | undefined): void;
  /**
   * Writes text for another program to stdout. Control characters are not filtered. `ifLost` is the exit code if stdout
   * cannot be written.
   */
  write(text: string, ifLost?: ExitCode): void;
  /** Prompts the user. The result is `undefined` without a terminal or an answer. */
  ask(question: TextLine): Promise<string | undefined>;
  readonly canAsk: boolean;
  readStdin(maxBytes: number): Promise<string>;
}

export const waitForInterrupt = ({ signal }: Pick<Context, 'signal'>): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });

export const isTypedYes = (typed: string | undefined): boolean =>
  ['y', 'yes'].includes(typed?.trim().toLowerCase() ?? '');
