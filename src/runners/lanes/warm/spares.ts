import { type HookConfig, originOf } from '../../../protocol/index.ts';
import { RUN_MARKER } from '../../command/environment.ts';
import type { ProcessTable } from '../../process/process-table.ts';
import { newRunId } from '../../process/run-id.ts';
import { discard, type ProcessRequest, type RunProcess, runProcess, watchProcess } from '../../process/run-process.ts';
import type { Start } from '../../process/start-process.ts';
import { Spare, type SpareKey } from './spare.ts';
import { stampsOf } from './stamps.ts';

/** An older spare has seen too little of what changed since. */
const MAX_AGE_MS = 30_000;
/** How often a spare that nobody needed is replaced by a fresh one. */
const MAX_RENEWALS = 10;
/** After an answer the host has something else to do first. */
const PAUSE_MS = 5;

/** How the process of one run came about. */
export interface Warmth {
  readonly warm: 'hit' | 'miss';
  /** What a spare was seen to do before it read; from then on the hook is started when its event comes. */
  readonly deed?: string | undefined;
}

/** What is kept for one hook. */
interface Slot {
  spare?: Spare | undefined;
  timer?: ReturnType<typeof setTimeout> | undefined;
  renewals: number;
  /** Why it gets no spare any more. */
  demoted?: string | undefined;
}

const launchOf = ({ file, args, cwd, env: { [RUN_MARKER]: _marker, ...env } }: ProcessRequest): string =>
  JSON.stringify([file, args, cwd, env]);

/**
 * The processes that wait for the next event of hooks that are `warm`. One for each hook, at most so many in all; what they
 * were started with has to be what the hook means at the moment of the event, or they are ended unused.
 */
export class Spares {
  readonly #processes: ProcessTable;
  readonly #most: number;
  readonly #slots = new Map<HookConfig, Slot>();
  #isClosed = false;

  constructor(processes: ProcessTable, most: number) {
    this.#processes = processes;
    this.#most = most;
  }

  /** Runs one process for a hook: by its spare if that may be used, else as ever. `tell` hears how. */
  runner(hook: HookConfig, tell: (warmth: Warmth) => void): RunProcess {
    return (start, processes, request) => {
      const slot = this.#slotOf(hook);
      const key = { launch: launchOf(request), stamps: stampsOf(request, hook.watch) };
      const spare = this.#take(slot, key);
      tell({ warm: spare === undefined ? 'miss' : 'hit', deed: slot.demoted });
      const prepare = (): void => {
        slot.renewals = 0;
        this.#startSoon(slot, hook, start, request);
      };
      const outcome =
        spare === undefined
          ? runProcess(start, processes, request)
          : watchProcess(spare.child, spare.group, processes, request);
      return outcome.finally(prepare);
    };
  }

  /** Ends what is kept for hooks that are not among these. */
  retain(hooks: readonly HookConfig[]): void {
    const wanted = new Set(hooks);
    for (const [hook, slot] of this.#slots) {
      if (wanted.has(hook)) continue;
      this.#slots.delete(hook);
      this.#empty(slot);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.retain([]);
  }

  #slotOf(hook: HookConfig): Slot {
    let slot = this.#slots.get(hook);
    if (slot === undefined) {
      slot = { renewals: 0 };
      this.#slots.set(hook, slot);
    }
    return slot;
  }

  /** The spare, if it is one for this very process and has done nothing but wait. */
  #take(slot: Slot, key: SpareKey): Spare | undefined {
    const { spare } = slot;
    if (spare === undefined) return undefined;
    slot.spare = undefined;
    clearTimeout(slot.timer);
    slot.demoted ??= spare.deed();
    const isRight = spare.key.launch === key.launch && spare.key.stamps === key.stamps;
    if (slot.demoted !== undefined || spare.isGone || !isRight) {
      spare.end();
      return undefined;
    }
    spare.release();
    return spare;
  }

  #startSoon(slot: Slot, hook: HookConfig, start: Start, request: ProcessRequest): void {
    clearTimeout(slot.timer);
    if (!this.#isWanted(slot, hook)) return;
    slot.timer = setTimeout(() => {
      if (this.#isWanted(slot, hook) && this.#count() < this.#most) void this.#start(slot, hook, start, request);
    }, PAUSE_MS).unref();
  }

  #isWanted(slot: Slot, hook: HookConfig): boolean {
    return !this.#isClosed && slot.spare === undefined && slot.demoted === undefined && this.#slots.get(hook) === slot;
  }

  #count(): number {
    let count = 0;
    for (const { spare } of this.#slots.values()) if (spare !== undefined) count += 1;
    return count;
  }

  async #start(slot: Slot, hook: HookConfig, start: Start, request: ProcessRequest): Promise<void> {
    // Approved was what is started here, too: the event will say what of it changed.
    if ((await originOf(hook)?.changed?.()) !== undefined || !this.#isWanted(slot, hook)) return;
    const runId = newRunId();
    const wanted = { ...request, runId, env: { ...request.env, [RUN_MARKER]: runId } };
    // Looked at before the process does: what changes from now on shows.
    const key = { launch: launchOf(wanted), stamps: stampsOf(wanted, hook.watch) };
    this.#processes.announce(runId);
    const starting = start(wanted);
    const started = starting instanceof Promise ? await starting : starting;
    // The event will find out, and say, why it cannot be started.
    if ('failure' in started || !this.#isWanted(slot, hook)) {
      discard(started, this.#processes, runId);
      return;
    }
    const group = this.#processes.open(started.child, started.child.pid ?? 0, runId);
    slot.spare = new Spare(started.child, group, this.#processes, key);
    slot.timer = setTimeout(() => this.#renew(slot, hook, start, request), MAX_AGE_MS).unref();
  }

  #renew(slot: Slot, hook: HookConfig, start: Start, request: ProcessRequest): void {
    slot.demoted ??= slot.spare?.deed();
    this.#empty(slot);
    slot.renewals += 1;
    if (slot.renewals <= MAX_RENEWALS) this.#startSoon(slot, hook, start, request);
  }

  #empty(slot: Slot): void {
    clearTimeout(slot.timer);
    slot.spare?.end();
    slot.spare = undefined;
  }
}
