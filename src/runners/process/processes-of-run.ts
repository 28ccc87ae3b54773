// Finds the processes that a run has left behind, by the marker in their environment.
import { execFile } from 'node:child_process';
import { describeThrown } from '../../kit/index.ts';
import { RUN_MARKER } from '../environment.ts';
import { endMarkedNow, findMarkedProcesses, sendSignalSafely } from './marker-sweep.ts';

export type RunProcesses = { readonly pids: readonly number[] } | { readonly unknown: string };

type ProcessSearch = (runId: string) => Promise<RunProcesses>;

/** An absolute path, because a project may put its own `ps` on PATH. */
const PS_PATH = '/bin/ps';
const MAX_PS_BYTES = 64 * 1_048_576;

const readProcessId = (line: string, runId: string): number[] => {
  const [, pid = ''] = /^\s*(\d+) /.exec(line) ?? [];
  return pid !== '' && ` ${line} `.includes(` ${RUN_MARKER}=${runId} `) ? [Number(pid)] : [];
};

export const createPsSearch =
  (args: readonly string[], program = PS_PATH): ProcessSearch =>
  (runId) =>
    new Promise((resolve) => {
      execFile(program, args, { maxBuffer: MAX_PS_BYTES }, (error, stdout) => {
        if (error !== null) resolve({ unknown: `${program} could not be asked: ${describeThrown(error)}` });
        else resolve({ pids: stdout.split('\n').flatMap((line) => readProcessId(line, runId)) });
      });
    });

const searchByPlatform: Readonly<Record<string, ProcessSearch>> = {
  linux: async (runId) => ({ pids: await findMarkedProcesses(runId) }),
  darwin: createPsSearch(['-axEww', '-o', 'pid=,command=']),
};

export const findProcessesOfRun = (runId: string, platform: string = process.platform): Promise<RunProcesses> =>
  searchByPlatform[platform]?.(runId) ??
  Promise.resolve({ unknown: `${platform} does not show which processes belong to a run` });

export const endProcessesOfRun = (runId: string, pids: readonly number[]): void => {
  endMarkedNow(new Set([runId]));
  for (const pid of pids) sendSignalSafely(pid, 'SIGKILL');
};
