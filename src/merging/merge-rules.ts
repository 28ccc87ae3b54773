import type { MergeRuleName } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';

/** Which of two values for one field is still in the merged answer: both (they were combined), or one of them. */
type Survivor = 'both' | 'earlier' | 'later';

export interface Combined {
  readonly value: unknown;
  readonly survivor: Survivor;
  /** Whether part of an earlier value is still in the combined one; absent if that is always so. */
  readonly holds?: (value: unknown) => boolean;
}

/** Combines two values of a field. The first value of a field goes through `prepare`, if there is one. */
export interface FieldRule {
  combine(earlier: unknown, later: unknown): Combined;
  readonly prepare?: (value: unknown) => unknown;
  /** The rule for hooks in sequence, where the later hook has seen the value of the earlier one. */
  readonly inSequence?: FieldRule;
  /** Rules for members of an object, which then have separate fates; members without a rule are replaced. */
  readonly members?: Readonly<Record<string, FieldRule>>;
}

/** How an event merges the fields of several answers. Verdicts are not included: they merge alike for all events. */
export interface MergeRules {
  /** Rule for reasons. Texts for the model need none: they are joined for every event. */
  readonly text: FieldRule;
  /** Rule for the booleans `suppressOutput` and `clearContext`. */
  readonly flag: FieldRule;
  /** Rules for keys of `hookSpecificOutput`; for a key without one, the later hook replaces the earlier value. */
  readonly specific: Readonly<Record<string, FieldRule>>;
}

export const replaceRule: FieldRule = { combine: (_earlier, later) => ({ value: later, survivor: 'later' }) };

const joinLines: FieldRule = {
  combine: (earlier, later) => ({ value: `${String(earlier)}\n${String(later)}`, survivor: 'both' }),
};

const isBlank = (text: unknown): boolean => typeof text === 'string' && text.trim() === '';

/** All text for the model is kept, whatever else the event does with answers. A blank text counts as none. */
export const joinTexts: FieldRule = {
  combine: (earlier, later) => {
    if (isBlank(later)) return { value: earlier, survivor: 'both' };
    return isBlank(earlier) ? { value: later, survivor: 'both' } : joinLines.combine(earlier, later);
  },
};

export const eitherRule: FieldRule = {
  combine: (earlier, later) =>
    earlier === later
      ? { value: later, survivor: 'both' }
      : { value: true, survivor: earlier === true ? 'earlier' : 'later' },
};

export const memberRule = (members: Readonly<Record<string, FieldRule>>, key: string): FieldRule =>
  (Object.hasOwn(members, key) ? members[key] : undefined) ?? replaceRule;

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

type Names = readonly unknown[] | undefined;

/** The strictest mode counts. No list at all means "unrestricted", which is not an empty list. */
const toolsBy = (listOf: (earlier: Names, later: Names) => Names): FieldRule => ({
  prepare: (value) => (isRecord(value) ? withNames(value, namesOf(value)) : value),
  combine: (earlier, later) => {
    if (!isRecord(earlier) || !isRecord(later)) return { value: later, survivor: 'later' };
    const rank = (config: Record<string, unknown>): number => modeRank[String(config.mode)] ?? 0;
    const [strict, other] = rank(later) >= rank(earlier) ? [later, earlier] : [earlier, later];
    const value = withNames({ ...other, ...strict }, listOf(namesOf(earlier), namesOf(later)));
    const holds = (config: unknown): boolean =>
      isRecord(config) && (config.mode === value.mode || (value.mode !== 'NONE' && namesOf(config) !== undefined));
    return { value, survivor: holds(later) ? 'both' : 'earlier', holds };
  },
});

/** The lists of parallel hooks are united; in a sequence the last one counts. */
const unionOfTools: FieldRule = {
  ...toolsBy((first, second) =>
    first === undefined && second === undefined ? undefined : [...(first ?? []), ...(second ?? [])],
  ),
  inSequence: toolsBy((first, second) => second ?? first),
};

/** Tools, turns and session starts: all texts are kept. */
const keepEverything: MergeRules = { text: joinLines, flag: eitherRule, specific: { tool_input: patch() } };

/** Results of tools: of parallel hooks a later object changes members of an earlier one, as with arguments. */
const keepResult: MergeRules = {
  ...keepEverything,
  specific: { ...keepEverything.specific, updatedOutput: { ...patch(), inSequence: replaceRule } },
};

/** Lists of several hooks become one list. */
const append: FieldRule = {
  combine: (earlier, later) =>
    Array.isArray(earlier) && Array.isArray(later)
      ? { value: [...earlier, ...later], survivor: 'both' }
      : { value: later, survivor: 'later' },
};

/** Requests for permission: what is to be permitted from now on is what all of them say. */
const keepPermissions: MergeRules = {
  ...keepEverything,
  specific: { ...keepEverything.specific, updatedPermissions: append, interrupt: eitherRule },
};

/** Session starts: variables of all hooks count, the later of two with one name. */
const keepVariables: MergeRules = {
  ...keepEverything,
  specific: { ...keepEverything.specific, environment: patch(), environmentScript: joinLines },
};

/** Model events: later fields replace earlier ones; requests are changed member by member, options one by one. */
const replaceFields: MergeRules = {
  text: replaceRule,
  flag: replaceRule,
  specific: { llm_request: patch({ config: patch() }) },
};

/** Tool selection: the union of what the hooks allow. */
const uniteTools: MergeRules = { text: joinLines, flag: eitherRule, specific: { toolConfig: unionOfTools } };

/** Notifications, which have no verdict: the last value counts. */
const lastWins: MergeRules = { text: replaceRule, flag: replaceRule, specific: {} };

/** Of several hooks that answer one event, by the name that stands in its record. */
export const mergeRules: Readonly<Record<MergeRuleName, MergeRules>> = {
  'keep-everything': keepEverything,
  'keep-result': keepResult,
  'keep-permissions': keepPermissions,
  'keep-variables': keepVariables,
  'replace-fields': replaceFields,
  'unite-tools': uniteTools,
  'last-wins': lastWins,
};
