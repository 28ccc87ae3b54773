import { roundedMs } from './samples.ts';

/** Where the time of a run goes, in the order in which it is spent. */
export const partNames = ['process', 'shell', 'interpreter', 'modules', 'own'] as const;
export type PartName = (typeof partNames)[number];

export interface TimedPart {
  readonly part: PartName;
  readonly ms: number;
}

/** What the probes of a hook took; what could not be measured is absent. */
export interface ProbeTimes {
  readonly process: number | undefined;
  readonly shell: number | undefined;
  readonly interpreter: number | undefined;
  readonly modules: number | undefined;
}

/**
 * Each part is what its probe took longer than the one before it; what is left is the hook's own work. A shell makes way for
 * the last program of its line, so that the start of a process is paid once.
 */
export const partsOf = (p50Ms: number, times: ProbeTimes): readonly TimedPart[] => {
  const { process, shell, interpreter, modules } = times;
  if (process === undefined) return [{ part: 'own', ms: p50Ms }];
  const parts: TimedPart[] = [];
  let left = p50Ms;
  const add = (part: PartName, ms: number): void => {
    const taken = Math.min(left, Math.max(0, ms));
    left -= taken;
    if (taken > 0) parts.push({ part, ms: roundedMs(taken) });
  };
  add('process', process);
  if (shell !== undefined) add('shell', shell - process);
  if (interpreter !== undefined) add('interpreter', interpreter - process);
  if (interpreter !== undefined && modules !== undefined) add('modules', modules - interpreter);
  add('own', left);
  return parts;
};
