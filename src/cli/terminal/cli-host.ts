import type { Readable, Writable } from 'node:stream';

interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** What the program uses of its process. */
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
