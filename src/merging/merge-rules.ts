/** The rules by which answers of several hooks are merged, one set of rules per kind of event. */
import type { MergeRuleName } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';

/** The value that is in the merged answer: one of the two, or a combination of them. */
type Survivor = 'both' | 'earlier' | 'later';

export interface Combined {
  readonly value: unknown;
  readonly survivor: Survivor;
  /**
   * True if the combined value still contains part of the given earlier value. Without this function it always does.
   */
  readonly holds?: (value: unknown) => boolean;
}

/** Combines two values of a field. `prepare` normalizes a value first. */
export interface FieldRule {
  combine(earlier: unknown, later: unknown): Combined;
  readonly prepare?: (value: unknown) => unknown;
  /** In a sequence the later hook has seen the earlier value, so a different rule may apply. */
  readonly inSequence?: FieldRule;
  /** Rules for members of an object, which then have separate fates. A member without a rule is replaced. */
  readonly members?: Readonly<Record<string, FieldRule>>;
}

/** Does not include verdicts, which merge the same way for all events. */
export interface MergeRules {
  readonly text: FieldRule;
  readonly flag: FieldRule;
  /** Rules for members of `hookSpecificOutput`. A member without a rule is replaced by the later hook's value. */
  readonly specific: Readonly<Record<string, FieldRule>>;
}

export const replaceRule: FieldRule = { combine: (_earlier, later) => ({ value: later, survivor: 'later' }) };

const joinLines: FieldRule = {
  combine: (earlier, later) => ({ value: `${String(earlier)}\n${String(later)}`, survivor: 'both' }),
};

const isBlank = (text: unknown): boolean => typeof text === 'string' && text.trim() === '';

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

export const getMemberRule = (members: Readonly<Record<string, FieldRule>>, key: string): FieldRule =>
  (Object.hasOwn(members, key) ? members[key] : undefined) ?? replaceRule;

/** Merges two objects member by member, with the result that running the later hook after the earlier one would have. */
const createPatchRule = (members: Readonly<Record<string, FieldRule>> = {}): FieldRule => ({
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

/** The strictest mode wins. A missing list means that all tools are allowed; an empty list allows none. */
const createToolsRule = (listOf: (earlier: Names, later: Names) => Names): FieldRule => ({
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

/** The lists of parallel hooks are united; in a sequence the last list wins. */
const unionOfTools: FieldRule = {
  ...createToolsRule((first, second) =>
    first === undefined && second === undefined ? undefined : [...(first ?? []), ...(second ?? [])],
  ),
  inSequence: createToolsRule((first, second) => second ?? first),
};

const keepEverything: MergeRules = { text: joinLines, flag: eitherRule, specific: { tool_input: createPatchRule() } };

/** For tool results. Parallel hooks change single members of the result; in a sequence the last result wins. */
const keepResult: MergeRules = {
  ...keepEverything,
  specific: { ...keepEverything.specific, updatedOutput: { ...createPatchRule(), inSequence: replaceRule } },
};

const appendRule: FieldRule = {
  combine: (earlier, later) =>
    Array.isArray(earlier) && Array.isArray(later)
      ? { value: [...earlier, ...later], survivor: 'both' }
      : { value: later, survivor: 'later' },
};

const keepPermissions: MergeRules = {
  ...keepEverything,
  specific: { ...keepEverything.specific, updatedPermissions: appendRule, interrupt: eitherRule },
};

const keepVariables: MergeRules = {
  ...keepEverything,
  specific: { ...keepEverything.specific, environment: createPatchRule(), environmentScript: joinLines },
};

const replaceFields: MergeRules = {
  text: replaceRule,
  flag: replaceRule,
  specific: { llm_request: createPatchRule({ config: createPatchRule() }) },
};

const uniteTools: MergeRules = { text: joinLines, flag: eitherRule, specific: { toolConfig: unionOfTools } };

const lastWins: MergeRules = { text: replaceRule, flag: replaceRule, specific: {} };

export const mergeRules: Readonly<Record<MergeRuleName, MergeRules>> = {
  'keep-everything': keepEverything,
  'keep-result': keepResult,
  'keep-permissions': keepPermissions,
  'keep-variables': keepVariables,
  'replace-fields': replaceFields,
  'unite-tools': uniteTools,
  'last-wins': lastWins,
};
