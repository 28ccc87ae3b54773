/** `hookwright/dialects`: the hook protocols of other agents as data, and reading and importing their hooks. */

export { dialectNamed, dialectNames, dialects } from './agent-table.ts';
export type { Answer, Ended, Said } from './answers/answer.ts';
export type { Loss } from './convert.ts';
export { type FileChange, type Import, type ImportOptions, importHooks } from './import.ts';
export { type DialectEntry, type DialectProblem, type DialectReading, readDialectFile } from './reading/read-file.ts';
export type { AgentRules as Dialect, DialectOptions, DialectsOption, ToolsOption } from './rules.ts';
