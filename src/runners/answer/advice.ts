import type { FieldProblem, HookExecutionResult, HookOutput, SpecificField } from '../../protocol/index.ts';

/** What decides, at the top of an answer. */
const deciding: readonly string[] = ['decision', 'reason', 'continue', 'stopReason'];

/** What changes something, in `hookSpecificOutput`. The compiler keeps it complete. */
const changing: Readonly<Record<SpecificField, boolean>> = {
  hookEventName: false,
  additionalContext: false,
  tool_input: true,
  llm_request: true,
  llm_response: true,
  toolConfig: true,
  clearContext: true,
  updatedOutput: true,
  tailToolCallRequest: true,
};

const changes = (key: string): boolean => Object.entries(changing).some(([name, does]) => does && name === key);

const note = (value: unknown): string => {
  const said = typeof value === 'string' ? `its ${JSON.stringify(value.slice(0, 60))}` : 'what it says here';
  return `the hook is advisory: ${said} does not count`;
};

const without = (
  value: Readonly<Record<string, unknown>>,
  prefix: string,
  isDropped: (key: string) => boolean,
): { readonly kept: Record<string, unknown>; readonly problems: FieldProblem[] } => {
  const kept: Record<string, unknown> = {};
  const problems: FieldProblem[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (isDropped(key) && member !== undefined) {
      problems.push({ field: prefix + key, fate: 'unsupported', note: note(member) });
    } else kept[key] = member;
  }
  return { kept, problems };
};

/**
 * What is left of the answer of an advisory hook: messages and context. What would decide or change anything is said to be
 * unsupported. Plain text decides nothing to begin with.
 */
export const asAdvice = (result: HookExecutionResult): HookExecutionResult => {
  const { output, outputFormat } = result;
  if (output === undefined || (outputFormat === 'text' && output.decision === 'allow')) return result;
  const { hookSpecificOutput, ...top } = output;
  const said = without(top, '', (key) => deciding.includes(key));
  const specific = without(hookSpecificOutput ?? {}, 'hookSpecificOutput.', changes);
  const problems = [...said.problems, ...specific.problems];
  if (problems.length === 0) return result;
  const kept: HookOutput = said.kept;
  return {
    ...result,
    output: Object.keys(specific.kept).length === 0 ? kept : { ...kept, hookSpecificOutput: specific.kept },
    fieldProblems: [...(result.fieldProblems ?? []), ...problems],
  };
};
