/** Records which hook's value of each field is in the merged answer. */
import type { FieldFate } from '../protocol/index.ts';
import type { CombinedValue } from './merge-rules.ts';

interface ValueOwner {
  readonly index: number;
  readonly value: unknown;
}

interface FieldWinner {
  readonly winner: number | undefined;
}

/** Field with an explanation → the field that it explains. If a decision is overruled, its reason is too. */
const explainedField: Readonly<Record<string, string>> = { reason: 'decision', stopReason: 'continue' };

const appliedFate: FieldFate = { fate: 'applied' };
const noWinner: FieldWinner = { winner: undefined };

export class MergeRecord {
  readonly #names: readonly string[];
  readonly #noted: readonly Map<string, FieldWinner>[];
  readonly #owners = new Map<string, ValueOwner[]>();

  constructor(hookIds: readonly string[]) {
    this.#names = hookIds;
    this.#noted = hookIds.map(() => new Map());
  }

  note(field: string, index: number, value: unknown, { survivor, holds }: Omit<CombinedValue, 'value'>): void {
    if (survivor === 'earlier') {
      this.lose(field, index);
      return;
    }
    this.#set(field, index, undefined);
    const owners = this.#owners.get(field);
    if (owners !== undefined && survivor === 'both' && holds === undefined) {
      owners.push({ index, value });
      return;
    }
    const kept: ValueOwner[] = [];
    for (const owner of owners ?? []) {
      if (survivor === 'both' && holds?.(owner.value) !== false) kept.push(owner);
      else this.#set(field, owner.index, index);
    }
    kept.push({ index, value });
    this.#owners.set(field, kept);
  }

  lose(field: string, index: number): void {
    const winner = this.#owners.get(field)?.[0] ?? this.#owners.get(explainedField[field] ?? field)?.[0];
    this.#set(field, index, winner?.index);
  }

  drop(field: string, winner: number): void {
    for (const owner of this.#owners.get(field) ?? []) this.#set(field, owner.index, winner);
    this.#owners.delete(field);
  }

  dropWithMembers(field: string, winner: number): void {
    for (const owned of [...this.#owners.keys()]) {
      if (owned === field || owned.startsWith(`${field}.`)) this.drop(owned, winner);
    }
  }

  #set(field: string, index: number, winner: number | undefined): void {
    this.#noted[index]?.set(field, winner === undefined ? noWinner : { winner });
  }

  eachFate(index: number, report: (field: string, fate: FieldFate) => void): void {
    this.#noted[index]?.forEach(({ winner }, field) => {
      if (winner === undefined) report(field, appliedFate);
      else report(field, { fate: 'overridden', by: this.#names[this.#lastWinner(field, winner)] ?? 'another hook' });
    });
  }

  /** Follows the chain of overruling hooks to the hook whose value is in the merged answer. */
  #lastWinner(field: string, winner: number): number {
    let last = winner;
    for (let next: number | undefined = winner; next !== undefined; next = this.#winnerOver(field, last)) last = next;
    return last;
  }

  #winnerOver(field: string, index: number): number | undefined {
    const noted = this.#noted[index];
    const whole = field.slice(0, Math.max(0, field.lastIndexOf('.')));
    return (noted?.get(field) ?? noted?.get(explainedField[field] ?? whole))?.winner;
  }
}
