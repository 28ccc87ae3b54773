import { titleOf } from './result-lines.ts';
import type { TestResult, TestRun } from './run-tests.ts';

/** `hooks.no-rm` as people write it is no path, so keys stay apart. */
const mismatchData = ({ mismatches }: TestResult) => mismatches.map(({ path, message }) => ({ path, message }));

const resultData = (result: TestResult, isUpdated: boolean) => {
  const { test, found, mismatches, durationMs } = result;
  const { error, verdict, reason, rows } = found;
  const failure = isUpdated ? 'updated' : 'failed';
  return {
    name: titleOf(result),
    file: test.file,
    line: test.line,
    event: test.event,
    status: mismatches.length === 0 ? 'passed' : failure,
    verdict,
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error }),
    mismatches: mismatchData(result),
    durationMs,
    rows: mismatches.length === 0 ? [] : rows,
  };
};

/** A run of the tests for programs; the rows of the trace only where a test failed. */
export const runData = ({ results, problems, leftOut, isInterrupted }: TestRun, updated: readonly TestResult[]) => {
  const failed = results.filter((result) => result.mismatches.length > 0 && !updated.includes(result)).length;
  return {
    passed: results.length - failed - updated.length,
    failed,
    updated: updated.length,
    mistakes: problems.length,
    leftOut,
    ...(isInterrupted ? { isInterrupted } : {}),
    tests: results.map((result) => resultData(result, updated.includes(result))),
  };
};
