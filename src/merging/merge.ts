/** Merges the answers of an event's hooks into one result. */
import { catalogue, createHookOutput, type HookEventName, type MergeRuleName, type OutputOf } from '../events/index.ts';
import { isPrototypeKey, isRecord } from '../kit/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import {
  type AggregatedHookResult,
  getStrictness,
  type HookExecutionResult,
  type HookOutput,
  hasOpinion,
  isPlainText,
} from '../protocol/index.ts';
import type { MergeRecord } from './merge-record.ts';
import {
  type CombinedValue,
  type FieldRule,
  getMemberRule,
  joinTextsRule,
  laterWinsRule,
  type MergeRules,
  mergeRules,
  trueWinsRule,
} from './merge-rules.ts';

export interface HookAggregatorDeps {
  readonly translator?: AnyHookTranslator | undefined;
}

/** Creates a new object for each call, because callers may change it. */
export const createEmptyResult = <E extends HookEventName>(): AggregatedHookResult<OutputOf<E>> => ({
  success: true,
  finalOutput: undefined,
  allOutputs: [],
  errors: [],
  totalDuration: 0,
});

export class HookAggregator {
  readonly #translator: AnyHookTranslator | undefined;

  constructor(deps: HookAggregatorDeps = {}) {
    this.#translator = deps.translator;
  }

  /** The configured order of `results` alone decides which value replaces another. */
  aggregateResults<E extends HookEventName>(
    results: readonly HookExecutionResult[],
    eventName: E,
    isSequence = false,
  ): AggregatedHookResult<OutputOf<E>> {
    const aggregated = createEmptyResult<E>();
    for (const { success, output, error, duration } of results) {
      if (!success) aggregated.success = false;
      if (output !== undefined) aggregated.allOutputs.push(output);
      if (error !== undefined) aggregated.errors.push(error);
      aggregated.totalDuration += duration;
    }
    const merged = mergeOutputs(results, catalogue[eventName].merge, undefined, isSequence);
    if (merged !== undefined) aggregated.finalOutput = createHookOutput(eventName, merged, this.#translator);
    return aggregated;
  }
}

export const specificPrefix = 'hookSpecificOutput.';

/** Marks an `ask` that hookwright added because a hook failed (`onFault: ask`). No hook's answer removes it. */
export const FAULT_FIELD = 'onFault';

class AnswerMerge {
  readonly #isSequence: boolean;
  readonly #rules: MergeRules;
  readonly #record: MergeRecord | undefined;
  readonly #merged: HookOutput = {};
  #specific: Record<string, unknown> | undefined;
  /** Names of fields with plain text of hooks that printed no JSON. Plain text never replaces a value from JSON. */
  #plain: Set<string> | undefined;
  #isPlain = false;
  #strictness = 0;
  #stopped = false;

  constructor(rules: MergeRules, record: MergeRecord | undefined, isSequence: boolean) {
    this.#isSequence = isSequence;
    this.#rules = rules;
    this.#record = record;
  }

  add(index: number, result: HookExecutionResult, output: HookOutput): void {
    this.#isPlain = isPlainText(result);
    if (hasOpinion(result)) this.#addDecision(index, output);
    this.#addStop(index, output);
    for (const key in output) {
      if (fieldsWithOwnRules.has(key)) continue;
      this.#addField(index, this.#merged, key, key, output[key], this.#ruleFor(key));
    }
    if (output.hookSpecificOutput !== undefined) this.#addSpecific(index, output.hookSpecificOutput);
  }

  /** No later answer makes the decision less strict. Only reasons for the strictest decision are kept. */
  #addDecision(index: number, { decision, reason }: HookOutput): void {
    const rank = getStrictness(decision);
    if (rank < this.#strictness) {
      if (decision !== undefined) this.#record?.lose('decision', index);
      if (reason !== undefined) this.#record?.lose('reason', index);
      return;
    }
    const stricter = rank > this.#strictness;
    if (stricter) {
      this.#strictness = rank;
      if (decision !== undefined) this.#merged.decision = decision;
      this.#forget('reason', index);
    }
    if (decision !== undefined) {
      this.#record?.note('decision', index, decision, { survivor: stricter ? 'later' : 'both' });
    }
    this.#addField(index, this.#merged, 'reason', 'reason', reason, this.#rules.text);
  }

  #forget(field: 'reason' | 'stopReason', winner: number): void {
    // The check is ten times as fast as a `delete`, and the field is usually undefined already.
    if (this.#merged[field] !== undefined) {
      delete this.#merged[field];
    }
    this.#record?.drop(field, winner);
  }

  /** A later hook cannot undo `continue: false`. Only reasons of hooks that stopped are kept. */
  #addStop(index: number, output: HookOutput): void {
    const { continue: goOn, stopReason } = output;
    const stops = goOn === false;
    if (goOn !== undefined) {
      const lifted = this.#stopped && !stops;
      if (lifted) this.#record?.lose('continue', index);
      else this.#record?.note('continue', index, goOn, { survivor: stops === this.#stopped ? 'both' : 'later' });
      if (!lifted) this.#merged.continue = goOn;
    }
    if (stops && !this.#stopped) {
      this.#stopped = true;
      this.#forget('stopReason', index);
    }
    if (stops === this.#stopped) {
      this.#addField(index, this.#merged, 'stopReason', 'stopReason', stopReason, this.#rules.text);
    } else if (stopReason !== undefined) {
      this.#record?.lose('stopReason', index);
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
    return key === 'systemMessage' ? joinTextsRule : key === 'suppressOutput' ? this.#rules.flag : laterWinsRule;
  }

  #specificRuleFor(key: string): FieldRule {
    const own = Object.hasOwn(this.#rules.specific, key) ? this.#rules.specific[key] : undefined;
    if (own !== undefined) return this.#isSequence ? (own.inSequence ?? own) : own;
    if (key === FAULT_FIELD) return trueWinsRule;
    return key === 'additionalContext' ? joinTextsRule : key === 'clearContext' ? this.#rules.flag : laterWinsRule;
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
    const combined: CombinedValue =
      earlier === undefined
        ? { value: prepared, survivor: 'both' }
        : rule === laterWinsRule && this.#isPlain && this.#plain?.has(field) !== true
          ? { value: earlier, survivor: 'earlier' }
          : rule.combine(earlier, prepared);
    target[key] = combined.value;
    if (!this.#isPlain) this.#plain?.delete(field);
    else if (earlier === undefined) {
      this.#plain ??= new Set();
      this.#plain.add(field);
    }
    if (this.#record === undefined) return;
    // A value of another type replaces all members.
    if (rule.members !== undefined && combined.survivor === 'later') this.#record.dropWithMembers(field, index);
    recordField(this.#record, index, field, prepared, rule, combined);
  }

  result(): HookOutput {
    if (this.#specific !== undefined) this.#merged.hookSpecificOutput = this.#specific;
    return this.#merged;
  }
}

const recordField = (
  record: MergeRecord,
  index: number,
  field: string,
  value: unknown,
  rule: FieldRule,
  combined: CombinedValue,
): void => {
  const { members } = rule;
  const entries = members !== undefined && isRecord(value) ? Object.entries(value) : [];
  if (members === undefined || entries.length === 0) {
    record.note(field, index, value, combined);
    return;
  }
  for (const [key, member] of entries) {
    if (member === undefined) continue;
    recordField(record, index, `${field}.${key}`, member, getMemberRule(members, key), {
      value: member,
      survivor: 'later',
    });
  }
};

const fieldsWithOwnRules: ReadonlySet<string> = new Set([
  'decision',
  'reason',
  'continue',
  'stopReason',
  'hookSpecificOutput',
]);

export const mergeOutputs = (
  results: readonly HookExecutionResult[],
  rule: MergeRuleName,
  record?: MergeRecord,
  isSequence = false,
): HookOutput | undefined => {
  let merge: AnswerMerge | undefined;
  for (let index = 0; index < results.length; index += 1) {
    const result = results[index];
    if (result?.output === undefined) continue;
    merge ??= new AnswerMerge(mergeRules[rule], record, isSequence);
    merge.add(index, result, result.output);
  }
  return merge?.result();
};
