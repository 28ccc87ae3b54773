// The abilities of a repository by id and operation.
import { createInvalidArgument } from '../../errors.ts';
import type { AbilityRef } from '../../events/index.ts';
import { describeValue, formatSuggestion, isStandardSchema, omitUndefined } from '../../kit/index.ts';
import type { Ability, AbilityListing } from './ability.ts';

const ABILITY_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

export const isAbilityId = (value: unknown): value is string =>
  typeof value === 'string' && ABILITY_ID_PATTERN.test(value);

const toAbilityListing = ({ id, summary, operations, input }: Ability): AbilityListing =>
  omitUndefined({
    id,
    summary,
    operations: operations?.length === 0 ? undefined : operations,
    input: isStandardSchema(input) ? undefined : input,
  });

export type FoundAbility =
  | { readonly ok: true; readonly ability: Ability }
  | { readonly ok: false; readonly reason: string };

export class AbilityRegistry {
  readonly #byId = new Map<string, Ability>();
  readonly #byOperation = new Map<string, Ability>();

  constructor(abilities: Iterable<Ability> = []) {
    for (const ability of abilities) this.add(ability);
  }

  /** Throws if the ability's id or one of its operations is taken. */
  add(ability: Ability): void {
    const { id, operations = [] } = ability;
    if (!isAbilityId(id)) {
      throw createInvalidArgument(
        `ability.id: expected letters, digits, "_", "." and "-", at most 128, got ${describeValue(id)}`,
      );
    }
    if (this.#byId.has(id))
      throw createInvalidArgument(`ability "${id}" is declared twice; give one of them another id`);
    const taken = operations.find((operation) => this.#byOperation.has(operation));
    if (taken !== undefined) {
      const other = this.#byOperation.get(taken)?.id ?? '';
      throw createInvalidArgument(
        `operation "${taken}" of ability "${id}" already belongs to "${other}"; name it in only one of them`,
      );
    }
    this.#byId.set(id, ability);
    for (const operation of operations) this.#byOperation.set(operation, ability);
  }

  find({ kind, value }: AbilityRef): FoundAbility {
    const known = kind === 'operation_key' ? this.#byOperation : this.#byId;
    const ability = known.get(value);
    if (ability !== undefined) return { ok: true, ability };
    const what = kind === 'operation_key' ? 'ability has the operation' : 'ability has the id';
    return { ok: false, reason: `no ${what} "${value}"${formatSuggestion(value, [...known.keys()])}` };
  }

  all(): Ability[] {
    return [...this.#byId.values()];
  }

  list(): AbilityListing[] {
    return this.all()
      .filter(({ trusted }) => trusted !== false)
      .map(toAbilityListing);
  }
}
