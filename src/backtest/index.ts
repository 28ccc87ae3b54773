export { type BacktestOptions, type BacktestProgress, backtest } from './backtest.ts';
export type { BacktestProblem, RecordedEntry, RecordedSession } from './collect.ts';
export type { Decision, DecisionFault, UnknownAnswer } from './decision.ts';
export type { DecisionKind } from './diff.ts';
export type { RaceFinding } from './race-search.ts';
export { type RaceEvent, type RaceOptions, type RaceReport, races } from './races.ts';
export type { BacktestReport, DecisionDiff } from './report.ts';
