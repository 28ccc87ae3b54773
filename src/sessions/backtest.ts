// A door of sessions, that is, a file that other folders may import: exports backtests. Users get backtest/index.ts.

export { collectExchanges, type RecordedExchange } from './backtest/collect-exchanges.ts';
export { createResultFromRow, matchRecordedRows } from './backtest/deciding/recorded-answers.ts';
export * from './backtest/index.ts';
export { forEachInParallel } from './backtest/run-backtest.ts';
