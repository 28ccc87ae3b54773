import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { shorten } from '../../../kit/index.ts';
import { type Notice, notice } from '../../../protocol/index.ts';
import type { ProcessGroup, ProcessTable } from '../../process/process-table.ts';
import type { Child } from '../../process/start-process.ts';
import { type LineAnswer, readLine, type WorkerFault, type WorkerReply } from './reply.ts';

export interface WorkerLimits {
  /** The longest line a worker may write. */
  readonly lineBytes: number;
  /** What may wait to be read by a worker. */
  readonly queueBytes: number;
  /** After so many requests a worker is replaced. */
  readonly requests: number;
  /** A worker that holds more memory is replaced. Linux only. */
  readonly rssBytes: number;
  /** How long output is waited for after a worker has ended. */
  readonly drainMs: number;
}

export interface WorkerEvents {
  /** A request was answered, well or not. */
  onAnswer(): void;
  /** It has served its time; others are to take over. */
  onSpent(): void;
  /** It is gone without having been asked to. */
  onCrash(): void;
  /** It answers nothing any more. */
  onGone(): void;
}

const PAGE_BYTES = 4_096;
/** How often a worker's memory is looked at, in answers and in time. */
const LOOK_EVERY = 256;
const LOOK_EVERY_MS = 250;
const STDERR_KEPT = 2_000;

const ignore = (): void => undefined;

const outputsOf = (answers: readonly LineAnswer[], id: string): readonly unknown[] =>
  answers.find((answer) => answer.id === id)?.outputs ?? [];

const rssOf = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
};

/**
 * One process of a worker, from its start to its end: requests go in as lines with an id, and the id finds the request
 * of each response. It never keeps the host alive: the waiting request has a timer that does.
 */
export class WorkerProcess {
  readonly #child: Child;
  readonly #group: ProcessGroup;
  readonly #processes: ProcessTable;
  readonly #limits: WorkerLimits;
  readonly #events: WorkerEvents;
  readonly #splitter: LineSplitter;
  readonly #pending = new Map<string, (reply: WorkerReply) => void>();
  #warnings: Notice[] = [];
  #stderr = '';
  #unsent = '';
  #served = 0;
  #lookedAt = performance.now();
  #isRetired = false;
  #isOver = false;

  constructor(child: Child, group: ProcessGroup, processes: ProcessTable, limits: WorkerLimits, events: WorkerEvents) {
    this.#child = child;
    this.#group = group;
    this.#processes = processes;
    this.#limits = limits;
    this.#events = events;
    this.#splitter = new LineSplitter(limits.lineBytes);
    this.#listen();
  }

  /** Whether requests may be sent to it. */
  get isOpen(): boolean {
    return !this.#isRetired && !this.#isOver;
  }

  /** Sends one request, unless too much waits to be read already. A single large one may always pass. */
  send(id: string, line: string, settle: (reply: WorkerReply) => void): boolean {
    const waiting = (this.#child.stdin?.writableLength ?? 0) + this.#unsent.length;
    if (waiting > 0 && waiting + line.length > this.#limits.queueBytes) return false;
    this.#pending.set(id, settle);
    if (this.#unsent === '') queueMicrotask(() => this.#flush());
    this.#unsent += line;
    return true;
  }

  holds(id: string): boolean {
    return this.#pending.has(id);
  }

  /** What a line that has not ended says about a request. */
  unfinished(id: string): readonly unknown[] {
    return this.holds(id) ? outputsOf(readLine(this.#splitter.rest()).answers, id) : [];
  }

  /** The answer is not needed any more; should it come it is dropped. */
  forget(id: string): void {
    this.#pending.delete(id);
    this.#endIfDone();
  }

  /** It gets no further request, and ends when it has answered those it has. */
  retire(): void {
    this.#isRetired = true;
    this.#endIfDone();
  }

  /** It ends now; waiting requests fail. */
  end(fault: WorkerFault): void {
    if (this.#isOver) return;
    this.#isRetired = true;
    this.#close();
    this.#failAll(fault);
  }

  /** All requests that are sent in one turn of the loop travel as one. */
  #flush(): void {
    const text = this.#unsent;
    this.#unsent = '';
    if (text !== '' && !this.#isOver) this.#child.stdin?.write(text);
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    stdin?.on('error', ignore);
    stderr?.on('error', ignore).on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-STDERR_KEPT);
    });
    stdout?.on('error', ignore).on('data', (chunk: Buffer) => {
      if (this.#isOver) return;
      const lines = this.#splitter.add(chunk);
      if (lines === undefined) this.#overflow();
      else for (const line of lines) this.#read(line);
    });
    this.#child.on('error', ignore);
    this.#child.on('exit', (exitCode, signal) => this.#onExit(signal ?? `exit code ${exitCode}`));
    this.#child.unref();
    for (const stream of [stdin, stdout, stderr]) if (stream instanceof Socket) stream.unref();
  }

  #read(line: string): void {
    const { answers, noise, stray } = readLine(line);
    if (noise !== undefined) this.#warn(notice('noise', `the worker wrote a line that is not an answer: ${noise}`));
    // Which request it is about cannot be told, so none of them may go on as if nothing had been said.
    if (stray !== undefined) this.#failAll(stray);
    for (const answer of answers) this.#settle(answer);
    if (stray !== undefined || answers.length > 0) this.#recycleIfSpent();
    this.#endIfDone();
  }

  #settle({ id, outputs, fault, unknown }: LineAnswer): void {
    const settle = this.#pending.get(id);
    // Late, given twice, or never asked for.
    if (settle === undefined) return;
    this.#pending.delete(id);
    this.#served += 1;
    this.#events.onAnswer();
    const warnings = this.#warnings.splice(0);
    if (unknown.length > 0) {
      const fix = 'a line has "id" and "output", or "id" and "error"';
      warnings.push(notice('unknown-key', `nothing reads ${unknown.join(', ')} beside "output"`, { fix }));
    }
    settle({ outputs, warnings, ...(fault === undefined ? {} : { fault }) });
  }

  /** Unread output must not pile up. */
  #warn(warning: Notice): void {
    if (this.#warnings.length < 10) this.#warnings.push(warning);
  }

  #recycleIfSpent(): void {
    if (this.#isRetired) return;
    if (this.#served >= this.#limits.requests || this.#isTooLarge()) {
      this.retire();
      this.#events.onSpent();
    }
  }

  #isTooLarge(): boolean {
    const now = performance.now();
    if (this.#served % LOOK_EVERY !== 0 && now - this.#lookedAt < LOOK_EVERY_MS) return false;
    this.#lookedAt = now;
    return rssOf(this.#group.pid) > this.#limits.rssBytes;
  }

  #overflow(): void {
    this.#group.send('SIGKILL');
    this.end({
      code: 'output-too-large',
      message: `the worker wrote a line of more than ${this.#limits.lineBytes} bytes`,
    });
    this.#events.onCrash();
  }

  /** What it wrote before its end may still be in the pipe. */
  #onExit(how: string): void {
    this.#group.noteExit();
    if (this.#isOver) return;
    const wasAsked = this.#isRetired && this.#pending.size === 0;
    const conclude = (): void => {
      clearTimeout(drain);
      if (this.#isOver) return;
      const isCrash = !wasAsked && (this.#pending.size > 0 || how !== 'exit code 0');
      this.#close();
      this.#failAll({ code: 'worker-crashed', message: `the worker ended (${how})${this.#lastWords()}` });
      if (isCrash) this.#events.onCrash();
    };
    const drain = setTimeout(conclude, this.#limits.drainMs);
    const { stdout } = this.#child;
    if (stdout === null || stdout.closed) conclude();
    else stdout.once('close', conclude);
  }

  #lastWords(): string {
    const text = this.#stderr.trim();
    return text === '' ? '' : `: ${shorten(text, 500)}`;
  }

  #endIfDone(): void {
    if (this.#isRetired && !this.#isOver && this.#pending.size === 0) this.#close();
  }

  #close(): void {
    this.#isOver = true;
    const { stdin, stdout, stderr } = this.#child;
    stdin?.destroy();
    stdout?.destroy();
    stderr?.destroy();
    this.#processes.end(this.#group);
    this.#events.onGone();
  }

  #failAll(fault: WorkerFault): void {
    const { answers } = readLine(this.#splitter.rest());
    const waiting = [...this.#pending];
    this.#pending.clear();
    for (const [id, settle] of waiting) settle({ outputs: outputsOf(answers, id), fault });
  }
}

const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines at `\n` and nothing else. Only whole lines are decoded, so no character is torn; a
 * line beyond the limit is never gathered.
 */
class LineSplitter {
  readonly #maxBytes: number;
  #rest: Buffer[] = [];
  #restBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this piece completes; nothing when a line is longer than allowed, and then all is over. */
  add(chunk: Buffer): readonly string[] | undefined {
    const last = chunk.lastIndexOf(NEWLINE);
    const firstLine = this.#restBytes + (last === -1 ? chunk.length : chunk.indexOf(NEWLINE));
    if (firstLine > this.#maxBytes || chunk.length - last - 1 > this.#maxBytes) return undefined;
    if (last === -1) {
      this.#keep(chunk);
      return [];
    }
    const whole = chunk.subarray(0, last);
    const text = this.#restBytes === 0 ? whole.toString() : Buffer.concat([...this.#rest, whole]).toString();
    this.#rest = [];
    this.#restBytes = 0;
    if (last < chunk.length - 1) this.#keep(chunk.subarray(last + 1));
    return text.split('\n').filter((line) => line.trim() !== '');
  }

  /** What has come of the line that is not whole yet. */
  rest(): string {
    return Buffer.concat(this.#rest).toString();
  }

  #keep(part: Buffer): void {
    this.#rest.push(part);
    this.#restBytes += part.length;
  }
}
