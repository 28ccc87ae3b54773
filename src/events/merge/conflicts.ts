import { isRecord } from '../../kit/index.ts';
import { catalogue, type HookEventName } from '../catalogue.ts';
import { type Contribution, mergeOutputs } from './merge.ts';
import { MergeLedger } from './merge-ledger.ts';

/** Two hooks that change one field to different values, by their places. */
export interface Conflict {
  readonly field: string;
  readonly earlier: number;
  readonly later: number;
}

const prefix = 'hookSpecificOutput.';

/** Payloads and answers are plain JSON. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);

/** Notes where a value takes the place of another one that was a change as well. */
class ConflictLedger extends MergeLedger {
  readonly conflicts: Conflict[] = [];
  readonly #changes = new Map<string, { readonly place: number; readonly value: unknown }>();
  readonly #isChange: (path: readonly string[], value: unknown) => boolean;

  constructor(isChange: (path: readonly string[], value: unknown) => boolean) {
    super([]);
    this.#isChange = isChange;
  }

  override note(...[name, place, value, { survivor }]: Parameters<MergeLedger['note']>): void {
    if (!name.startsWith(prefix)) return;
    const field = name.slice(prefix.length);
    if (!this.#isChange(field.split('.'), value)) return;
    const before = this.#changes.get(field);
    if (before !== undefined && survivor === 'later' && !isSame(before.value, value)) {
      this.conflicts.push({ field, earlier: before.place, later: place });
    }
    this.#changes.set(field, { place, value });
  }
}

/**
 * Where one answer would silently take back what another changed. What is joined or united is no conflict, nor is a value
 * that the field has already; a switch that stays off changes nothing.
 */
export const conflictsIn = (
  contributions: readonly Contribution[],
  eventName: HookEventName,
  input: object,
): readonly Conflict[] => {
  const { merge, supports } = catalogue[eventName];
  const acted: readonly string[] = supports;
  const ledger = new ConflictLedger((path, value) => {
    const original = at(input, path);
    return acted.includes(path[0] ?? '') && !isSame(value, original) && (original !== undefined || value !== false);
  });
  mergeOutputs(contributions, merge, ledger);
  return ledger.conflicts;
};
