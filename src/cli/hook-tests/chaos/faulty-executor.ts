import { join } from 'node:path';
import {
  leadsGroup,
  loadExeca,
  type ProcessTable,
  runProcess,
  type StartProcess,
  startDirectly,
} from '../../../runners/commands.ts';
import { defaultLimits, type ExecutionRequest, type Executor } from '../../../runners/index.ts';
import type { ChaosFault } from './faults.ts';
import { FaultyStdin } from './faulty-stdin.ts';

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
export const faultyExecutor =
  (fault: ChaosFault, processes: ProcessTable, timeoutMs: number): Executor =>
  async (request) => {
    const start = leadsGroup ? startDirectly : await loadExeca();
    const arrives = fault.side === 'input' ? fault.arrives : undefined;
    const limit = fault.side === 'input' ? timeoutMs : (fault.timeoutMs ?? STAND_IN_MS);
    return runProcess(spoil(start, fault), processes, {
      ...request,
      ...launchOf(request, fault),
      stdin: arrives ?? request.stdin,
      timeoutMs: Math.min(request.timeoutMs, limit),
      // Nothing is to be left behind by a hook that was never meant to run like this.
      leaveBackground: false,
      runId: request.env.HOOKWRIGHT_RUN ?? '',
      drainMs: defaultLimits().drainMs,
    });
  };
