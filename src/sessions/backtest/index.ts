/** Entry `hookwright/backtest`: decides recorded requests again under other hooks, and finds hooks that race. */

export type { BacktestProblem, RecordedEntry, RecordedSession } from './collect-exchanges.ts';
export type { DecisionKind } from './deciding/compare-decisions.ts';
export type { Decision, DecisionFault, UnknownAnswer } from './deciding/decision.ts';
export { type RaceEvent, type RaceOptions, type RaceReport, races } from './races/find-races.ts';
export type { RaceFinding } from './races/race-search.ts';
export type { BacktestReport, DecisionDiff } from './report.ts';
export { type BacktestOptions, type BacktestProgress, backtest } from './run-backtest.ts';
