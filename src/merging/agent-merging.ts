/** Merges the answers of another agent's hooks by that agent's rule. */
import {
  type AgentHook,
  type AnswerToMerge,
  getDistrustRank,
  getOrigin,
  type HookConfig,
  type HookExecutionResult,
  type HookOutput,
  notice,
  verdictOf,
} from '../protocol/index.ts';

const findMergingAgent = (hook: HookConfig): AgentHook | undefined => {
  const dialect = getOrigin(hook)?.dialect;
  return dialect?.merge === undefined ? undefined : dialect;
};

/**
 * Finds the hook whose answer the agent's merged answer replaces: the first, or for an approval the least trusted of
 * the approving hooks, so that the approval never seems to come from a more trusted source.
 */
const findAnswerIndex = (
  results: readonly HookExecutionResult[],
  group: readonly number[],
  output: HookOutput,
): number => {
  const [first = -1] = group;
  if (verdictOf(output.decision) !== 'allow') return first;
  const rankAt = (index: number): number => {
    const result = results[index];
    return verdictOf(result?.output?.decision) === 'allow' && result !== undefined
      ? getDistrustRank(result.hookConfig)
      : -1;
  };
  return group.reduce((at, index) => (rankAt(index) > rankAt(at) ? index : at), first);
};

const mergeGroup = (results: readonly HookExecutionResult[], group: readonly number[]): HookExecutionResult[] => {
  const outputs = group.flatMap((index): AnswerToMerge[] => {
    const { output, outputFormat, mark, hookConfig } = results[index] ?? {};
    if (output === undefined || hookConfig === undefined) return [];
    const scope = getOrigin(hookConfig)?.source;
    return [{ output, scope, mark, ...(outputFormat === 'text' ? { isText: true } : {}) }];
  });
  const [first = -1] = group;
  const leading = results[first];
  const dialect = leading === undefined ? undefined : findMergingAgent(leading.hookConfig);
  if (dialect?.merge === undefined || outputs.length < 2) return [...results];
  const { output, isText, grantsNothing, notes = [] } = dialect.merge(outputs);
  const at = findAnswerIndex(results, group, output);
  const outputFormat = isText === true ? 'text' : 'json';
  const merged = { output, outputFormat, ...(grantsNothing === true ? { grantsNothing } : {}) } as const;
  const where = at === first ? 'first' : 'least trusted of those that allow';
  const message = `${dialect.title} makes one answer of those of ${outputs.length} hooks; it stands at the ${where}${notes.map((text) => `; ${text}`).join('')}`;
  const note = notice('dialect', message, { detail: { answer: output } });
  return results.map((result, index) => {
    if (!group.includes(index)) return result;
    const { output: _own, grantsNothing: _its, ...rest } = result;
    const warnings = [...(result.warnings ?? []), note];
    return { ...rest, ...(index === at ? merged : {}), own: result, warnings };
  });
};

export const isMergedByAgent = (hook: HookConfig): boolean => findMergingAgent(hook) !== undefined;

export const mergeByAgents = (results: readonly HookExecutionResult[]): readonly HookExecutionResult[] => {
  const groups = new Map<string, number[]>();
  for (const [index, result] of results.entries()) {
    const agent = findMergingAgent(result.hookConfig);
    if (agent !== undefined) groups.set(agent.name, [...(groups.get(agent.name) ?? []), index]);
  }
  return [...groups.values()].reduce<readonly HookExecutionResult[]>(mergeGroup, results);
};
