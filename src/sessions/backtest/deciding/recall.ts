import type { HookRow } from '../../../protocol/index.ts';
import type { Planned, PlannedHook } from '../planned.ts';
import { isSame } from '../values.ts';
import { whyNotUsable } from './recorded-results.ts';

/** What a recording knows of a hook that would run. */
export type Recalled =
  | { readonly isKnown: true; readonly row: HookRow }
  | { readonly isKnown: false; readonly why: string };

const hasRun = ({ planned }: HookRow): boolean => planned === 'run';

const isSamePlace = (a: HookRow, b: HookRow): boolean =>
  a.source.kind === b.source.kind && a.source.extension === b.source.extension;

const answersAlike = (a: HookRow, b: HookRow): boolean =>
  a.outcome === b.outcome && a.code === b.code && isSame(a.output, b.output);

/**
 * Finds the recorded answer of each planned hook: that of the hook with the same id, else that of a hook with the same name
 * (or, for a hook without one, the same command), which is what an entry keeps when it moves to another source or group.
 */
class Recollection {
  readonly #recorded: readonly HookRow[];
  readonly #planned: Planned;
  readonly #ran: readonly HookRow[];
  readonly #claimed = new Set<HookRow>();

  constructor(recorded: readonly HookRow[], planned: Planned) {
    this.#recorded = recorded;
    this.#planned = planned;
    this.#ran = recorded.filter(hasRun);
  }

  all(): Recalled[] {
    const found = this.#planned.hooks.map((hook) => this.#byId(hook));
    return this.#planned.hooks.map((hook, index) => this.#judge(hook, found[index] ?? this.#byName(hook)));
  }

  #claim(row: HookRow | undefined): HookRow | undefined {
    if (row !== undefined) this.#claimed.add(row);
    return row;
  }

  #byId({ row: { hookId } }: PlannedHook): HookRow | undefined {
    return this.#claim(this.#ran.find((row) => row.hookId === hookId));
  }

  #byName({ row, config }: PlannedHook): HookRow | undefined {
    const names = [row.name, config.command];
    return this.#claim(this.#ran.find((one) => !this.#claimed.has(one) && names.includes(one.name)));
  }

  #judge(hook: PlannedHook, found: HookRow | undefined): Recalled {
    if (found === undefined) return { isKnown: false, why: this.#whyNone(hook) };
    if (this.#isAmbiguous(hook, found)) {
      return { isKnown: false, why: 'several hooks of this name were recorded, with different answers' };
    }
    const why = whyNotUsable(hook.config, found);
    return why === undefined ? { isKnown: true, row: found } : { isKnown: false, why };
  }

  /** Ids of hooks that share a name are counted, so they shift when one of the hooks comes or goes. */
  #isAmbiguous({ row }: PlannedHook, found: HookRow): boolean {
    const isNamesake = (one: HookRow): boolean => one.name === found.name && isSamePlace(one, found);
    const namesakes = this.#ran.filter(isNamesake);
    if (namesakes.length < 2 || namesakes.every((one) => answersAlike(one, found))) return false;
    const isCounted = found.hookId === row.hookId;
    return !isCounted || this.#recorded.filter(isNamesake).length !== this.#planned.rows.filter(isNamesake).length;
  }

  #whyNone({ row }: PlannedHook): string {
    const skipped = this.#recorded.find((one) => one.hookId === row.hookId || one.name === row.name);
    return skipped?.reason === undefined
      ? 'no recorded answer: it is new'
      : `no recorded answer: it was skipped (${skipped.reason})`;
  }
}

/** What the recorded rows of an event know of each hook that is planned for it now. */
export const recall = (recorded: readonly HookRow[] | undefined, planned: Planned): readonly Recalled[] => {
  // A second answer was to another question: what other hooks had made of the call.
  const first = recorded?.filter(({ recheck }) => recheck !== true);
  if (first !== undefined) return new Recollection(first, planned).all();
  return planned.hooks.map(() => ({ isKnown: false, why: 'no trace was recorded' }));
};
