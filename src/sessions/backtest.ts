// The door of backtests for other folders of `src`; backtest/index.ts is for users of the package.

export { collectExchanges, type RecordedExchange } from './backtest/collect-exchanges.ts';
export { createResultFromRow, matchRecordedRows } from './backtest/deciding/recorded-answers.ts';
export * from './backtest/index.ts';
export { forEachInParallel } from './backtest/run-backtest.ts';
