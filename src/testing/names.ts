/** All exports of `hookwright/testing`. `require` loads this file because index.ts has a top-level `await`. */
export { type BusFeatures, describeBus } from './bus/describe-bus.ts';
export { type CapturedMessages, captureTraffic, type EventNameLike, type Traffic } from './capture-traffic.ts';
export { type FakeClock, type FakeClockOptions, fakeClock } from './fake-clock.ts';
export type {
  CommandFixture,
  CommandFixtureOptions,
  FixtureOptions,
  FunctionFixture,
  ReceivedInput,
} from './fixtures/hook-fixtures.ts';
export { fixtureHook } from './fixtures/hook-fixtures.ts';
export type { ScriptLanguage } from './fixtures/script-files.ts';
export type {
  CoverageOptions,
  HostAbilities,
  HostAccess,
  HostDriver,
  ModelContext,
  ParallelCall,
  SampleTool,
  ToolCallContext,
  ToolInput,
  ToolTurnContext,
} from './host/driver.ts';
export type { CoverageReport, PathReport } from './host/host-coverage.ts';
export { hostCoverage } from './host/host-coverage.ts';
export {
  type BlockedExpectation,
  hookMatchers,
  type MatcherVerdict,
  type RunExpectation,
  type SkippedExpectation,
  toHaveBlocked,
  toHaveRun,
  toHaveSkipped,
} from './matchers/matchers.ts';
export type { HookMatchers } from './matchers/vitest-types.ts';
export { type Recorded, type Replayed, replayInto } from './replay-into.ts';
export { describeTranslator, type TranslatorSamples } from './translator/describe-translator.ts';
