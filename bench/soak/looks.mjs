// What of the machine a soak looks at: processes with its marker, descriptors, memory, how late the loop is.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

const read = (path) => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

const isAlive = (pid) => !['Z', 'X', undefined].includes(read(`/proc/${pid}/stat`).split(') ').at(-1)?.[0]);

/** Living processes whose environment has the marker. Linux only. */
export const markedProcesses = (marker) =>
  process.platform === 'linux'
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(`HOOKWRIGHT_SOAK=${marker}`) && isAlive(pid))
        .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 80)}`)
    : [];

/** Nothing of a soak outlives it, whatever the engine under test left behind. */
export const endMarked = (marker) => {
  for (const line of markedProcesses(marker)) {
    try {
      process.kill(Number.parseInt(line, 10), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
};

/** An upper limit, as promised on a machine with nothing else to do, and more where others compete for its processors. */
export const atMost = (ms) => ms * Math.min(3, Math.max(1, loadavg()[0] / availableParallelism()));

export const descriptors = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);

/** Knows how long the loop stood still lately: a promise about time is not broken by a machine that was busy elsewhere. */
export const watchLoop = () => {
  const every = 10;
  const late = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - last > every + 1) late.push({ at: now, ms: now - last - every });
    if (late.length > 20_000) late.splice(0, 10_000);
    last = now;
  }, every).unref();
  return {
    /** How long it stood still in all since a moment. */
    since: (at) => {
      let sum = Math.max(0, performance.now() - last - every);
      for (let index = late.length - 1; index >= 0 && late[index].at >= at; index -= 1) sum += late[index].ms;
      return sum;
    },
    longest: () => Math.max(0, ...late.map(({ ms }) => ms)),
    stop: () => clearInterval(timer),
  };
};
