/**
 * Other agents' protocols of hooks, each a record of data in a folder of its own under packs/, and what can be done with
 * hooks that were written for them. A further agent is a folder there and a line in table.ts.
 */

export { dialectNamed, dialectNames, dialects } from './agent-table.ts';
export type { Answer, Ended, Said } from './answers/answer.ts';
export type { Loss } from './convert.ts';
export { type FileChange, type Import, type ImportOptions, importHooks } from './import.ts';
export { type DialectEntry, type DialectProblem, type DialectReading, readDialectFile } from './reading/read-file.ts';
export type { AgentRules as Dialect, DialectOptions, DialectsOption, ToolsOption } from './rules.ts';
