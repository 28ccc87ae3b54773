// One process of a worker: sends requests as lines, and matches answers with requests by id.
import { readFileSync } from 'node:fs';
import { attempt, doNothing, shorten } from '../../../kit/index.ts';
import { type Notice, notice } from '../../../protocol/index.ts';
import type { Fault } from '../../answer/faults.ts';
import type { RunnerLimits } from '../../limits.ts';
import type { ProcessGroup, ProcessTable } from '../../process/process-table.ts';
import { type Child, destroyPipes, setRef } from '../../process/start-process.ts';
import { joinAnswers, type LineAnswer, readWorkerLine, type WorkerReply } from './reply.ts';

export type WorkerLimits = Pick<
  RunnerLimits,
  'stdoutBytes' | 'drainMs' | 'workerQueueBytes' | 'workerRequests' | 'workerRssBytes'
>;

interface WorkerEvents {
  onAnswer(): void;
  onSpent(): void;
  onCrash(): void;
  onGone(): void;
}

const PAGE_BYTES = 4_096;
/** Measuring memory takes time, so it happens after this many answers or this much time. */
const MEASURE_EVERY_ANSWERS = 256;
const MEASURE_EVERY_MS = 250;
const MAX_STDERR_CHARACTERS = 2_000;

const STAY_ADVICE = 'read stdin until its end, or export the function as the default of the script';

const listOutputs = (answers: readonly LineAnswer[], id: string): readonly unknown[] =>
  answers.find((answer) => answer.id === id)?.outputs ?? [];

const readMemoryBytes = (pid: number): number =>
  attempt(() => Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES) ?? 0;

/** The process never keeps the host alive; the timers of waiting requests do. */
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
  #measuredAt = performance.now();
  #isRetired = false;
  #isOver = false;

  constructor(child: Child, group: ProcessGroup, processes: ProcessTable, limits: WorkerLimits, events: WorkerEvents) {
    this.#child = child;
    this.#group = group;
    this.#processes = processes;
    this.#limits = limits;
    this.#events = events;
    this.#splitter = new LineSplitter(limits.stdoutBytes);
    this.#listen();
  }

  get isOpen(): boolean {
    return !this.#isRetired && !this.#isOver;
  }

  /** Returns `false` if the worker has too much unread input. A single large request always passes. */
  send(id: string, line: string, settle: (reply: WorkerReply) => void): boolean {
    const waiting = (this.#child.stdin?.writableLength ?? 0) + this.#unsent.length;
    if (waiting > 0 && waiting + line.length > this.#limits.workerQueueBytes) return false;
    this.#pending.set(id, settle);
    if (this.#unsent === '') queueMicrotask(() => this.#flush());
    this.#unsent += line;
    return true;
  }

  holds(id: string): boolean {
    return this.#pending.has(id);
  }

  /** What the process wrote so far that may belong to a request that is given up. */
  unfinished(id: string): WorkerReply {
    const answers = this.#readRest();
    return { outputs: listOutputs(answers, id), warnings: this.#warnings.splice(0) };
  }

  forget(id: string): void {
    this.#pending.delete(id);
    this.#endIfDone();
  }

  retire(): void {
    this.#isRetired = true;
    this.#endIfDone();
  }

  end(fault: Fault): void {
    if (this.#isOver) return;
    this.#isRetired = true;
    this.#close();
    this.#failAll(fault);
  }

  #flush(): void {
    const text = this.#unsent;
    this.#unsent = '';
    if (text !== '' && !this.#isOver) this.#child.stdin?.write(text);
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    stdin?.on('error', doNothing);
    stderr?.on('error', doNothing).on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-MAX_STDERR_CHARACTERS);
    });
    stdout?.on('error', doNothing).on('data', (chunk: Buffer) => {
      if (this.#isOver) return;
      const lines = this.#splitter.add(chunk);
      if (lines === undefined) this.#overflow();
      else this.#read(lines);
    });
    this.#child.on('error', doNothing);
    this.#child.on('exit', (exitCode, signal) => this.#onExit(signal ?? `exit code ${exitCode}`));
    setRef(this.#child, false);
  }

  #read(lines: readonly string[]): void {
    const read = lines.map(readWorkerLine);
    const answers = read.flatMap((line) => line.answers);
    for (const { noise } of read) this.#warnOfNoise(noise);
    // The stray verdict may belong to any request, so all requests fail.
    const stray = read.find((line) => line.stray !== undefined)?.stray;
    if (stray !== undefined) this.#failAll(stray, answers);
    else for (const answer of joinAnswers(answers)) this.#settle(answer);
    if (stray !== undefined || answers.length > 0) this.#recycleIfSpent();
    this.#endIfDone();
  }

  #settle({ id, outputs, fault, unknown }: LineAnswer): void {
    const settle = this.#pending.get(id);
    if (settle === undefined) {
      const [output] = outputs;
      const what = `the worker wrote an answer for which no request waits: ${shorten(JSON.stringify(output) ?? '', 200)}`;
      if (output !== undefined) this.#warn(notice('noise', what));
      return;
    }
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

  #readRest(): readonly LineAnswer[] {
    const { answers, noise } = readWorkerLine(this.#splitter.rest());
    this.#warnOfNoise(noise);
    return answers;
  }

  #warnOfNoise(noise = ''): void {
    if (noise !== '') this.#warn(notice('noise', `the worker wrote a line that is not an answer: ${noise}`));
  }

  #warn(warning: Notice): void {
    if (this.#warnings.length < 10) this.#warnings.push(warning);
  }

  #recycleIfSpent(): void {
    if (this.#isRetired) return;
    if (this.#served >= this.#limits.workerRequests || this.#isTooLarge()) {
      this.retire();
      this.#events.onSpent();
    }
  }

  #isTooLarge(): boolean {
    const now = performance.now();
    if (this.#served % MEASURE_EVERY_ANSWERS !== 0 && now - this.#measuredAt < MEASURE_EVERY_MS) return false;
    this.#measuredAt = now;
    return readMemoryBytes(this.#group.pid) > this.#limits.workerRssBytes;
  }

  #overflow(): void {
    this.#group.send('SIGKILL');
    const message = `the worker wrote a line of more than ${this.#limits.stdoutBytes} bytes`;
    this.end({ code: 'output-too-large', message });
    this.#events.onCrash();
  }

  #onExit(how: string): void {
    this.#group.noteExit();
    if (this.#isOver) return;
    const wasAsked = this.#isRetired && this.#pending.size === 0;
    const conclude = (): void => {
      clearTimeout(drain);
      if (this.#isOver) return;
      const isCrash = !wasAsked && (this.#pending.size > 0 || how !== 'exit code 0');
      this.#close();
      const advice = how === 'exit code 0' ? `; ${STAY_ADVICE}` : '';
      this.#failAll({ code: 'worker-crashed', message: `the worker ended (${how})${advice}${this.#lastWords()}` });
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
    destroyPipes(this.#child);
    this.#processes.end(this.#group);
    this.#events.onGone();
  }

  #failAll(fault: Fault, read: readonly LineAnswer[] = []): void {
    const answers = joinAnswers([...read, ...this.#readRest()]);
    const waiting = [...this.#pending];
    const warnings = this.#warnings.splice(0);
    this.#pending.clear();
    for (const [id, settle] of waiting) settle({ outputs: listOutputs(answers, id), warnings, fault });
  }
}

const NEWLINE_CODE = 0x0a;

/**
 * Splits at line feeds only. Complete lines are decoded at once, so that no character is split. An object printed over
 * several lines, as `JSON.stringify(answer, null, 2)` does, is returned as one line.
 */
class LineSplitter {
  readonly #maxBytes: number;
  /** The complete lines of an object whose end is not there yet. */
  #object = '';
  #rest: Buffer[] = [];
  #restBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): readonly string[] | undefined {
    const last = chunk.lastIndexOf(NEWLINE_CODE);
    const firstLine = this.#restBytes + (last === -1 ? chunk.length : chunk.indexOf(NEWLINE_CODE));
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
    return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : this.#joinObject(line)));
  }

  rest(): string {
    return this.#object + Buffer.concat(this.#rest).toString();
  }

  #joinObject(line: string): readonly string[] {
    const isFirst = line.trimEnd() === '{';
    const before = this.#object;
    if (before !== '' && /^\s/.test(line) && before.length < this.#maxBytes) {
      this.#object += `${line}\n`;
      return [];
    }
    this.#object = isFirst ? `${line}\n` : '';
    if (line.trimEnd() === '}') return [before + line];
    const incomplete = before.split('\n').filter((part) => part !== '');
    return isFirst ? incomplete : [...incomplete, line];
  }

  #keep(part: Buffer): void {
    this.#rest.push(part);
    this.#restBytes += part.length;
  }
}
