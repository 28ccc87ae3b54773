import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Config } from '../../../config.ts';
import { isRecord } from '../../../kit/index.ts';
import type { HookRow, Verdict } from '../../../protocol/index.ts';
import { defaultLimits, type ExecutionRequest, type Executor } from '../../../runners/index.ts';
import {
  leadsGroup,
  loadExeca,
  ProcessTable,
  runProcess,
  type StartProcess,
  startDirectly,
} from '../../../runners/process-api.ts';
import { inParallel } from '../../../sessions/backtest.ts';
import type { Context } from '../../context.ts';
import { decisionOfRow, fireTest } from '../found.ts';
import type { HookTest } from '../read-tests.ts';
import type { TestRun } from '../run-tests.ts';
import { type ChaosFault, chaosFaults } from './chaos-faults.ts';
import { type ChaosSubject, type ChaosSubjects, chaosSubjects } from './chaos-subjects.ts';
import { type Fate, fateOf, type Remedy, remedyFor } from './judgement.ts';

/** What became of one hook under one fault. */
export interface ChaosCell {
  readonly fault: ChaosFault;
  readonly row: HookRow;
  /** What the agent would have been told. */
  readonly verdict: Verdict;
  readonly fate: Fate;
  readonly remedy?: Remedy | undefined;
}

export interface ChaosLine {
  readonly subject: ChaosSubject;
  /** In the order of the faults; fewer when it was interrupted. */
  readonly cells: readonly ChaosCell[];
}

export interface ChaosRun extends Pick<ChaosSubjects, 'unreached'> {
  readonly lines: readonly ChaosLine[];
}

/** What a hook has at least, however fast it was before. */
const MIN_TIMEOUT_MS = 2_000;
/** Several run at once, and input of some megabytes takes its time. */
const LONGER_THAN_NORMAL = 10;
const PATIENCE_MS = 250;

const atOnce = (): number => Math.max(2, Math.min(8, availableParallelism()));

/** The same call with more in it. */
const padded = (test: HookTest, characters: number): HookTest['payload'] => {
  const padding = 'x'.repeat(characters);
  const payload: Record<string, unknown> = { ...test.payload };
  const { tool_input: input } = payload;
  const changes = isRecord(input) ? { tool_input: { ...input, padding } } : { padding };
  return Object.assign({ ...test.payload }, changes);
};

const underFault = ({ hook, test }: ChaosSubject, fault: ChaosFault): HookTest => {
  const payload = fault.side === 'input' && fault.padding !== undefined ? padded(test, fault.padding) : test.payload;
  return { ...test, payload, only: [hook.name] };
};

interface Job {
  readonly subject: ChaosSubject;
  readonly fault: ChaosFault;
}

async function* jobsFor(subjects: readonly ChaosSubject[], signal: AbortSignal): AsyncGenerator<Job> {
  for (const subject of subjects) {
    for (const fault of chaosFaults) {
      if (signal.aborted) return;
      yield { subject, fault };
    }
  }
}

interface ChaosOptions {
  /** Only hooks of these names or ids; all of them when empty. */
  readonly hooks: readonly string[];
  readonly timeoutMs: number | undefined;
}

type World = Pick<Context, 'signal' | 'progress'>;

/** One hook under one fault; nothing when it was interrupted, which says nothing about the hook. */
const tryUnder = async (
  { subject, fault }: Job,
  config: Config,
  executor: Executor,
  signal: AbortSignal,
): Promise<ChaosCell | undefined> => {
  const { rows } = await fireTest(config, underFault(subject, fault), { signal, deps: { executor } });
  const row = rows.find(({ hookId, planned }) => hookId === subject.hook.hookId && planned === 'run');
  if (row === undefined || signal.aborted) return undefined;
  // Other hooks of the same name ran as well: what counts is what this one said.
  const { verdict } = decisionOfRow(row);
  const fate = fateOf(subject.normal, verdict);
  return { fault, row, verdict, fate, remedy: remedyFor(fate, row) };
};

/** Tries every hook that a test reached under every fault, several at once. It leaves no process behind. */
export const runChaos = async (run: TestRun, options: ChaosOptions, { signal, progress }: World): Promise<ChaosRun> => {
  const { subjects, unreached } = chaosSubjects(run, options.hooks);
  const { killGraceMs } = defaultLimits();
  const processes = new ProcessTable({ killGraceMs });
  const cells = new Map(subjects.map((subject) => [subject, new Map<ChaosFault, ChaosCell>()]));
  let done = 0;
  const perform = async (job: Job): Promise<void> => {
    const { subject, fault } = job;
    const limit = options.timeoutMs ?? Math.max(MIN_TIMEOUT_MS, subject.normalMs * LONGER_THAN_NORMAL);
    const executor = faultyExecutor(fault, processes, limit);
    const cell = await tryUnder(job, run.stage.config, executor, signal);
    if (cell !== undefined) cells.get(subject)?.set(fault, cell);
    done += 1;
    progress(`chaos: ${done} of ${subjects.length * chaosFaults.length}`);
  };
  try {
    await inParallel(jobsFor(subjects, signal), atOnce(), perform);
  } finally {
    await processes.idle(killGraceMs + PATIENCE_MS);
  }
  const lines = subjects.map((subject) => ({
    subject,
    cells: chaosFaults.flatMap((fault) => cells.get(subject)?.get(fault) ?? []),
  }));
  return { lines, unreached };
};

/** Of the time a hook has, its input may take this much to arrive. */
const SLOW_SHARE = 0.4;
const MAX_SLOW_MS = 1_000;
/** A stand-in has nothing to do: when it takes this long, the machine is busy. */
const STAND_IN_MS = 15_000;

/** What is to be started in place of what was asked for. */
const launchOf = (
  request: ExecutionRequest,
  fault: ChaosFault,
): Pick<ExecutionRequest, 'file' | 'args' | 'verbatim'> => {
  if (fault.side === 'input') return request;
  if (fault.script === undefined) return { file: join(request.cwd, 'no-such-program'), args: [], verbatim: false };
  return { file: process.execPath, args: ['-e', fault.script], verbatim: false };
};

const spoil =
  (start: StartProcess, fault: ChaosFault): StartProcess =>
  (request) => {
    const started = start(request);
    if (fault.side === 'engine' || fault.pipe === undefined || 'failure' in started) return started;
    const { child } = started;
    const durationMs = Math.min(MAX_SLOW_MS, request.timeoutMs * SLOW_SHARE);
    if (child.stdin !== null) child.stdin = new FaultyStdin(child.stdin, fault.pipe, durationMs);
    return { child };
  };

/**
 * Runs what the engine asks for, under a fault: with spoilt input, or with a program in its place that fails. All else is
 * the engine's own: the environment, the limits, and the end of the whole process group.
 */
const faultyExecutor =
  (fault: ChaosFault, processes: ProcessTable, timeoutMs: number): Executor =>
  async (request) => {
    const start = leadsGroup ? startDirectly : await loadExeca();
    const arrives = fault.side === 'input' ? fault.arrives : undefined;
    const limit = fault.side === 'input' ? timeoutMs : (fault.timeoutMs ?? STAND_IN_MS);
    const ended = await runProcess(spoil(start, fault), processes, {
      ...request,
      ...launchOf(request, fault),
      stdin: arrives ?? request.stdin,
      timeoutMs: Math.min(request.timeoutMs, limit),
      // Nothing is to be left behind by a hook that was never meant to run like this.
      leaveBackground: false,
      runId: request.env.HOOKWRIGHT_RUN ?? '',
      drainMs: defaultLimits().drainMs,
    });
    if ('error' in ended) return ended;
    const { terminationReason: reason } = ended;
    return { ...ended, timedOut: reason === 'timeout', tooLarge: reason === 'too-large' };
  };

const PIECES = 20;

/**
 * Stands in front of the real stdin of a child: it takes the input as the engine writes it, and hands it on in its own
 * way. When it is destroyed, so is the pipe behind it.
 */
class FaultyStdin extends Writable {
  readonly #pipe: Writable;
  readonly #how: 'held-open' | 'slow';
  /** How long writing bit by bit may take. */
  readonly #durationMs: number;
  readonly #pieces: Buffer[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(pipe: Writable, how: 'held-open' | 'slow', durationMs: number) {
    // Once it has taken the whole input, it is not done.
    super({ autoDestroy: false });
    this.#pipe = pipe;
    this.#how = how;
    this.#durationMs = durationMs;
    // A child need not read its input, and breaks the pipe then.
    pipe.on('error', () => this.destroy());
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#pieces.push(piece);
    done();
  }

  override _final(done: () => void): void {
    const input = Buffer.concat(this.#pieces);
    done();
    if (this.#how === 'held-open') this.#pipe.write(input);
    else this.#writeSlowly(input);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.#timer);
    this.#pipe.destroy();
    done(error);
  }

  #writeSlowly(input: Buffer): void {
    const size = Math.max(1, Math.ceil(input.length / PIECES));
    let at = 0;
    this.#timer = setInterval(() => {
      if (at < input.length) this.#pipe.write(input.subarray(at, at + size));
      else {
        clearInterval(this.#timer);
        this.#pipe.end();
      }
      at += size;
    }, this.#durationMs / PIECES);
  }
}
