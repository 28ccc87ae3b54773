/** `test --chaos`: runs hooks with broken input, and failing programs in place of hooks. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Config } from '../../../config.ts';
import { isRecord } from '../../../kit/index.ts';
import {
  getPrecedence,
  type HookRow,
  HookType,
  mayProceedFreely,
  type OnFault,
  type Verdict,
} from '../../../protocol/index.ts';
import type { ConfiguredHook } from '../../../registry/index.ts';
import { defaultLimits, type ExecutionRequest, type Executor } from '../../../runners/index.ts';
import {
  type DirectStarter,
  loadExeca,
  ProcessTable,
  runProcess,
  STARTS_GROUP,
  startDirectly,
} from '../../../runners/process-api.ts';
import { forEachInParallel } from '../../../sessions/backtest.ts';
import type { Context } from '../../context.ts';
import { findRowVerdict, fireTest } from '../fire-test.ts';
import type { HookTest } from '../read-tests.ts';
import { formatTestTitle } from '../result-lines.ts';
import type { TestRun } from '../run-tests.ts';

export interface FaultTrial {
  readonly fault: ChaosFault;
  readonly row: HookRow;
  readonly verdict: Verdict;
  readonly fate: TrialFate;
  readonly remedy?: Remedy | undefined;
}

export interface HookTrials {
  readonly subject: ChaosSubject;
  readonly cells: readonly FaultTrial[];
}

export interface ChaosRun {
  readonly lines: readonly HookTrials[];
  readonly unreached: readonly ConfiguredHook[];
}

const MIN_TRIAL_TIMEOUT_MS = 2_000;
/** Several hooks run at once, and some get ten megabytes of input, so they need more time than in their tests. */
const TIMEOUT_FACTOR = 10;
const KILLED_PROCESS_WAIT_MS = 250;

const padPayload = (test: HookTest, characters: number): HookTest['payload'] => {
  const padding = 'x'.repeat(characters);
  const payload: Record<string, unknown> = { ...test.payload };
  const { tool_input: input } = payload;
  const changes = isRecord(input) ? { tool_input: { ...input, padding } } : { padding };
  return Object.assign({ ...test.payload }, changes);
};

const applyFault = ({ hook, test }: ChaosSubject, fault: ChaosFault): HookTest => {
  const payload =
    fault.side === 'input' && fault.padding !== undefined ? padPayload(test, fault.padding) : test.payload;
  return { ...test, payload, only: [hook.name] };
};

interface PendingTrial {
  readonly subject: ChaosSubject;
  readonly fault: ChaosFault;
}

const tryHookWithFault = async (
  { subject, fault }: PendingTrial,
  config: Config,
  executor: Executor,
  signal: AbortSignal,
): Promise<FaultTrial | undefined> => {
  const { rows } = await fireTest(config, applyFault(subject, fault), { signal, deps: { executor } });
  const row = rows.find(({ hookId, planned }) => hookId === subject.hook.hookId && planned === 'run');
  if (row === undefined || signal.aborted) return undefined;
  const { verdict } = findRowVerdict(row);
  const fate = rateTrial(subject.normal, verdict);
  return { fault, row, verdict, fate, remedy: findRemedy(fate, row) };
};

export const runChaos = async (
  run: TestRun,
  { hooks, timeoutMs }: { readonly hooks: readonly string[]; readonly timeoutMs: number | undefined },
  { signal, progress }: Pick<Context, 'signal' | 'progress'>,
): Promise<ChaosRun> => {
  const { subjects, unreached } = findChaosSubjects(run, hooks);
  const jobs = subjects.flatMap((subject) => chaosFaults.map((fault): PendingTrial => ({ subject, fault })));
  const { killGraceMs } = defaultLimits();
  const processes = new ProcessTable({ killGraceMs });
  const trials = new Map<PendingTrial, FaultTrial>();
  let done = 0;
  const perform = async (job: PendingTrial): Promise<void> => {
    if (signal.aborted) return;
    const limit = timeoutMs ?? Math.max(MIN_TRIAL_TIMEOUT_MS, job.subject.normalMs * TIMEOUT_FACTOR);
    const executor = createFaultyExecutor(job.fault, processes, limit);
    const trial = await tryHookWithFault(job, run.bench.config, executor, signal);
    if (trial !== undefined) trials.set(job, trial);
    done += 1;
    progress(`chaos: ${done} of ${jobs.length}`);
  };
  try {
    await forEachInParallel(jobs, Math.max(2, Math.min(8, availableParallelism())), perform);
  } finally {
    await processes.idle(killGraceMs + KILLED_PROCESS_WAIT_MS);
  }
  const lines = subjects.map((subject) => ({
    subject,
    cells: jobs.flatMap((job) => (job.subject === subject ? (trials.get(job) ?? []) : [])),
  }));
  return { lines, unreached };
};

const SLOW_INPUT_FRACTION = 0.4;
const MAX_SLOW_INPUT_MS = 1_000;
/** A program that replaces a hook ends at once, so only a busy machine needs this long. */
const STAND_IN_TIMEOUT_MS = 15_000;

const createLaunch = (
  request: ExecutionRequest,
  fault: ChaosFault,
): Pick<ExecutionRequest, 'file' | 'args' | 'verbatim'> => {
  if (fault.side === 'input') return request;
  if (fault.script === undefined) return { file: join(request.cwd, 'no-such-program'), args: [], verbatim: false };
  return { file: process.execPath, args: ['-e', fault.script], verbatim: false };
};

const withFaultyStdin =
  (start: DirectStarter, fault: ChaosFault): DirectStarter =>
  (request) => {
    const started = start(request);
    if (fault.side === 'engine' || fault.pipe === undefined || 'failure' in started) return started;
    const { child } = started;
    const durationMs = Math.min(MAX_SLOW_INPUT_MS, request.timeoutMs * SLOW_INPUT_FRACTION);
    if (child.stdin !== null) child.stdin = new FaultyStdin(child.stdin, fault.pipe, durationMs);
    return { child };
  };

const createFaultyExecutor =
  (fault: ChaosFault, processes: ProcessTable, timeoutMs: number): Executor =>
  async (request) => {
    const start = STARTS_GROUP ? startDirectly : await loadExeca();
    const arrives = fault.side === 'input' ? fault.arrives : undefined;
    const limit = fault.side === 'input' ? timeoutMs : (fault.timeoutMs ?? STAND_IN_TIMEOUT_MS);
    const ended = await runProcess(withFaultyStdin(start, fault), processes, {
      ...request,
      ...createLaunch(request, fault),
      stdin: arrives ?? request.stdin,
      timeoutMs: Math.min(request.timeoutMs, limit),
      // A hook that is tested with faults must not leave background processes.
      leaveBackground: false,
      runId: request.env.HOOKWRIGHT_RUN ?? '',
      drainMs: defaultLimits().drainMs,
    });
    if ('error' in ended) return ended;
    const { terminationReason: reason } = ended;
    return { ...ended, timedOut: reason === 'timeout', tooLarge: reason === 'too-large' };
  };

const SLOW_INPUT_PIECES = 20;

class FaultyStdin extends Writable {
  readonly #pipe: Writable;
  readonly #how: 'held-open' | 'slow';
  readonly #durationMs: number;
  readonly #pieces: Buffer[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(pipe: Writable, how: 'held-open' | 'slow', durationMs: number) {
    // The pipe is written even after the input has ended, so the stream must not destroy itself.
    super({ autoDestroy: false });
    this.#pipe = pipe;
    this.#how = how;
    this.#durationMs = durationMs;
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
    const size = Math.max(1, Math.ceil(input.length / SLOW_INPUT_PIECES));
    let at = 0;
    this.#timer = setInterval(() => {
      if (at < input.length) this.#pipe.write(input.subarray(at, at + size));
      else {
        clearInterval(this.#timer);
        this.#pipe.end();
      }
      at += size;
    }, this.#durationMs / SLOW_INPUT_PIECES);
  }
}

interface InputFault {
  readonly side: 'input';
  readonly padding?: number;
  readonly arrives?: string;
  /** `held-open`: the input never ends. `slow`: it is written in pieces. */
  readonly pipe?: 'held-open' | 'slow';
}

interface StandIn {
  readonly side: 'engine';
  readonly script?: string;
  readonly timeoutMs?: number;
}

export type ChaosFault = (InputFault | StandIn) & { readonly id: string; readonly title: string };

const HUGE_INPUT_CHARACTERS = 10_000_000;
const FLOOD_BYTES = 2_000_000;

const createPrintScript = (text: string): string => `process.stdout.write(${JSON.stringify(text)})`;

export const chaosFaults: readonly ChaosFault[] = [
  { side: 'input', id: 'input-never-ends', title: 'the input never ends', pipe: 'held-open' },
  { side: 'input', id: 'input-closed', title: 'there is no input', arrives: '' },
  {
    side: 'input',
    id: 'input-garbage',
    title: 'the input is not JSON',
    arrives: '}{ this is not JSON \u0000 "tool_name"\n',
  },
  { side: 'input', id: 'input-slow', title: 'the input comes in small pieces', pipe: 'slow' },
  { side: 'input', id: 'input-huge', title: 'the input has 10 MB', padding: HUGE_INPUT_CHARACTERS },
  {
    side: 'engine',
    id: 'prints-garbage',
    title: 'prints half an answer',
    script: createPrintScript('{"decision": "de'),
  },
  {
    side: 'engine',
    id: 'prints-two-documents',
    title: 'logs JSON, then denies',
    script: createPrintScript('{"level": "info"}\n{"decision": "deny", "reason": "denied by a stand-in"}\n'),
  },
  { side: 'engine', id: 'exits-1', title: 'ends with 1', script: 'process.exit(1)' },
  { side: 'engine', id: 'exits-2', title: 'ends with 2', script: 'process.exit(2)' },
  { side: 'engine', id: 'exits-127', title: 'ends with 127', script: 'process.exit(127)' },
  { side: 'engine', id: 'killed', title: 'is killed', script: `process.kill(process.pid, 'SIGKILL')` },
  {
    side: 'engine',
    id: 'too-slow',
    title: 'answers past its timeout',
    script: `setInterval(() => process.stdout.write(' '), 20)`,
    timeoutMs: 500,
  },
  { side: 'engine', id: 'floods', title: 'floods', script: `process.stdout.write('x'.repeat(${FLOOD_BYTES}))` },
  { side: 'engine', id: 'missing', title: 'is not there' },
];

export interface ChaosSubject {
  readonly hook: ConfiguredHook;
  readonly onFault: OnFault;
  readonly test: HookTest;
  readonly testName: string;
  readonly normal: Verdict;
  readonly normalMs: number;
}

const findSubject = (hook: ConfiguredHook, { results }: TestRun): ChaosSubject | undefined => {
  const reached = results.flatMap((result) =>
    result.found.rows
      .filter(({ hookId, outcome }) => hookId === hook.hookId && (outcome === 'answered' || outcome === 'silent'))
      .map((row) => ({ row, result, normal: findRowVerdict(row).verdict })),
  );
  const [strictest] = reached.sort((a, b) => getPrecedence(b.normal) - getPrecedence(a.normal));
  if (strictest === undefined) return undefined;
  const { row, result, normal } = strictest;
  return {
    hook,
    onFault: hook.config?.onFault ?? 'allow',
    test: result.test,
    testName: formatTestTitle(result),
    normal,
    normalMs: row.durationMs ?? 0,
  };
};

const isCommand = ({ config }: ConfiguredHook): boolean =>
  config !== undefined && (config.type ?? HookType.Command) === HookType.Command;

/** Only hooks that answered in a test are tried, because no input is known for the others. */
const findChaosSubjects = (run: TestRun, wanted: readonly string[]) => {
  const isWanted = ({ name, hookId }: ConfiguredHook): boolean =>
    wanted.length === 0 || wanted.includes(name) || wanted.includes(hookId);
  const hooks = run.bench.hooks.filter((hook) => isCommand(hook) && isWanted(hook));
  const tried = hooks.map((hook) => ({ hook, subject: findSubject(hook, run) }));
  return {
    subjects: tried.flatMap(({ subject }) => subject ?? []),
    unreached: tried.flatMap(({ hook, subject }) => (subject === undefined ? [hook] : [])),
  };
};

/** `unknown`: no test makes the hook block. */
type TrialFate = 'holds' | 'fails-open' | 'unknown';

export const isBlocking = (verdict: Verdict): boolean => !mayProceedFreely(verdict);

export const rateTrial = (normal: Verdict, found: Verdict): TrialFate => {
  if (!isBlocking(normal)) return 'unknown';
  return isBlocking(found) ? 'holds' : 'fails-open';
};

/** If the hook failed, `onFault` can make it block. If it answered, the hook itself must change. */
type Remedy = 'on-fault' | 'hook';

export const findRemedy = (fate: TrialFate, { code }: Pick<HookRow, 'code'>): Remedy | undefined => {
  if (fate !== 'fails-open') return undefined;
  return code === undefined ? 'hook' : 'on-fault';
};
