// Finds the processes that a run has left behind, by its marker.
import { execFile } from 'node:child_process';
import { describeThrown } from '../../kit/index.ts';
import { RUN_MARKER } from '../environment.ts';
import { endMarkedNow, markedProcesses } from './marker-sweep.ts';

/** The running processes of a run, or why they cannot be determined. */
export type OfRun = { readonly pids: readonly number[] } | { readonly unknown: string };

type Look = (runId: string) => Promise<OfRun>;

/** Not from PATH, in which a project may have a program of that name. */
const PS = '/bin/ps';
const MAX_BYTES = 64 * 1_048_576;

/** `ps` prints the id, the command line and the environment of a process. */
const idIn = (line: string, runId: string): number[] => {
  const [, pid = ''] = /^\s*(\d+) /.exec(line) ?? [];
  return pid !== '' && ` ${line} `.includes(` ${RUN_MARKER}=${runId} `) ? [Number(pid)] : [];
};

/** Finds a run's processes with `ps`. `args` must make `ps` print environments, since the run id is stored there. */
export const lookWithPs =
  (args: readonly string[], program = PS): Look =>
  (runId) =>
    new Promise((resolve) => {
      execFile(program, args, { maxBuffer: MAX_BYTES }, (error, stdout) => {
        if (error !== null) resolve({ unknown: `${program} could not be asked: ${describeThrown(error)}` });
        else resolve({ pids: stdout.split('\n').flatMap((line) => idIn(line, runId)) });
      });
    });

const looks: { readonly [platform in NodeJS.Platform]?: Look } = {
  linux: async (runId) => ({ pids: await markedProcesses(runId) }),
  darwin: lookWithPs(['-axEww', '-o', 'pid=,command=']),
};

/** Finds the running processes of a run. */
export const processesOfRun = (runId: string, platform: NodeJS.Platform = process.platform): Promise<OfRun> =>
  looks[platform]?.(runId) ?? Promise.resolve({ unknown: `${platform} does not show which processes belong to a run` });

/** Ends these processes of a run. */
export const endProcessesOfRun = (runId: string, pids: readonly number[]): void => {
  endMarkedNow(new Set([runId]));
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
};
