// A worker over its lifetime: starts, restarts and replaces its process, and sends it requests.
import { callAfterTwoTurns, onAbort } from '../../../kit/index.ts';
import { createAbortFault, type Fault } from '../../answer/faults.ts';
import type { ProcessTable } from '../../process/process-table.ts';
import type { ProcessRequest } from '../../process/run-process.ts';
import { type DirectStarter, describeStartFailure } from '../../process/start-process.ts';
import type { WorkerReply } from './reply.ts';
import { type WorkerLimits, WorkerProcess } from './worker-process.ts';

interface WorkerOptions {
  readonly launch: () => Omit<ProcessRequest, 'stdin' | 'timeoutMs' | 'drainMs'>;
  readonly start: DirectStarter;
  readonly processes: ProcessTable;
  readonly limits: WorkerLimits;
}

interface QueuedWorkerRequest {
  readonly id: string;
  readonly line: string;
  readonly timeoutMs: number;
  readonly settle: (reply: WorkerReply) => void;
}

const createFault = (code: Fault['code'], message: string): WorkerReply => ({
  outputs: [],
  fault: { code, message },
});

/**
 * A process that hangs, grows too large or crashes is replaced. A request is never sent twice, because a crashed
 * process may have done part of the work.
 */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #policy = new RestartPolicy();
  readonly #alive = new Set<WorkerProcess>();
  #current: WorkerProcess | undefined;
  #waiting: QueuedWorkerRequest[] = [];
  #pause: ReturnType<typeof setTimeout> | undefined;
  #requests = 0;
  #isRetired = false;
  #isClosed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  request(
    input: string,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    traceParent?: string,
  ): Promise<WorkerReply> {
    if (this.#isClosed) return Promise.resolve(createFault('worker-unavailable', 'the engine was disposed of'));
    return new Promise((resolve) => {
      this.#requests += 1;
      const id = String(this.#requests);
      let isSettled = false;
      let stopListening: (() => void) | undefined;
      const settle = (reply: WorkerReply): void => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        stopListening?.();
        resolve(reply);
      };
      const giveUp = (): void => {
        settle({ ...createFault('timeout', `no answer within ${timeoutMs} ms`), ...this.#unfinished(id) });
        this.#replaceHolderOf(id);
      };
      const timer = setTimeout(() => callAfterTwoTurns(giveUp), timeoutMs);
      if (signal !== undefined) {
        stopListening = onAbort(signal, () => {
          settle({ outputs: [], ...this.#unfinished(id), fault: createAbortFault(signal) });
          this.#watch(id, timeoutMs);
        });
      }
      // The id comes first, so that a worker without a JSON parser can find it.
      const trace = traceParent === undefined ? '' : `,"traceparent":"${traceParent}"`;
      this.#deliver({ id, line: `{"id":${id},"input":${input}${trace}}\n`, timeoutMs, settle });
    });
  }

  /**
   * Called when the hook was removed. A plan that is already running may still send a request, and gets a process for
   * it.
   */
  retire(): void {
    this.#isRetired = true;
    for (const process of this.#alive) process.retire();
  }

  close(): void {
    this.#isClosed = true;
    this.#isRetired = true;
    for (const { settle } of this.#takeWaiting()) {
      settle(createFault('worker-unavailable', 'the engine was disposed of'));
    }
    for (const process of this.#alive) process.end({ code: 'cancelled', message: 'the engine was disposed of' });
    this.#alive.clear();
  }

  #deliver(request: QueuedWorkerRequest): void {
    if (this.#current?.isOpen) {
      this.#send(this.#current, request);
      return;
    }
    if (this.#pause !== undefined) {
      this.#waiting.push(request);
      return;
    }
    const permit = this.#policy.ask(performance.now());
    if (permit.kind === 'now') {
      const process = this.#start(request);
      if (process !== undefined) this.#send(process, request);
      return;
    }
    if (permit.kind === 'refused') {
      const seconds = Math.ceil(permit.forMs / 1_000);
      request.settle(createFault('worker-unavailable', `it crashed too often; the next start is in ${seconds} s`));
      return;
    }
    if (permit.inMs > request.timeoutMs) {
      const message = `it crashed; it is started again in ${Math.ceil(permit.inMs)} ms, later than the timeout`;
      request.settle(createFault('worker-unavailable', message));
      return;
    }
    this.#waiting.push(request);
    const resume = (): void => {
      for (const waiting of this.#takeWaiting()) this.#deliver(waiting);
    };
    this.#pause = setTimeout(resume, permit.inMs).unref();
  }

  #send(process: WorkerProcess, { id, line, settle }: QueuedWorkerRequest): void {
    const isSent = process.send(id, line, settle);
    if (this.#isRetired) process.retire();
    if (isSent) return;
    const { workerQueueBytes } = this.#options.limits;
    settle(createFault('overloaded', `more than ${workerQueueBytes} bytes wait to be read by the worker`));
  }

  #takeWaiting(): QueuedWorkerRequest[] {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    return this.#waiting.splice(0);
  }

  #start(request?: QueuedWorkerRequest): WorkerProcess | undefined {
    const { launch, start, processes, limits } = this.#options;
    const wanted = { ...launch(), stdin: '', timeoutMs: 0, drainMs: limits.drainMs };
    processes.announce(wanted.runId);
    const started = start(wanted);
    if ('failure' in started) {
      processes.withdraw(wanted.runId);
      this.#policy.crashed(performance.now());
      void started.failure.then(async (cause) => {
        const message = await describeStartFailure(cause, wanted);
        request?.settle({ outputs: [], fault: { code: 'spawn-failed', message, cause } });
      });
      return undefined;
    }
    const group = processes.open(started.child, wanted.runId);
    const process: WorkerProcess = new WorkerProcess(started.child, group, processes, limits, {
      onAnswer: () => this.#policy.answered(),
      onSpent: () => {
        if (!this.#isRetired && this.#current === process) this.#start();
      },
      onCrash: () => this.#policy.crashed(performance.now()),
      onGone: () => this.#alive.delete(process),
    });
    this.#alive.add(process);
    this.#current = process;
    return process;
  }

  #unfinished(id: string): WorkerReply | undefined {
    return [...this.#alive].find((process) => process.holds(id))?.unfinished(id);
  }

  /** A process that let a request time out gets no further requests, but may answer its others. */
  #replaceHolderOf(id: string): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.id !== id);
    for (const process of this.#alive) {
      if (!process.holds(id)) continue;
      process.retire();
      process.forget(id);
    }
  }

  /** A process that does not answer an aborted request in time hangs and must be replaced. */
  #watch(id: string, timeoutMs: number): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.id !== id);
    setTimeout(() => this.#replaceHolderOf(id), timeoutMs).unref();
  }
}

type StartPermit =
  | { readonly kind: 'now' }
  | { readonly kind: 'later'; readonly inMs: number }
  | { readonly kind: 'refused'; readonly forMs: number };

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
const MAX_CRASHES = 5;
const CRASH_WINDOW_MS = 60_000;
const CRASH_BLOCK_MS = 60_000;

const immediatePermit: StartPermit = { kind: 'now' };

/**
 * Each crash doubles the pause before a restart. After five crashes within a minute, the worker is not started for a
 * minute.
 */
class RestartPolicy {
  #crashes: number[] = [];
  #inARow = 0;
  #openUntil = 0;

  crashed(at: number): void {
    this.#inARow += 1;
    this.#crashes = [...this.#crashes.filter((crash) => at - crash < CRASH_WINDOW_MS), at];
    if (this.#crashes.length < MAX_CRASHES) return;
    this.#openUntil = at + CRASH_BLOCK_MS;
    this.#crashes = [];
    this.#inARow = 0;
  }

  answered(): void {
    this.#inARow = 0;
  }

  ask(at: number): StartPermit {
    if (at < this.#openUntil) return { kind: 'refused', forMs: this.#openUntil - at };
    const last = this.#crashes.at(-1);
    if (last === undefined || this.#inARow === 0) return immediatePermit;
    const readyAt = last + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#inARow - 1));
    return at < readyAt ? { kind: 'later', inMs: readyAt - at } : immediatePermit;
  }
}
