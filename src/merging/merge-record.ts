/** Records which hook's value of each field is in the merged answer. */
import type { FieldFate } from '../protocol/index.ts';
import type { CombinedValue } from './merge-rules.ts';

interface ValueOwner {
  readonly index: number;
  readonly value: unknown;
}

/** Field with an explanation → the field that it explains. If a decision is overruled, its reason is too. */
const explainedField: Readonly<Record<string, string>> = { reason: 'decision', stopReason: 'continue' };

const appliedFate: FieldFate = { fate: 'applied' };

/** Stored instead of the index of the overruling hook if the value of the field is in the merged answer. */
const NOT_OVERRULED = -1;

export class MergeRecord {
  readonly #names: readonly string[];
  /** By index of the hook: field → index of the hook that overruled the value. */
  readonly #winners: readonly Map<string, number>[];
  readonly #owners = new Map<string, ValueOwner[]>();

  constructor(hookIds: readonly string[]) {
    this.#names = hookIds;
    this.#winners = hookIds.map(() => new Map());
  }

  note(field: string, index: number, value: unknown, { survivor, holds }: Omit<CombinedValue, 'value'>): void {
    if (survivor === 'earlier') {
      this.lose(field, index);
      return;
    }
    this.#winners[index]?.set(field, NOT_OVERRULED);
    const owners = this.#owners.get(field);
    if (owners !== undefined && survivor === 'both' && holds === undefined) {
      owners.push({ index, value });
      return;
    }
    const kept: ValueOwner[] = [];
    for (const owner of owners ?? []) {
      if (survivor === 'both' && holds?.(owner.value) !== false) kept.push(owner);
      else this.#winners[owner.index]?.set(field, index);
    }
    kept.push({ index, value });
    this.#owners.set(field, kept);
  }

  lose(field: string, index: number): void {
    const winner = this.#owners.get(field)?.[0] ?? this.#owners.get(explainedField[field] ?? field)?.[0];
    this.#winners[index]?.set(field, winner?.index ?? NOT_OVERRULED);
  }

  drop(field: string, winner: number): void {
    for (const owner of this.#owners.get(field) ?? []) this.#winners[owner.index]?.set(field, winner);
    this.#owners.delete(field);
  }

  dropWithMembers(field: string, winner: number): void {
    for (const owned of [...this.#owners.keys()]) {
      if (owned === field || owned.startsWith(`${field}.`)) this.drop(owned, winner);
    }
  }

  eachFate(index: number, report: (field: string, fate: FieldFate) => void): void {
    this.#winners[index]?.forEach((winner, field) => {
      if (winner === NOT_OVERRULED) report(field, appliedFate);
      else report(field, { fate: 'overridden', by: this.#names[this.#lastWinner(field, winner)] ?? 'another hook' });
    });
  }

  /** Follows the chain of overruling hooks to the hook whose value is in the merged answer. */
  #lastWinner(field: string, winner: number): number {
    let last = winner;
    for (let next = winner; next !== NOT_OVERRULED; next = this.#winnerOver(field, last)) last = next;
    return last;
  }

  #winnerOver(field: string, index: number): number {
    const winners = this.#winners[index];
    const whole = field.slice(0, Math.max(0, field.lastIndexOf('.')));
    return winners?.get(field) ?? winners?.get(explainedField[field] ?? whole) ?? NOT_OVERRULED;
  }
}
