/** Measures how long hooks take, which part takes the time, and what starting a hook ahead would save. */
import { setTimeout as sleep } from 'node:timers/promises';
import { omitUndefined } from '../../kit/index.ts';
import { copyOrigin, type HookConfig, type HookExecutionResult, HookType } from '../../protocol/index.ts';
import { HookRunner } from '../../runners/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { StartupProbes } from './hook-probes.ts';

export interface BenchedHook {
  readonly hook: HookConfig;
  readonly eventName: string;
  readonly inputs: readonly object[];
  readonly probes: StartupProbes | undefined;
}

export type TimeSaving =
  | { readonly p50Ms: number; readonly savesMs: number; readonly isEstimate?: true }
  | { readonly why: string };

export interface HookMeasurement extends DurationSamples {
  readonly fault?: string;
  readonly parts?: readonly TimedPart[];
  readonly interpreter?: string;
  readonly warm?: TimeSaving;
  readonly worker?: TimeSaving;
}

const MIN_RUNS = 3;
const MAX_RUNS = 20;
/** How long a process that was started ahead gets to load before it receives its input. */
const MIN_SETTLE_MS = 400;
const MAX_SETTLE_MS = 2_000;
const limitShares = { runs: 0.3, probes: 0.55, warm: 0.85, refined: 0.9 };

const WORKER_INTERPRETER_PATTERN = /^(?:node|nodejs|bun|python[\d.]*|(?:ba|da|z|k)?sh)$/;

export const isCommandHook = ({ type }: HookConfig): boolean => (type ?? HookType.Command) === HookType.Command;

export const canBeStartedAhead = (hook: HookConfig): boolean =>
  isCommandHook(hook) && hook.warm !== true && process.platform !== 'win32';

/** Runs the hooks in turn, so that other load on the machine affects all of them alike. */
export class Bench {
  readonly #config: LoadedConfig;
  readonly #runner: HookRunner;
  readonly #limit: TimeLimit;
  readonly #times = new Map<BenchedHook, number[]>();
  readonly #faults = new Map<BenchedHook, string>();
  readonly #probes = new Map<string, number[]>();
  readonly #warm = new Map<BenchedHook, { readonly ms: number[]; why?: string }>();
  #runs = 0;

  constructor(config: LoadedConfig, limit: TimeLimit) {
    this.#config = config;
    this.#runner = new HookRunner(config, config.getDeps());
    this.#limit = limit;
  }

  get runs(): number {
    return this.#runs;
  }

  async measure(subjects: readonly BenchedHook[], progress: (text: string) => void): Promise<void> {
    // The first run also loads code, so it is not measured.
    const [first] = subjects.flatMap(({ probes }) => (probes === undefined ? [] : [probes.process]));
    if (first !== undefined) await this.#run(this.#runner, first, 'bench', {});
    for (let round = 0; round < MIN_RUNS && !(round > 0 && this.#limit.isOver(limitShares.runs)); round += 1) {
      await this.#round(subjects, progress);
    }
  }

  async compare(subjects: readonly BenchedHook[], progress: (text: string) => void): Promise<void> {
    for (let round = 0; round < MIN_RUNS && !(round > 0 && this.#limit.isOver(limitShares.probes)); round += 1) {
      await this.#probeAll(subjects, progress);
    }
    await this.#warmUp(subjects, progress);
  }

  async refine(subjects: readonly BenchedHook[], progress: (text: string) => void): Promise<void> {
    for (let round = MIN_RUNS; round < MAX_RUNS && !this.#limit.isOver(); round += 1)
      await this.#round(subjects, progress);
  }

  async dispose(): Promise<void> {
    await this.#runner.dispose();
  }

  resultOf(subject: BenchedHook): HookMeasurement | undefined {
    const durations = this.#times.get(subject);
    if (durations === undefined) return undefined;
    const samples = summarizeDurations(durations);
    const fault = this.#faults.get(subject);
    const parts = this.#partsOf(subject, samples.p50Ms);
    const name = subject.probes?.interpreter?.name;
    const own = parts?.find(({ part }) => part === 'own')?.ms ?? 0;
    const mayBeWorker = parts !== undefined && name !== undefined && WORKER_INTERPRETER_PATTERN.test(name);
    const warm = this.#savingOf(subject, samples.p50Ms);
    return {
      ...samples,
      ...omitUndefined({ fault, parts, interpreter: name, warm }),
      ...(mayBeWorker ? { worker: { p50Ms: own, savesMs: roundMs(samples.p50Ms - own), isEstimate: true } } : {}),
    };
  }

  #savingOf(subject: BenchedHook, p50Ms: number): TimeSaving | undefined {
    const warm = this.#warm.get(subject);
    if (warm === undefined) return undefined;
    if (warm.why !== undefined) return { why: warm.why };
    if (warm.ms.length === 0) return undefined;
    const { p50Ms: warmMs } = summarizeDurations(warm.ms);
    return { p50Ms: warmMs, savesMs: roundMs(p50Ms - warmMs) };
  }

  #partsOf({ probes }: BenchedHook, p50Ms: number): readonly TimedPart[] | undefined {
    if (probes === undefined) return undefined;
    const of = (probe: HookConfig | undefined): number | undefined => {
      const times = probe === undefined ? undefined : this.#probes.get(getProbeKey(probe));
      return times === undefined || times.length === 0 ? undefined : summarizeDurations(times).p50Ms;
    };
    const program = of(probes.process);
    const interpreter = of(probes.interpreter?.nothing);
    if (program === undefined || (probes.interpreter !== undefined && interpreter === undefined)) return undefined;
    return splitDuration(p50Ms, {
      process: program,
      shell: of(probes.shell),
      interpreter,
      modules: of(probes.interpreter?.imports),
    });
  }

  async #round(subjects: readonly BenchedHook[], progress: (text: string) => void): Promise<void> {
    const runsOf = (subject: BenchedHook): number => this.#times.get(subject)?.length ?? 0;
    const fewest = Math.min(...subjects.map(runsOf));
    for (const subject of subjects.filter((one) => runsOf(one) === fewest)) {
      const times = this.#times.get(subject) ?? [];
      if (this.#limit.isOver(times.length < MIN_RUNS ? 1 : limitShares.refined)) return;
      progress(`${subject.hook.name ?? subject.hook.command ?? subject.eventName}, run ${times.length + 1}`);
      const result = await this.#runOf(subject, this.#runner, subject.hook, times.length);
      if (result === undefined) return;
      this.#times.set(subject, [...times, result.duration]);
      if (result.code !== undefined) this.#faults.set(subject, result.code);
    }
  }

  async #probeAll(subjects: readonly BenchedHook[], progress: (text: string) => void): Promise<void> {
    const done = new Set<string>();
    for (const { probes } of subjects) {
      const { interpreter } = probes ?? {};
      for (const probe of [probes?.process, probes?.shell, interpreter?.nothing, interpreter?.imports]) {
        const key = probe === undefined ? '' : getProbeKey(probe);
        if (probe === undefined || done.has(key)) continue;
        if (this.#limit.isOver(limitShares.warm)) return;
        done.add(key);
        progress('how long shells and interpreters take to start');
        const result = await this.#run(this.#runner, probe, 'bench', {});
        if (result === undefined || result.exitCode !== 0) continue;
        this.#probes.set(key, [...(this.#probes.get(key) ?? []), result.duration]);
      }
    }
  }

  async #warmUp(subjects: readonly BenchedHook[], progress: (text: string) => void): Promise<void> {
    const cold = subjects.filter(({ hook }) => canBeStartedAhead(hook));
    if (cold.length === 0 || this.#limit.isOver(0.6)) return;
    const slowest = Math.max(...cold.map((subject) => summarizeDurations(this.#times.get(subject) ?? []).p50Ms));
    const settleMs = Math.min(MAX_SETTLE_MS, MIN_SETTLE_MS + 2 * slowest);
    const deps = this.#config.getDeps();
    const limits = { ...deps?.limits, spares: cold.length };
    const runner = new HookRunner(this.#config, { ...deps, limits });
    const copies = cold.map((subject) => ({
      subject,
      copy: copyOrigin({ ...subject.hook, warm: true }, subject.hook),
    }));
    try {
      for (const { subject, copy } of copies) await this.#runOf(subject, runner, copy, 0);
      for (let round = 0; round < MIN_RUNS; round += 1) {
        if (this.#limit.isOver(limitShares.warm)) return;
        progress('the same, started ahead');
        await sleep(settleMs, undefined, { signal: this.#limit.signal }).catch(() => undefined);
        for (const { subject, copy } of copies) {
          const known = this.#warm.get(subject) ?? { ms: [] };
          if (known.why !== undefined) continue;
          const result = await this.#runOf(subject, runner, copy, round);
          if (result === undefined) return;
          if (result.warm === 'hit') this.#warm.set(subject, { ms: [...known.ms, result.duration] });
          else this.#warm.set(subject, { ...known, why: explainNotAhead(result) ?? NO_PROCESS_TEXT });
        }
      }
    } finally {
      await runner.dispose();
    }
  }

  #runOf({ eventName, inputs }: BenchedHook, runner: HookRunner, hook: HookConfig, index: number) {
    this.#runs += 1;
    return this.#run(runner, hook, eventName, inputs[index % inputs.length] ?? {});
  }

  async #run(
    runner: HookRunner,
    hook: HookConfig,
    eventName: string,
    input: object,
  ): Promise<HookExecutionResult | undefined> {
    const { signal } = this.#limit;
    if (signal.aborted) return undefined;
    const [result] = await runner.executeAll([hook], eventName, input, undefined, undefined, signal);
    return signal.aborted ? undefined : result;
  }
}

const NO_PROCESS_TEXT = 'no process was waiting for its event';

const getProbeKey = (probe: HookConfig): string => JSON.stringify(probe);

/** A hook cannot be started ahead if it acts before it reads its input. */
export const explainNotAhead = ({ warnings = [] }: HookExecutionResult): string | undefined =>
  warnings.find(({ code }) => code === 'acts-early')?.message;

export const durationPartNames = ['process', 'shell', 'interpreter', 'modules', 'own'] as const;
export type DurationPartName = (typeof durationPartNames)[number];

interface TimedPart {
  readonly part: DurationPartName;
  readonly ms: number;
}

type ProbeTimes = Readonly<Record<Exclude<DurationPartName, 'own'>, number | undefined>>;

/** A shell replaces itself with the last program of its line, so the start of a process is counted once. */
export const splitDuration = (
  p50Ms: number,
  { process, shell, interpreter, modules }: ProbeTimes,
): readonly TimedPart[] => {
  if (process === undefined) return [{ part: 'own', ms: p50Ms }];
  const parts: TimedPart[] = [];
  let left = p50Ms;
  const add = (part: DurationPartName, ms: number): void => {
    const taken = Math.min(left, Math.max(0, ms));
    left -= taken;
    if (taken > 0) parts.push({ part, ms: roundMs(taken) });
  };
  add('process', process);
  if (shell !== undefined) add('shell', shell - process);
  if (interpreter !== undefined) add('interpreter', interpreter - process);
  if (interpreter !== undefined && modules !== undefined) add('modules', modules - interpreter);
  add('own', left);
  return parts;
};

export interface DurationSamples {
  readonly runs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

const roundMs = (ms: number): number => Math.round(ms * 100) / 100;

const pickPercentile = (sorted: readonly number[], fraction: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? 0;

export const summarizeDurations = (durations: readonly number[]): DurationSamples => {
  const sorted = [...durations].sort((a, b) => a - b);
  const middle = sorted.length % 2 === 0 ? pickPercentile(sorted, 0.5) : (sorted[(sorted.length - 1) / 2] ?? 0);
  return { runs: sorted.length, p50Ms: roundMs(middle), p95Ms: roundMs(pickPercentile(sorted, 0.95)) };
};

export class TimeLimit {
  readonly #startedAt = performance.now();
  readonly #ms: number;
  readonly signal: AbortSignal;

  constructor(ms: number, signal: AbortSignal) {
    this.#ms = ms;
    this.signal = AbortSignal.any([signal, AbortSignal.timeout(ms + Math.min(1_000, ms / 4))]);
  }

  get spentMs(): number {
    return performance.now() - this.#startedAt;
  }

  isOver(share = 1): boolean {
    return this.signal.aborted || this.spentMs >= this.#ms * share;
  }
}
