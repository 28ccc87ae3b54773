/** The width and colours of an output stream, and the part of `process` that the command line uses. */
import type { Readable, Writable } from 'node:stream';

export interface Screen {
  readonly isTerminal: boolean;
  readonly colours: boolean;
  /** The number of columns; infinite without a terminal, so that `grep` finds whole sentences. */
  readonly width: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_WIDTH = 80;

/** Empty variables are ignored, see https://no-color.org. FORCE_COLOR is for pipes into a pager. */
const wantsColours = (environment: Environment, isTerminal: boolean): boolean => {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = environment;
  if (no !== undefined && no !== '') return false;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTerminal && term !== 'dumb';
};

const readWidth = (environment: Environment): number | undefined => {
  const columns = Number(environment.COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? columns : undefined;
};

export const createScreen = (
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  environment: Environment,
): Screen => {
  const isTerminal = stream.isTTY === true;
  const wished = readWidth(environment);
  const width = isTerminal ? stream.columns || wished || DEFAULT_WIDTH : (wished ?? Number.POSITIVE_INFINITY);
  return { isTerminal, colours: wantsColours(environment, isTerminal), width };
};

interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface CliHost {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  cwd(): string;
  exit(code: number): unknown;
  on(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown;
  on(event: 'uncaughtException', listener: (error: Error) => void): unknown;
}
