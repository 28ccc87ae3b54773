// The door of this folder to backtests: other folders of src import them only from here, users from backtest/index.ts.

export { collectExchanges, type RecordedExchange } from './backtest/collect-exchanges.ts';
export { createResultFromRow, matchRecordedRows } from './backtest/deciding/recorded-answers.ts';
export * from './backtest/index.ts';
export { forEachInParallel } from './backtest/run-backtest.ts';
