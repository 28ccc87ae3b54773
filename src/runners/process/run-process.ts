import type { Readable, Writable } from 'node:stream';
import { afterSettling, onAbort } from '../../kit/index.ts';
import { decode } from '../answer/decode.ts';
import { findDocument } from '../answer/find-document.ts';
import { BLOCKED, type ReadAhead, readAhead } from '../answer/parse-output.ts';
import { ByteCollector } from './byte-collector.ts';
import type { ExecutionFailure, ExecutionRequest, ExecutionResult } from './executor.ts';
import type { ProcessGroup, ProcessTable } from './process-table.ts';
import { type Child, describeStart, type Start, type StartedProcess } from './start-process.ts';

export interface ProcessRequest extends ExecutionRequest {
  /** What marks the processes of this run. */
  readonly runId: string;
  /** How long output is waited for after the process has ended. */
  readonly drainMs: number;
}

/** The most a first piece of output may hold to be read ahead: an answer, not a flood. */
const MAX_READ_AHEAD = 16_384;

/** How long the rest is waited for when a whole answer is there already. */
const ANSWERED_DRAIN_MS = 15;

/**
 * Why a run was over: its process and its streams had ended, its time, its place or its request had, or another process held
 * a pipe after the end of this one.
 */
export type TerminationReason = 'complete' | 'timeout' | 'too-large' | 'aborted' | 'held-by-group' | 'held-by-stranger';

/** How a process of ours ended. */
export interface ProcessResult extends Pick<ExecutionResult, 'exitCode' | 'signal' | 'stdout' | 'stderr'> {
  readonly terminationReason: TerminationReason;
  /** The first piece of stdout, read when it came. It is the whole answer if nothing came after it. */
  readonly ahead?: ReadAhead | undefined;
  /** By `performance.now()`: when the process was there and its input was on the way. */
  readonly startedAt?: number;
}

interface Exit {
  readonly exitCode: number | null;
  readonly signal?: string;
}

const notEnded: Exit = { exitCode: null };

const ignore = (): void => undefined;

/**
 * Waits until a child can be answered for: it has exited and both its streams have ended, or another process still
 * holds one a while after its exit; it ran out of time, printed too much, or the run was aborted. The answer comes
 * first, what is left of the process is ended later.
 */
export const watchProcess = (
  child: Child,
  group: ProcessGroup,
  processes: ProcessTable,
  request: ProcessRequest,
): Promise<ProcessResult> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    const stdout = new ByteCollector(request.limits.stdoutBytes);
    const stderr = new ByteCollector(request.limits.stderrBytes);
    let exit: Exit | undefined;
    let openStreams = 2;
    let drain: ReturnType<typeof setTimeout> | undefined;
    /** Set once: the run is answered for. */
    let terminationReason: TerminationReason | undefined;
    let ahead: ReadAhead | undefined;

    const settle = (reason: TerminationReason): void => {
      if (terminationReason !== undefined) return;
      terminationReason = reason;
      clearTimeout(timer);
      clearTimeout(drain);
      stopListening?.();
      const printed = { stdout: stdout.bytes(), stderr: stderr.bytes() };
      resolve({ ...(exit ?? notEnded), ...printed, terminationReason, ahead, startedAt });
      if (exit === undefined || openStreams > 0) letGo();
      const mayLeave = exit !== undefined && request.leaveBackground === true;
      setImmediate(() => (mayLeave ? processes.release(group) : processes.end(group)));
    };

    /** A process that holds a pipe, and a child that is yet to end, must not keep the host alive or its memory full. */
    const letGo = (): void => {
      child.unref();
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    };

    const settleIfComplete = (): void => {
      if (exit !== undefined && openStreams === 0) settle('complete');
    };

    const collect = (stream: Readable | null, collector: ByteCollector): void => {
      let isOpen = true;
      const close = (): void => {
        if (!isOpen) return;
        isOpen = false;
        openStreams -= 1;
        settleIfComplete();
      };
      if (stream === null) {
        close();
        return;
      }
      stream.on('data', (chunk: Buffer) => {
        if (terminationReason !== undefined || collector.add(chunk)) return;
        group.send('SIGKILL');
        settle(exit?.exitCode === BLOCKED ? 'complete' : 'too-large');
      });
      stream.on('error', close);
      stream.on('end', close);
      stream.on('close', close);
    };

    /** Whether what was read so far is whole. */
    const hasAnswer = (): boolean => {
      const found = findDocument(decode(stdout.bytes(), 'stdout').text);
      return found.kind === 'answer' && found.problem === undefined;
    };

    /** What is in the pipes of a process that exited may be half of its answer; half an answer is none. */
    const isAnswered = (): boolean => exit !== undefined && (exit.exitCode !== 0 || hasAnswer());

    /** Another process holds a pipe: its output is waited for a while, and hardly where there is a whole answer. */
    const waitForRest = (): void => {
      const settleHeld = (): void =>
        settle(group.isOver() && group.wasSeenEmpty ? 'held-by-stranger' : 'held-by-group');
      const later = (ms: number, then: () => void): void => {
        drain = setTimeout(() => afterSettling(then), ms);
      };
      const soon = Math.min(ANSWERED_DRAIN_MS, request.drainMs);
      later(soon, () => {
        if (terminationReason !== undefined) return;
        if (exit?.exitCode === 0 && hasAnswer()) settleHeld();
        else later(request.drainMs - soon, settleHeld);
      });
    };

    // A run that has exited is complete but for what is still in its pipes; its timeout takes nothing away any more.
    const timer = setTimeout(
      () => afterSettling(() => (exit === undefined ? settle('timeout') : undefined)),
      request.timeoutMs,
    );
    // What a process said before it exited may still be on its way to us when its request ends.
    const stopListening =
      request.signal &&
      onAbort(request.signal, () => {
        if (exit === undefined) settle('aborted');
        else afterSettling(() => settle(isAnswered() ? 'complete' : 'aborted'));
      });

    child.on('error', ignore);
    child.on('exit', (exitCode, signal) => {
      exit = signal === null ? { exitCode } : { exitCode: null, signal };
      group.noteExit();
      settleIfComplete();
      if (terminationReason === undefined) waitForRest();
    });
    child.stdout?.once('data', (chunk: Buffer) => {
      try {
        if (chunk.length <= MAX_READ_AHEAD) ahead = readAhead(chunk);
      } catch {
        // There is no handler for a throw here. The reader of the output reports what is wrong with it.
      }
    });
    collect(child.stdout, stdout);
    collect(child.stderr, stderr);
    // Many hooks never read their input. That breaks the pipe, and is their right.
    child.stdin?.on('error', ignore);
    if (child.stdin !== null) feed(child.stdin, request.stdin);
  });

/** Runs one process in some way. */
export type RunProcess = (
  start: Start,
  processes: ProcessTable,
  request: ProcessRequest,
) => Promise<ProcessResult | ExecutionFailure>;

/** A process that was started is watched; one that was not says why. */
const follow = (
  started: StartedProcess,
  processes: ProcessTable,
  request: ProcessRequest,
): Promise<ProcessResult | ExecutionFailure> => {
  if ('failure' in started) {
    processes.withdraw(request.runId);
    return started.failure.then(async (cause) => ({
      error: new Error(await describeStart(cause, request), { cause }),
    }));
  }
  const { child } = started;
  const group = processes.open(child, child.pid ?? 0, request.runId);
  return watchProcess(child, group, processes, request);
};

/**
 * Starting it may take a while. A process has its time from its start on; the end of the request does not wait for
 * that, and a late child is ended unused.
 */
const followLater = (
  starting: Promise<StartedProcess>,
  processes: ProcessTable,
  request: ProcessRequest,
): Promise<ProcessResult | ExecutionFailure> =>
  new Promise((resolve) => {
    let isOver = false;
    const stopListening =
      request.signal &&
      onAbort(request.signal, () => {
        isOver = true;
        resolve({ ...notEnded, stdout: '', stderr: '', terminationReason: 'aborted' });
      });
    void starting.then((started) => {
      stopListening?.();
      if (isOver) discard(started, processes, request.runId);
      else resolve(follow(started, processes, request));
    });
  });

/** Ends what was started and is not needed any more. */
export const discard = (started: StartedProcess, processes: ProcessTable, runId: string): void => {
  if ('failure' in started) {
    processes.withdraw(runId);
    return;
  }
  const { child } = started;
  const group = processes.open(child, child.pid ?? 0, runId);
  child.on('error', ignore);
  child.on('exit', () => group.noteExit());
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', ignore).destroy();
  processes.end(group);
};

/** Runs one process under our own guard. Settles in time whatever the process does, and never rejects. */
export const runProcess: RunProcess = (start, processes, request) => {
  processes.announce(request.runId);
  const started = start(request);
  return started instanceof Promise ? followLater(started, processes, request) : follow(started, processes, request);
};

/** A stream keeps a copy of what it could not write yet; of a large input that many hooks get, each keeps only this much. */
const PIECE = 65_536;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** Where a piece may end: not between the halves of a character. */
const endOfPiece = (text: string, start: number): number => {
  const end = Math.min(text.length, start + PIECE);
  return end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
};

/** Writes a text and ends the stream, no faster than it is read. */
export const feed = (stream: Writable, text: string): void => {
  let start = 0;
  const writeOn = (): void => {
    for (;;) {
      const end = endOfPiece(text, start);
      const piece = text.slice(start, end);
      start = end;
      if (end === text.length) {
        stream.end(piece);
        return;
      }
      if (!stream.write(piece)) {
        stream.once('drain', writeOn);
        return;
      }
    }
  };
  writeOn();
};
