// The door of backtests for other rooms; backtest/index.ts is the one for users.

export { collectPairs, fileAndLine, type RecordedDecision } from './backtest/collect.ts';
export { recallAnswers, resultFromRow } from './backtest/deciding/recorded-answers.ts';
export * from './backtest/index.ts';
export { inParallel } from './backtest/run-backtest.ts';
