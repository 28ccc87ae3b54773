import { changeSinceApproved, type HookConfig } from '../../../protocol/index.ts';
import { RUN_MARKER } from '../../command/environment.ts';
import type { ProcessTable } from '../../process/process-table.ts';
import { newRunId } from '../../process/run-id.ts';
import { discard, type ProcessRequest, type RunProcess, runProcess, watchProcess } from '../../process/run-process.ts';
import type { Start } from '../../process/start-process.ts';
import { Spare } from './spare.ts';
import { SparePromise } from './spare-promise.ts';

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

/** One that waits, and when it has become too old. */
interface Waiting {
  readonly spare: Spare;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** What is kept for one hook. */
interface Slot {
  /** The oldest first. */
  readonly waiting: Waiting[];
  /** How many are being started. */
  starting: number;
  /** Until the next one is. */
  pause?: ReturnType<typeof setTimeout> | undefined;
  renewals: number;
  /** Why it gets no spare any more. */
  demoted?: string | undefined;
}

export interface SparesLimits {
  /** In all. */
  readonly most: number;
  readonly mostOfOneHook: number;
}

/**
 * The processes that wait for the next event of hooks that are `warm`. At most so many for each hook, and in all; what they
 * were started with has to be what the hook means at the moment of the event, or they are ended unused.
 */
export class Spares {
  readonly #processes: ProcessTable;
  readonly #limits: SparesLimits;
  readonly #slots = new Map<HookConfig, Slot>();
  #isClosed = false;

  constructor(processes: ProcessTable, limits: SparesLimits) {
    this.#processes = processes;
    this.#limits = limits;
  }

  /** Runs one process for a hook: by its spare if that may be used, else as ever. `tell` hears how. */
  runner(hook: HookConfig, tell: (warmth: Warmth) => void): RunProcess {
    return (start, processes, request) => {
      const slot = this.#slotOf(hook);
      const spare = this.#take(slot, (promise) => promise.holdsFor(request, hook.watch));
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
      slot = { waiting: [], starting: 0, renewals: 0 };
      this.#slots.set(hook, slot);
    }
    return slot;
  }

  /** One for this very process, that has done nothing but wait. */
  #take(slot: Slot, isRight: (promise: SparePromise) => boolean): Spare | undefined {
    for (let next = slot.waiting.shift(); next !== undefined; next = slot.waiting.shift()) {
      const { spare, timer } = next;
      clearTimeout(timer);
      const { deed, isGone } = spare.state();
      slot.demoted ??= deed;
      if (slot.demoted === undefined && !isGone && isRight(spare.promise)) {
        spare.release();
        return spare;
      }
      spare.end();
    }
    return undefined;
  }

  #startSoon(slot: Slot, hook: HookConfig, start: Start, request: ProcessRequest): void {
    clearTimeout(slot.pause);
    if (!this.#isWanted(slot, hook)) return;
    slot.pause = setTimeout(() => {
      if (!this.#isWanted(slot, hook) || this.#count() >= this.#limits.most) return;
      // One that cannot be started is not tried again before the next event.
      void this.#start(slot, hook, start, request).then((waits) => {
        if (waits) this.#startSoon(slot, hook, start, request);
      });
    }, PAUSE_MS).unref();
  }

  #isWanted(slot: Slot, hook: HookConfig): boolean {
    const hasRoom = slot.waiting.length + slot.starting < this.#limits.mostOfOneHook;
    return hasRoom && !this.#isClosed && slot.demoted === undefined && this.#slots.get(hook) === slot;
  }

  #count(): number {
    let count = 0;
    for (const { waiting, starting } of this.#slots.values()) count += waiting.length + starting;
    return count;
  }

  /** Whether one more waits now. */
  async #start(slot: Slot, hook: HookConfig, start: Start, request: ProcessRequest): Promise<boolean> {
    slot.starting += 1;
    // Approved was what is started here, too: the event will say what of it changed.
    const isChanged = (await changeSinceApproved(hook)) !== undefined;
    slot.starting -= 1;
    if (isChanged || !this.#isWanted(slot, hook)) return false;
    slot.starting += 1;
    const runId = newRunId();
    const wanted = { ...request, runId, env: { ...request.env, [RUN_MARKER]: runId } };
    // Looked at before the process does: what changes from now on shows.
    const promise = new SparePromise(wanted, hook.watch);
    this.#processes.announce(runId);
    const starting = start(wanted);
    const started = starting instanceof Promise ? await starting : starting;
    slot.starting -= 1;
    // The event will find out, and say, why it cannot be started.
    if ('failure' in started || !this.#isWanted(slot, hook)) {
      discard(started, this.#processes, runId);
      return false;
    }
    const group = this.#processes.open(started.child, started.child.pid ?? 0, runId);
    const spare = new Spare(started.child, group, this.#processes, promise);
    const timer = setTimeout(() => this.#renew(slot, spare, { hook, start, request }), MAX_AGE_MS).unref();
    slot.waiting.push({ spare, timer });
    return true;
  }

  #renew(slot: Slot, old: Spare, again: { hook: HookConfig; start: Start; request: ProcessRequest }): void {
    const at = slot.waiting.findIndex(({ spare }) => spare === old);
    if (at < 0) return;
    slot.waiting.splice(at, 1);
    slot.demoted ??= old.state().deed;
    old.end();
    slot.renewals += 1;
    if (slot.renewals <= MAX_RENEWALS) this.#startSoon(slot, again.hook, again.start, again.request);
  }

  #empty(slot: Slot): void {
    clearTimeout(slot.pause);
    for (const { spare, timer } of slot.waiting.splice(0)) {
      clearTimeout(timer);
      spare.end();
    }
  }
}
