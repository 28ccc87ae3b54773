// Runs one process: writes its input, reads its output, and enforces timeout and output limits.
import type { Readable, Writable } from 'node:stream';
import { callAfterTwoTurns, doNothing, onAbort } from '../../kit/index.ts';
import { decode } from '../answer/decode.ts';
import { findDocument } from '../answer/find-document.ts';
import { BLOCKING_EXIT_CODE, type EarlyAnswer, parseEarly } from '../answer/parse-output.ts';
import { ByteCollector } from './byte-collector.ts';
import type { ExecutionFailure, ExecutionRequest, ExecutionResult } from './executor.ts';
import type { ProcessGroup, ProcessTable } from './process-table.ts';
import {
  type Child,
  describeStartFailure,
  destroyPipes,
  type ProcessStarter,
  type StartedProcess,
} from './start-process.ts';

export interface ProcessRequest extends ExecutionRequest {
  readonly runId: string;
  readonly drainMs: number;
}

const MAX_EARLY_BYTES = 16_384;

const DRAIN_AFTER_ANSWER_MS = 15;

/**
 * `held-by-…`: after the exit, another process keeps a pipe open; `group` means a process of the run's process group.
 */
export type TerminationReason = 'complete' | 'timeout' | 'too-large' | 'aborted' | 'held-by-group' | 'held-by-stranger';

export interface ProcessResult extends Pick<ExecutionResult, 'exitCode' | 'signal' | 'stdout' | 'stderr'> {
  readonly terminationReason: TerminationReason;
  readonly ahead?: EarlyAnswer | undefined;
  readonly startedAt?: number;
}

interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal?: string;
}

const noExit: ProcessExit = { exitCode: null };

export const createUnfinishedResult = (terminationReason: TerminationReason): ProcessResult => ({
  ...noExit,
  stdout: '',
  stderr: '',
  terminationReason,
});

/** Remaining processes are ended in a later event loop turn, after the result was handled. */
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
    let exit: ProcessExit | undefined;
    let openStreams = 2;
    let drain: ReturnType<typeof setTimeout> | undefined;
    let terminationReason: TerminationReason | undefined;
    let ahead: EarlyAnswer | undefined;

    const settle = (reason: TerminationReason): void => {
      if (terminationReason !== undefined) return;
      terminationReason = reason;
      clearTimeout(timer);
      clearTimeout(drain);
      stopListening?.();
      const printed = { stdout: stdout.bytes(), stderr: stderr.bytes() };
      resolve({ ...(exit ?? noExit), ...printed, terminationReason, ahead, startedAt });
      // A held pipe or a running child must not keep the host alive.
      if (exit === undefined || openStreams > 0) {
        child.unref();
        destroyPipes(child);
      }
      const mayLeave = exit !== undefined && request.leaveBackground === true;
      setImmediate(() => (mayLeave ? processes.release(group) : processes.end(group)));
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
        settle(exit?.exitCode === BLOCKING_EXIT_CODE ? 'complete' : 'too-large');
      });
      stream.on('error', close);
      stream.on('end', close);
      stream.on('close', close);
    };

    const hasAnswer = (): boolean => {
      const found = findDocument(decode(stdout.bytes(), 'stdout').text);
      return found.kind === 'answer' && found.problem === undefined;
    };

    /** An exit code other than 0 needs no output. With exit code 0, part of the answer may still be in the pipe. */
    const isAnswered = (): boolean => exit !== undefined && (exit.exitCode !== 0 || hasAnswer());

    const waitForRest = (): void => {
      const settleHeld = (): void =>
        settle(group.isOver() && group.wasSeenEmpty ? 'held-by-stranger' : 'held-by-group');
      const later = (ms: number, then: () => void): void => {
        drain = setTimeout(() => callAfterTwoTurns(then), ms);
      };
      const soon = Math.min(DRAIN_AFTER_ANSWER_MS, request.drainMs);
      later(soon, () => {
        if (terminationReason !== undefined) return;
        if (exit?.exitCode === 0 && hasAnswer()) settleHeld();
        else later(request.drainMs - soon, settleHeld);
      });
    };

    // After the exit only output is missing, so the timeout does not apply any more.
    const timer = setTimeout(
      () => callAfterTwoTurns(() => (exit === undefined ? settle('timeout') : undefined)),
      request.timeoutMs,
    );
    // Output printed before the exit may still be in the pipe when the signal aborts.
    const stopListening =
      request.signal &&
      onAbort(request.signal, () => {
        if (exit === undefined) settle('aborted');
        else callAfterTwoTurns(() => settle(isAnswered() ? 'complete' : 'aborted'));
      });

    child.on('error', doNothing);
    child.on('exit', (exitCode, signal) => {
      exit = signal === null ? { exitCode } : { exitCode: null, signal };
      group.noteExit();
      settleIfComplete();
      if (terminationReason === undefined) waitForRest();
    });
    child.stdout?.once('data', (chunk: Buffer) => {
      try {
        if (chunk.length <= MAX_EARLY_BYTES) ahead = parseEarly(chunk);
      } catch {
        // The output is parsed again after the exit, and that parser reports the problem.
      }
    });
    collect(child.stdout, stdout);
    collect(child.stderr, stderr);
    // A hook that does not read its input breaks the pipe (EPIPE).
    child.stdin?.on('error', doNothing);
    if (child.stdin !== null) writeInput(child.stdin, request.stdin);
  });

export type ProcessRunner = (
  start: ProcessStarter,
  processes: ProcessTable,
  request: ProcessRequest,
) => Promise<ProcessResult | ExecutionFailure>;

const watchStarted = (
  started: StartedProcess,
  processes: ProcessTable,
  request: ProcessRequest,
): Promise<ProcessResult | ExecutionFailure> => {
  if ('failure' in started) {
    processes.withdraw(request.runId);
    return started.failure.then(async (cause) => ({
      error: new Error(await describeStartFailure(cause, request), { cause }),
    }));
  }
  return watchProcess(started.child, processes.open(started.child, request.runId), processes, request);
};

/** Used if the helper starts the process, which takes time. If the signal aborts before, the child is ended unused. */
const watchWhenStarted = (
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
        resolve(createUnfinishedResult('aborted'));
      });
    void starting.then((started) => {
      stopListening?.();
      if (isOver) discardProcess(started, processes, request.runId);
      else resolve(watchStarted(started, processes, request));
    });
  });

export const discardProcess = (started: StartedProcess, processes: ProcessTable, runId: string): void => {
  if ('failure' in started) {
    processes.withdraw(runId);
    return;
  }
  const { child } = started;
  const group = processes.open(child, runId);
  child.on('error', doNothing);
  child.on('exit', () => group.noteExit());
  destroyPipes(child);
  processes.end(group);
};

export const runProcess: ProcessRunner = (start, processes, request) => {
  processes.announce(request.runId);
  const started = start(request);
  return started instanceof Promise
    ? watchWhenStarted(started, processes, request)
    : watchStarted(started, processes, request);
};

/**
 * Input is written in pieces, because a stream copies what it cannot write yet and many hooks may share one large
 * input.
 */
const INPUT_PIECE_LENGTH = 65_536;

/** A piece must not end between the two halves of a surrogate pair. */
const findPieceEnd = (text: string, start: number): number => {
  const end = start + INPUT_PIECE_LENGTH;
  if (end >= text.length) return text.length;
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
};

export const writeInput = (stream: Writable, text: string): void => {
  let start = 0;
  const writeOn = (): void => {
    for (;;) {
      const end = findPieceEnd(text, start);
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
