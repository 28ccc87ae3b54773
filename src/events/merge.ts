import { isRecord } from '../protocol/json.ts';
import type { HookDecision, HookOutput } from '../protocol/output.ts';
import type { FieldFate } from '../protocol/rows.ts';

/** Which of two values for one field is still in the merged answer: both (they were combined), or one of them. */
type Survivor = 'both' | 'earlier' | 'later';

interface Combined {
  readonly value: unknown;
  readonly survivor: Survivor;
}

/** Two values of one field become one. The first value of a field goes through `prepare`, where it exists. */
export interface FieldRule {
  combine(earlier: unknown, later: unknown): Combined;
  readonly prepare?: (value: unknown) => unknown;
  /** True when the rule works on the members of an object, so that fates are told per member. */
  readonly byMember?: boolean;
}

/** How the answers of several hooks to one event become one. Verdicts are not part of it: they merge alike everywhere. */
export interface MergeRules {
  /** Texts meant to be read: reasons, system messages, context. */
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

const either: FieldRule = {
  combine: (earlier, later) =>
    earlier === later
      ? { value: later, survivor: 'both' }
      : { value: true, survivor: earlier === true ? 'earlier' : 'later' },
};

/** A later object changes members of an earlier one, as it would have done had the two hooks run in sequence. */
const patch: FieldRule = {
  byMember: true,
  combine: (earlier, later) => ({
    value: { ...(isRecord(earlier) ? earlier : {}), ...(isRecord(later) ? later : {}) },
    survivor: 'both',
  }),
};

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
    const [strict, other] = rank(later) > rank(earlier) ? [later, earlier] : [earlier, later];
    const [first, second] = [namesOf(earlier), namesOf(later)];
    const names = first === undefined && second === undefined ? undefined : [...(first ?? []), ...(second ?? [])];
    const forbids = rank(strict) === modeRank.NONE && rank(other) !== modeRank.NONE;
    const survivor = forbids ? (strict === later ? 'later' : 'earlier') : 'both';
    return { value: withNames({ ...other, ...strict }, names), survivor };
  },
};

/** Tools, turns and session starts: everything said is kept. */
export const keepEverything: MergeRules = { text: joinLines, flag: either, specific: { tool_input: patch } };

/** Model events: later fields replace earlier ones; requests are changed member by member. */
export const replaceFields: MergeRules = { text: replace, flag: replace, specific: { llm_request: patch } };

/** Tool selection: the union of what the hooks allow. */
export const uniteTools: MergeRules = { text: joinLines, flag: either, specific: { toolConfig: unionOfTools } };

/** Announcements nobody waits for: the last word counts. */
export const lastWins: MergeRules = { text: replace, flag: replace, specific: {} };

const strictness: Readonly<Record<HookDecision, number>> = { allow: 1, approve: 1, ask: 2, deny: 3, block: 3 };

/** 0 for no opinion, then allow, ask, deny. */
export const strictnessOf = (decision: HookDecision | undefined): number =>
  decision === undefined ? 0 : strictness[decision];

/** One hook's answer on its way into the merge. */
export interface Contribution {
  readonly output: HookOutput;
  /** False where `decision` is only a courtesy of plain text and not an opinion. */
  readonly hasOpinion: boolean;
}

/** Notes who said what, so that every field can be accounted for afterwards. Merging does not depend on it. */
export class MergeLedger {
  readonly #fates: Map<string, FieldFate>[];
  readonly #names: readonly string[];
  readonly #owners = new Map<string, number[]>();

  constructor(hookIds: readonly string[]) {
    this.#names = hookIds;
    this.#fates = hookIds.map(() => new Map());
  }

  note(field: string, index: number, survivor: Survivor): void {
    const owners = this.#owners.get(field) ?? [];
    if (survivor === 'earlier') {
      this.#overridden(field, index, owners[0] ?? index);
      return;
    }
    this.#fates[index]?.set(field, { fate: 'applied' });
    if (survivor === 'later') for (const owner of owners) if (owner !== index) this.#overridden(field, owner, index);
    this.#owners.set(field, survivor === 'both' ? [...owners, index] : [index]);
  }

  /** What was said so far under this field no longer counts. */
  drop(field: string, winner: number): void {
    for (const owner of this.#owners.get(field) ?? []) if (owner !== winner) this.#overridden(field, owner, winner);
    this.#owners.delete(field);
  }

  #overridden(field: string, loser: number, winner: number): void {
    this.#fates[loser]?.set(field, { fate: 'overridden', by: this.#names[winner] ?? 'another hook' });
  }

  fatesOf(index: number): ReadonlyMap<string, FieldFate> {
    return this.#fates[index] ?? new Map();
  }
}

const specificPrefix = 'hookSpecificOutput.';

/** One run of the merge. It reads the outputs in configured order and never writes to them. */
class Merge {
  readonly #rules: MergeRules;
  readonly #ledger: MergeLedger | undefined;
  readonly #merged: HookOutput = {};
  #specific: Record<string, unknown> | undefined;
  #strictness = 0;
  #stopped = false;

  constructor(rules: MergeRules, ledger: MergeLedger | undefined) {
    this.#rules = rules;
    this.#ledger = ledger;
  }

  add(index: number, { output, hasOpinion }: Contribution): void {
    if (hasOpinion) this.#addDecision(index, output);
    this.#addStop(index, output);
    for (const key in output) {
      if (key in separately) continue;
      this.#addField(index, this.#merged, key, key, output[key], this.#ruleFor(key));
    }
    if (output.hookSpecificOutput !== undefined) this.#addSpecific(index, output.hookSpecificOutput);
  }

  /** The strictest decision counts, with the reasons given for it; no later answer lifts it. */
  #addDecision(index: number, { decision, reason }: HookOutput): void {
    const rank = strictnessOf(decision);
    if (rank < this.#strictness) {
      if (decision !== undefined) this.#ledger?.note('decision', index, 'earlier');
      if (reason !== undefined) this.#ledger?.note('reason', index, 'earlier');
      return;
    }
    const stricter = rank > this.#strictness;
    if (stricter) {
      this.#strictness = rank;
      if (decision !== undefined) this.#merged.decision = decision;
      this.#forget('reason', index);
    }
    if (decision !== undefined) this.#ledger?.note('decision', index, stricter ? 'later' : 'both');
    this.#addField(index, this.#merged, 'reason', 'reason', reason, this.#rules.text);
  }

  #forget(field: 'reason' | 'stopReason', winner: number): void {
    delete this.#merged[field];
    this.#ledger?.drop(field, winner);
  }

  /** `continue: false` is never lifted; the reasons that count are those of the hooks that stopped. */
  #addStop(index: number, output: HookOutput): void {
    const { continue: goOn, stopReason } = output;
    const stops = goOn === false;
    if (goOn !== undefined) {
      const lifted = this.#stopped && !stops;
      this.#ledger?.note('continue', index, lifted ? 'earlier' : stops === this.#stopped ? 'both' : 'later');
      if (!lifted) this.#merged.continue = goOn;
    }
    if (stops && !this.#stopped) {
      this.#stopped = true;
      this.#forget('stopReason', index);
    }
    if (stops === this.#stopped) {
      this.#addField(index, this.#merged, 'stopReason', 'stopReason', stopReason, this.#rules.text);
    } else if (stopReason !== undefined) {
      this.#ledger?.note('stopReason', index, 'earlier');
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
    return key === 'systemMessage' ? this.#rules.text : key === 'suppressOutput' ? this.#rules.flag : replace;
  }

  #specificRuleFor(key: string): FieldRule {
    const own = Object.hasOwn(this.#rules.specific, key) ? this.#rules.specific[key] : undefined;
    if (own !== undefined) return own;
    return key === 'additionalContext' ? this.#rules.text : key === 'clearContext' ? this.#rules.flag : replace;
  }

  #addField(
    index: number,
    target: Record<string, unknown>,
    key: string,
    field: string,
    value: unknown,
    rule: FieldRule,
  ): void {
    if (value === undefined) return;
    const prepared = rule.prepare === undefined ? value : rule.prepare(value);
    if (target[key] === undefined) {
      target[key] = prepared;
      this.#note(index, field, prepared, rule, 'both');
    } else {
      const combined = rule.combine(target[key], prepared);
      target[key] = combined.value;
      this.#note(index, field, prepared, rule, combined.survivor);
    }
  }

  #note(index: number, field: string, value: unknown, rule: FieldRule, survivor: Survivor): void {
    if (this.#ledger === undefined) return;
    if (rule.byMember !== true || !isRecord(value)) {
      this.#ledger.note(field, index, survivor);
      return;
    }
    for (const member of Object.keys(value)) this.#ledger.note(`${field}.${member}`, index, 'later');
  }

  result(): HookOutput {
    if (this.#specific !== undefined) this.#merged.hookSpecificOutput = this.#specific;
    return this.#merged;
  }
}

/** Keys the verdict part of a merge looks after. */
const separately: Readonly<Record<string, true>> = {
  decision: true,
  reason: true,
  continue: true,
  stopReason: true,
  hookSpecificOutput: true,
};

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
