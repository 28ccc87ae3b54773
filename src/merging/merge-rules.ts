/** The rules by which answers of several hooks are merged, one set of rules per kind of event. */
import type { MergeRuleName } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';

/** Which value is in the merged answer: that of the earlier hook, that of the later hook, or both combined. */
type SurvivingValue = 'both' | 'earlier' | 'later';

export interface CombinedValue {
  readonly value: unknown;
  readonly survivor: SurvivingValue;
  /** True if the combined value still contains part of an earlier hook's value. Absent if it always does. */
  readonly holds?: (value: unknown) => boolean;
}

/** Combines two values of a field. `prepare` normalizes a value first. */
export interface FieldRule {
  combine(earlier: unknown, later: unknown): CombinedValue;
  readonly prepare?: (value: unknown) => unknown;
  /** In a sequence the later hook has seen the earlier value, so a different rule may apply. */
  readonly inSequence?: FieldRule;
  /** Rules for members of an object, which then have separate fates. A member without a rule is replaced. */
  readonly members?: Readonly<Record<string, FieldRule>>;
}

/** Merge rules of an event, without those for verdicts, which merge the same way for all events. */
export interface MergeRules {
  readonly text: FieldRule;
  readonly flag: FieldRule;
  /** Rules for members of `hookSpecificOutput`. A member without a rule is replaced by the later hook's value. */
  readonly specific: Readonly<Record<string, FieldRule>>;
}

export const laterWinsRule: FieldRule = { combine: (_earlier, later) => ({ value: later, survivor: 'later' }) };

const joinLinesRule: FieldRule = {
  combine: (earlier, later) => ({ value: `${String(earlier)}\n${String(later)}`, survivor: 'both' }),
};

const isBlank = (text: unknown): boolean => typeof text === 'string' && text.trim() === '';

export const joinTextsRule: FieldRule = {
  combine: (earlier, later) => {
    if (isBlank(later)) return { value: earlier, survivor: 'both' };
    return isBlank(earlier) ? { value: later, survivor: 'both' } : joinLinesRule.combine(earlier, later);
  },
};

export const trueWinsRule: FieldRule = {
  combine: (earlier, later) =>
    earlier === later
      ? { value: later, survivor: 'both' }
      : { value: true, survivor: earlier === true ? 'earlier' : 'later' },
};

export const getMemberRule = (members: Readonly<Record<string, FieldRule>>, key: string): FieldRule =>
  (Object.hasOwn(members, key) ? members[key] : undefined) ?? laterWinsRule;

/** Changes single members of an object, as if the later hook had run after the earlier hook. */
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

const toolModeStrictness: Readonly<Record<string, number>> = { AUTO: 1, ANY: 2, NONE: 3 };

const readAllowedNames = (config: Record<string, unknown>): readonly unknown[] | undefined =>
  Array.isArray(config.allowedFunctionNames) ? config.allowedFunctionNames : undefined;

const withAllowedNames = (
  config: Record<string, unknown>,
  names: readonly unknown[] | undefined,
): Record<string, unknown> => {
  const { allowedFunctionNames: _replaced, ...rest } = config;
  if (names === undefined) return rest;
  const allowed = config.mode === 'NONE' ? [] : [...new Set(names.map(String))].sort();
  return { ...rest, allowedFunctionNames: allowed };
};

type AllowedNames = readonly unknown[] | undefined;

/** The strictest mode wins. A missing list means that all tools are allowed; an empty list allows none. */
const createToolsRule = (listOf: (earlier: AllowedNames, later: AllowedNames) => AllowedNames): FieldRule => ({
  prepare: (value) => (isRecord(value) ? withAllowedNames(value, readAllowedNames(value)) : value),
  combine: (earlier, later) => {
    if (!isRecord(earlier) || !isRecord(later)) return { value: later, survivor: 'later' };
    const rank = (config: Record<string, unknown>): number => toolModeStrictness[String(config.mode)] ?? 0;
    const [strict, other] = rank(later) >= rank(earlier) ? [later, earlier] : [earlier, later];
    const value = withAllowedNames({ ...other, ...strict }, listOf(readAllowedNames(earlier), readAllowedNames(later)));
    const holds = (config: unknown): boolean =>
      isRecord(config) &&
      (config.mode === value.mode || (value.mode !== 'NONE' && readAllowedNames(config) !== undefined));
    return { value, survivor: holds(later) ? 'both' : 'earlier', holds };
  },
});

/** The lists of parallel hooks are united; in a sequence the last list wins. */
const unionOfToolsRule: FieldRule = {
  ...createToolsRule((first, second) =>
    first === undefined && second === undefined ? undefined : [...(first ?? []), ...(second ?? [])],
  ),
  inSequence: createToolsRule((first, second) => second ?? first),
};

const appendListsRule: FieldRule = {
  combine: (earlier, later) =>
    Array.isArray(earlier) && Array.isArray(later)
      ? { value: [...earlier, ...later], survivor: 'both' }
      : { value: later, survivor: 'later' },
};

const createKeepingRules = (specific: MergeRules['specific']): MergeRules => ({
  text: joinLinesRule,
  flag: trueWinsRule,
  specific,
});

const createReplacingRules = (specific: MergeRules['specific']): MergeRules => ({
  text: laterWinsRule,
  flag: laterWinsRule,
  specific,
});

const patchMembersRule = createPatchRule();

/** Parallel hooks change single members of a tool's result; in a sequence the last result wins. */
const toolResultRule: FieldRule = { ...patchMembersRule, inSequence: laterWinsRule };

export const mergeRules: Readonly<Record<MergeRuleName, MergeRules>> = {
  'keep-everything': createKeepingRules({ tool_input: patchMembersRule }),
  'keep-result': createKeepingRules({ tool_input: patchMembersRule, updatedOutput: toolResultRule }),
  'keep-permissions': createKeepingRules({
    tool_input: patchMembersRule,
    updatedPermissions: appendListsRule,
    interrupt: trueWinsRule,
  }),
  'keep-variables': createKeepingRules({
    tool_input: patchMembersRule,
    environment: patchMembersRule,
    environmentScript: joinLinesRule,
  }),
  'replace-fields': createReplacingRules({ llm_request: createPatchRule({ config: patchMembersRule }) }),
  'unite-tools': createKeepingRules({ toolConfig: unionOfToolsRule }),
  'last-wins': createReplacingRules({}),
};
