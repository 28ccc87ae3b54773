// Exports of backtests for other folders of src, which import no deeper file. Users import backtest/index.ts.

export { collectExchanges, type RecordedExchange } from './backtest/collect-exchanges.ts';
export { createResultFromRow, matchRecordedRows } from './backtest/deciding/recorded-answers.ts';
export * from './backtest/index.ts';
export { forEachInParallel } from './backtest/run-backtest.ts';
