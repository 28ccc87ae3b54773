// The door to backtests for other folders of src, which must not import deeper; users import backtest/index.ts.

export { collectPairs, fileAndLine, type RecordedDecision } from './backtest/collect.ts';
export { recallAnswers, resultFromRow } from './backtest/deciding/recorded-answers.ts';
export * from './backtest/index.ts';
export { inParallel } from './backtest/run-backtest.ts';
