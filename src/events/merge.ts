import { isPrototypeKey, isRecord } from '../kit/index.ts';
import { type FieldFate, type HookOutput, strictnessOf } from '../protocol/index.ts';

/** Which of two values for one field is still in the merged answer: both (they were combined), or one of them. */
type Survivor = 'both' | 'earlier' | 'later';

interface Combined {
  readonly value: unknown;
  readonly survivor: Survivor;
  /** Of those that were combined: whether anything of a value is still in the result. Without it, something is. */
  readonly holds?: (value: unknown) => boolean;
}

/** Two values of one field become one. The first value of a field goes through `prepare`, where it exists. */
export interface FieldRule {
  combine(earlier: unknown, later: unknown): Combined;
  readonly prepare?: (value: unknown) => unknown;
  /** Set when the rule works on the members of an object, so that fates are told per member; other members replace. */
  readonly members?: Readonly<Record<string, FieldRule>>;
}

/** How the answers of several hooks to one event become one. Verdicts are not part of it: they merge alike everywhere. */
export interface MergeRules {
  /** Reasons. What is said to the model is not among them: that is joined for every event. */
  readonly text: FieldRule;
  /** Switches: suppressOutput, clearContext. */
  readonly flag: FieldRule;
  /** Keys of `hookSpecificOutput` with a rule of their own; for all others the later hook replaces the earlier. */
  readonly specific: Readonly<Record<string, FieldRule>>;
}

const replace: FieldRule = { combine: (_earlier, later) => ({ value: later, survivor: 'later' }) };

const joinLines: FieldRule = {
  combine: (earlier, later) => ({ value: `${String(earlier)}\n${String(later)}`, survivor: 'both' }),
};

const isBlank = (text: unknown): boolean => typeof text === 'string' && text.trim() === '';

/** What hooks say to the model is kept, all of it, whatever else the event does with answers. A blank text says nothing. */
const joinSaid: FieldRule = {
  combine: (earlier, later) => {
    if (isBlank(later)) return { value: earlier, survivor: 'both' };
    return isBlank(earlier) ? { value: later, survivor: 'both' } : joinLines.combine(earlier, later);
  },
};

const either: FieldRule = {
  combine: (earlier, later) =>
    earlier === later
      ? { value: later, survivor: 'both' }
      : { value: true, survivor: earlier === true ? 'earlier' : 'later' },
};

const memberRule = (members: Readonly<Record<string, FieldRule>>, key: string): FieldRule =>
  (Object.hasOwn(members, key) ? members[key] : undefined) ?? replace;

/** A later object changes members of an earlier one, as it would have done had the two hooks run in sequence. */
const patch = (members: Readonly<Record<string, FieldRule>> = {}): FieldRule => ({
  members,
  combine: (earlier, later) => {
    if (!isRecord(earlier) || !isRecord(later)) return { value: later, survivor: 'later' };
    const value = { ...earlier, ...later };
    for (const [key, rule] of Object.entries(members)) {
      if (earlier[key] !== undefined && later[key] !== undefined) {
        value[key] = rule.combine(earlier[key], later[key]).value;
      }
    }
    return { value, survivor: 'both' };
  },
});

const modeRank: Readonly<Record<string, number>> = { AUTO: 1, ANY: 2, NONE: 3 };

const namesOf = (config: Record<string, unknown>): readonly unknown[] | undefined =>
  Array.isArray(config.allowedFunctionNames) ? config.allowedFunctionNames : undefined;

const withNames = (config: Record<string, unknown>, names: readonly unknown[] | undefined): Record<string, unknown> => {
  const { allowedFunctionNames: _replaced, ...rest } = config;
  if (names === undefined) return rest;
  const allowed = config.mode === 'NONE' ? [] : [...new Set(names.map(String))].sort();
  return { ...rest, allowedFunctionNames: allowed };
};

/** The strictest mode counts; the lists are united. No list at all means "unrestricted", which is not an empty list. */
const unionOfTools: FieldRule = {
  prepare: (value) => (isRecord(value) ? withNames(value, namesOf(value)) : value),
  combine: (earlier, later) => {
    if (!isRecord(earlier) || !isRecord(later)) return { value: later, survivor: 'later' };
    const rank = (config: Record<string, unknown>): number => modeRank[String(config.mode)] ?? 0;
    const [strict, other] = rank(later) >= rank(earlier) ? [later, earlier] : [earlier, later];
    const [first, second] = [namesOf(earlier), namesOf(later)];
    const names = first === undefined && second === undefined ? undefined : [...(first ?? []), ...(second ?? [])];
    const value = withNames({ ...other, ...strict }, names);
    const holds = (config: unknown): boolean =>
      isRecord(config) && (config.mode === value.mode || (value.mode !== 'NONE' && namesOf(config) !== undefined));
    return { value, survivor: holds(later) ? 'both' : 'earlier', holds };
  },
};

/** Tools, turns and session starts: everything said is kept. */
export const keepEverything: MergeRules = { text: joinLines, flag: either, specific: { tool_input: patch() } };

/** Model events: later fields replace earlier ones; requests are changed member by member, options one by one. */
export const replaceFields: MergeRules = {
  text: replace,
  flag: replace,
  specific: { llm_request: patch({ config: patch() }) },
};

/** Tool selection: the union of what the hooks allow. */
export const uniteTools: MergeRules = { text: joinLines, flag: either, specific: { toolConfig: unionOfTools } };

/** Announcements nobody waits for: the last word counts. */
export const lastWins: MergeRules = { text: replace, flag: replace, specific: {} };

/** One hook's answer on its way into the merge. */
export interface Contribution {
  readonly output: HookOutput;
  /** False where `decision` is only a courtesy of plain text and not an opinion. */
  readonly hasOpinion: boolean;
  /** True for plain text, and for what stands for a fault: in no field does it take the place of a JSON answer. */
  readonly isPlain?: boolean;
}

interface Owner {
  readonly index: number;
  readonly value: unknown;
}

/** What is known of a field so far: `winner` is who took its place, when somebody did. */
interface Noted {
  readonly winner: number | undefined;
}

/** Fields that count only beside another one, which is what they lose to. */
const reasonsFor: Readonly<Record<string, string>> = { reason: 'decision', stopReason: 'continue' };

const applied: FieldFate = { fate: 'applied' };

/** Notes who said what, so that every field can be accounted for afterwards. Merging does not depend on it. */
export class MergeLedger {
  readonly #names: readonly string[];
  readonly #noted: readonly Map<string, Noted>[];
  /** Whose values of a field are in the merged answer. */
  readonly #owners = new Map<string, Owner[]>();

  constructor(hookIds: readonly string[]) {
    this.#names = hookIds;
    this.#noted = hookIds.map(() => new Map());
  }

  note(field: string, index: number, value: unknown, { survivor, holds }: Omit<Combined, 'value'>): void {
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
    const kept: Owner[] = [];
    for (const owner of owners ?? []) {
      if (survivor === 'both' && holds?.(owner.value) !== false) kept.push(owner);
      else this.#set(field, owner.index, index);
    }
    kept.push({ index, value });
    this.#owners.set(field, kept);
  }

  /** A value does not count beside what others said. */
  lose(field: string, index: number): void {
    const winner = this.#owners.get(field)?.[0] ?? this.#owners.get(reasonsFor[field] ?? field)?.[0];
    this.#set(field, index, winner?.index);
  }

  /** What was said so far under this field no longer counts. */
  drop(field: string, winner: number): void {
    for (const owner of this.#owners.get(field) ?? []) this.#set(field, owner.index, winner);
    this.#owners.delete(field);
  }

  #set(field: string, index: number, winner: number | undefined): void {
    this.#noted[index]?.set(field, { winner });
  }

  fatesOf(index: number): Map<string, FieldFate> {
    const fates = new Map<string, FieldFate>();
    for (const [field, { winner }] of this.#noted[index] ?? []) {
      if (winner === undefined) fates.set(field, applied);
      else fates.set(field, { fate: 'overridden', by: this.#names[this.#lastWinner(field, winner)] ?? 'another hook' });
    }
    return fates;
  }

  /** Who won may have lost in turn; what counts is whose value is in the answer. */
  #lastWinner(field: string, winner: number): number {
    let last = winner;
    for (let next: number | undefined = winner; next !== undefined; next = this.#winnerOver(field, last)) last = next;
    return last;
  }

  #winnerOver(field: string, index: number): number | undefined {
    const noted = this.#noted[index];
    return (noted?.get(field) ?? noted?.get(reasonsFor[field] ?? field))?.winner;
  }
}

const specificPrefix = 'hookSpecificOutput.';

/** Set by us where an `ask` stands for a fault: no hook's answer takes it back. */
export const FAULT_MARK = 'onFault';

/** One run of the merge. It reads the outputs in configured order and never writes to them. */
class Merge {
  readonly #rules: MergeRules;
  readonly #ledger: MergeLedger | undefined;
  readonly #merged: HookOutput = {};
  #specific: Record<string, unknown> | undefined;
  /** Fields whose value came from a JSON answer. */
  readonly #answered = new Set<string>();
  #isPlain = false;
  #strictness = 0;
  #stopped = false;

  constructor(rules: MergeRules, ledger: MergeLedger | undefined) {
    this.#rules = rules;
    this.#ledger = ledger;
  }

  add(index: number, { output, hasOpinion, isPlain = false }: Contribution): void {
    this.#isPlain = isPlain;
    if (hasOpinion) this.#addDecision(index, output);
    this.#addStop(index, output);
    for (const key in output) {
      if (separately.has(key)) continue;
      this.#addField(index, this.#merged, key, key, output[key], this.#ruleFor(key));
    }
    if (output.hookSpecificOutput !== undefined) this.#addSpecific(index, output.hookSpecificOutput);
  }

  /** The strictest decision counts, with the reasons given for it; no later answer lifts it. */
  #addDecision(index: number, { decision, reason }: HookOutput): void {
    const rank = strictnessOf(decision);
    if (rank < this.#strictness) {
      if (decision !== undefined) this.#ledger?.lose('decision', index);
      if (reason !== undefined) this.#ledger?.lose('reason', index);
      return;
    }
    const stricter = rank > this.#strictness;
    if (stricter) {
      this.#strictness = rank;
      if (decision !== undefined) this.#merged.decision = decision;
      this.#forget('reason', index);
    }
    if (decision !== undefined) {
      this.#ledger?.note('decision', index, decision, { survivor: stricter ? 'later' : 'both' });
    }
    this.#addField(index, this.#merged, 'reason', 'reason', reason, this.#rules.text);
  }

  #forget(field: 'reason' | 'stopReason', winner: number): void {
    delete this.#merged[field];
    this.#answered.delete(field);
    this.#ledger?.drop(field, winner);
  }

  /** `continue: false` is never lifted; the reasons that count are those of the hooks that stopped. */
  #addStop(index: number, output: HookOutput): void {
    const { continue: goOn, stopReason } = output;
    const stops = goOn === false;
    if (goOn !== undefined) {
      const lifted = this.#stopped && !stops;
      if (lifted) this.#ledger?.lose('continue', index);
      else this.#ledger?.note('continue', index, goOn, { survivor: stops === this.#stopped ? 'both' : 'later' });
      if (!lifted) this.#merged.continue = goOn;
    }
    if (stops && !this.#stopped) {
      this.#stopped = true;
      this.#forget('stopReason', index);
    }
    if (stops === this.#stopped) {
      this.#addField(index, this.#merged, 'stopReason', 'stopReason', stopReason, this.#rules.text);
    } else if (stopReason !== undefined) {
      this.#ledger?.lose('stopReason', index);
    }
  }

  #addSpecific(index: number, specific: Readonly<Record<string, unknown>>): void {
    this.#specific ??= {};
    for (const key in specific) {
      const rule = this.#specificRuleFor(key);
      this.#addField(index, this.#specific, key, specificPrefix + key, specific[key], rule);
    }
  }

  #ruleFor(key: string): FieldRule {
    return key === 'systemMessage' ? joinSaid : key === 'suppressOutput' ? this.#rules.flag : replace;
  }

  #specificRuleFor(key: string): FieldRule {
    const own = Object.hasOwn(this.#rules.specific, key) ? this.#rules.specific[key] : undefined;
    if (own !== undefined) return own;
    if (key === FAULT_MARK) return either;
    return key === 'additionalContext' ? joinSaid : key === 'clearContext' ? this.#rules.flag : replace;
  }

  #addField(
    index: number,
    target: Record<string, unknown>,
    key: string,
    field: string,
    value: unknown,
    rule: FieldRule,
  ): void {
    if (value === undefined || isPrototypeKey(key)) return;
    const prepared = rule.prepare === undefined ? value : rule.prepare(value);
    const earlier = Object.hasOwn(target, key) ? target[key] : undefined;
    const combined: Combined =
      earlier === undefined
        ? { value: prepared, survivor: 'both' }
        : rule === replace && this.#isPlain && this.#answered.has(field)
          ? { value: earlier, survivor: 'earlier' }
          : rule.combine(earlier, prepared);
    target[key] = combined.value;
    if (!this.#isPlain) this.#answered.add(field);
    if (this.#ledger !== undefined) noteField(this.#ledger, index, field, prepared, rule, combined);
  }

  result(): HookOutput {
    if (this.#specific !== undefined) this.#merged.hookSpecificOutput = this.#specific;
    return this.#merged;
  }
}

/** Members of an object have fates of their own; an empty one has nothing else to be accounted for. */
const noteField = (
  ledger: MergeLedger,
  index: number,
  field: string,
  value: unknown,
  rule: FieldRule,
  combined: Combined,
): void => {
  const { members } = rule;
  const entries = members !== undefined && isRecord(value) ? Object.entries(value) : [];
  if (members === undefined || entries.length === 0) {
    ledger.note(field, index, value, combined);
    return;
  }
  for (const [key, member] of entries) {
    if (member === undefined) continue;
    noteField(ledger, index, `${field}.${key}`, member, memberRule(members, key), { value: member, survivor: 'later' });
  }
};

/** Keys the verdict part of a merge looks after. */
const separately: ReadonlySet<string> = new Set(['decision', 'reason', 'continue', 'stopReason', 'hookSpecificOutput']);

/** Many answers become one, in the order given. Without answers there is nothing to merge. */
export const mergeOutputs = (
  contributions: readonly Contribution[],
  rules: MergeRules,
  ledger?: MergeLedger,
): HookOutput | undefined => {
  if (contributions.length === 0) return undefined;
  const merge = new Merge(rules, ledger);
  for (const [index, contribution] of contributions.entries()) merge.add(index, contribution);
  return merge.result();
};
