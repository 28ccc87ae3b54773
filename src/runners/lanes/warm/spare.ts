import { Socket } from 'node:net';
import type { ProcessGroup, ProcessTable } from '../../process/process-table.ts';
import type { Child } from '../../process/start-process.ts';
import { changeBetween, isAlive, lookAt, type ProcessLook, restsSince, streamsOf } from './look.ts';
import type { SparePromise } from './spare-promise.ts';

/** How often a new process is looked at, until it has come to wait for its input. */
const LOOK_EVERY_MS = 100;
/** No interpreter needs as much to start. */
const TOO_MUCH_NS = 5_000_000_000;

const ignore = (): void => undefined;

/** What can be said of one when it is needed, or has become too old. */
export interface SpareState {
  /** What it did although it had nothing to read yet. */
  readonly deed: string | undefined;
  /** It was ended by somebody else, and can serve nobody. */
  readonly isGone: boolean;
}

/**
 * A process that was started ahead of its event and waits for its input. It never keeps the host alive, and is watched:
 * one that does anything but wait is of no use, and neither are others of its hook.
 */
export class Spare {
  readonly child: Child;
  readonly group: ProcessGroup;
  readonly promise: SparePromise;
  readonly startedAt = performance.now();
  readonly #processes: ProcessTable;
  readonly #streams: ReadonlySet<string>;
  #looking: ReturnType<typeof setTimeout> | undefined;
  #last: ProcessLook | undefined;
  #atRest: ProcessLook | undefined;
  #deed: string | undefined;
  #isGone = false;

  constructor(child: Child, group: ProcessGroup, processes: ProcessTable, promise: SparePromise) {
    this.child = child;
    this.group = group;
    this.promise = promise;
    this.#processes = processes;
    this.#streams = streamsOf(group.pid);
    child.on('error', ignore);
    child.stdin?.on('error', ignore);
    child.once('exit', this.#onExit);
    child.stdout?.on('data', this.#onOutput).on('error', ignore);
    child.stderr?.on('data', this.#onOutput).on('error', ignore);
    this.#setRef(false);
    this.#lookAgain();
  }

  /** One look tells all of it: an event waits for it. */
  state(): SpareState {
    const deed = this.#deed;
    const rest = deed === undefined && !this.#isGone ? this.#atRest : undefined;
    const now = rest === undefined ? undefined : lookAt(this.group.pid, this.#streams);
    if (rest !== undefined && now !== undefined) return { deed: changeBetween(rest, now), isGone: false };
    return { deed, isGone: this.#isGone || !isAlive(this.group.pid) };
  }

  /** From now on somebody else listens to it, in this very turn. */
  release(): void {
    clearTimeout(this.#looking);
    this.child.removeListener('exit', this.#onExit);
    this.child.stdout?.removeListener('data', this.#onOutput);
    this.child.stderr?.removeListener('data', this.#onOutput);
    this.#setRef(true);
  }

  /** It is not needed any more. */
  end(): void {
    clearTimeout(this.#looking);
    if (this.#isGone) return;
    this.#isGone = true;
    // First the signal: at the end of its input it would go on, in a file that may be another by now.
    this.#processes.end(this.group);
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr]) stream?.destroy();
  }

  #lookAgain(): void {
    this.#looking = setTimeout(() => {
      const now = lookAt(this.group.pid, this.#streams);
      const last = this.#last;
      this.#last = now;
      if (now === undefined) return;
      if (last !== undefined && restsSince(last, now)) this.#atRest = now;
      else if (now.cpuNs > TOO_MUCH_NS) this.#deed ??= 'went on computing';
      else this.#lookAgain();
    }, LOOK_EVERY_MS).unref();
  }

  readonly #onOutput = (): void => {
    this.#deed ??= 'wrote something';
  };

  readonly #onExit = (exitCode: number | null): void => {
    this.group.noteExit();
    // By a signal: that was somebody else.
    if (exitCode !== null) this.#deed ??= `ended with exit code ${exitCode}`;
    this.end();
  };

  #setRef(isRef: boolean): void {
    const { stdin, stdout, stderr } = this.child;
    if (isRef) this.child.ref();
    else this.child.unref();
    for (const stream of [stdin, stdout, stderr]) {
      if (stream instanceof Socket) isRef ? stream.ref() : stream.unref();
    }
  }
}
