/** The door of backtest. */
export { collectPairs, placeOf, type RecordedDecision } from './collect.ts';
export { recall } from './deciding/recall.ts';
export { resultFromRow } from './deciding/recorded-results.ts';
export { inParallel } from './races/in-parallel.ts';
