import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Child } from '../start-process.ts';

/** A process that the start helper started. Its pipes are ours; of its end we are told. */
export class HelpedChild extends EventEmitter implements Child {
  readonly pid: number;
  readonly starter: number;
  readonly runId: string;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  exitedAt: number | undefined;

  constructor(
    { pid, starter, runId }: { readonly pid: number; readonly starter: number; readonly runId: string },
    [stdin, stdout, stderr]: readonly [Socket, Socket, Socket],
  ) {
    super();
    this.pid = pid;
    this.starter = starter;
    this.runId = runId;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
  }

  /** `exitedAt` as `performance.now()` was there and then. Whoever got this child in this turn is yet to listen. */
  end(exitCode: number | null, signal: string | null, exitedAt: number): void {
    this.exitedAt = exitedAt;
    this.stdin.destroy();
    setImmediate(() => this.emit('exit', exitCode, signal));
  }

  /** It does not keep the host alive: whoever waits for it has a timer that does. */
  ref(): void {}

  unref(): void {}

  kill(): boolean {
    return false;
  }
}
