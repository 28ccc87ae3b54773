/** The door for the other rooms; index.ts is the one for users. */
export { collectPairs, fileAndLine, type RecordedDecision } from './collect.ts';
export { recall } from './deciding/recall.ts';
export { resultFromRow } from './deciding/recorded-results.ts';
export { inParallel } from './races/in-parallel.ts';
