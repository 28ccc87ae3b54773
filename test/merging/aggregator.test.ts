import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../../src/events/index.ts';
import {
  createHookOutput,
  type FaultCode,
  HookAggregator,
  type HookExecutionResult,
  type HookOutput,
  HookTranslatorGenAIv1,
  type OnFault,
} from '../../src/index.ts';
import { faultCodes, getStrictness } from '../../src/protocol/index.ts';
import { applyOnFault, createFaultResult } from '../../src/runners/index.ts';
import { deepFreeze } from '../models/support.ts';
import { aBlock, anEvent, anOutput } from '../support/arbitraries.ts';

const aggregator = new HookAggregator();

const answered = (output: HookOutput, more: Partial<HookExecutionResult> = {}): HookExecutionResult => ({
  hookConfig: { command: 'c' },
  eventName: 'BeforeTool',
  success: true,
  output,
  outputFormat: 'json',
  duration: 1,
  ...more,
});

const silent: HookExecutionResult = { hookConfig: {}, eventName: 'BeforeTool', success: true, duration: 2 };

/** How an exit code other than 0 and 2 ends. */
const failed: HookExecutionResult = {
  hookConfig: { command: 'broken' },
  eventName: 'BeforeTool',
  success: false,
  code: 'exit-code',
  exitCode: 1,
  output: { decision: 'allow', systemMessage: 'Warning: broken' },
  outputFormat: 'text',
  error: new Error('exit code 1'),
  duration: 3,
};

describe.each(hookEventNames)('results of %s', (eventName) => {
  test('R193 none give the empty result, a fresh one each time', () => {
    const empty = { success: true, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 };
    const result = aggregator.aggregateResults([], eventName);
    expect(result).toStrictEqual(empty);
    expect(Object.keys(result)).toEqual(Object.keys(empty));
    expect(aggregator.aggregateResults([], eventName)).not.toBe(result);
  });

  test('without an answer have no final output either', () => {
    expect(aggregator.aggregateResults([silent, silent], eventName)).toStrictEqual({
      success: true,
      finalOutput: undefined,
      allOutputs: [],
      errors: [],
      totalDuration: 4,
    });
  });

  test('R192 are merged into the class of the event', () => {
    const { finalOutput } = aggregator.aggregateResults([answered({ decision: 'ask' })], eventName);
    expect(finalOutput?.constructor).toBe(createHookOutput(eventName).constructor);
    expect(finalOutput?.isAskDecision()).toBe(true);
  });

  test('R113 that are plain text are messages without an opinion', () => {
    const text = answered({ decision: 'allow', systemMessage: 'hello' }, { outputFormat: 'text' });
    const { success, finalOutput, allOutputs } = aggregator.aggregateResults([text], eventName);
    expect(success).toBe(true);
    expect(finalOutput?.decision).toBeUndefined();
    expect(finalOutput?.systemMessage).toBe('hello');
    expect(allOutputs).toEqual([{ decision: 'allow', systemMessage: 'hello' }]);
  });
});

describe('health', () => {
  test('R182 R185 R186 R187 one failure of three is reported, and the other two answers are returned', () => {
    const results = [answered({ reason: 'a' }), failed, answered({ reason: 'b' })];
    const result = aggregator.aggregateResults(results, 'BeforeTool');
    expect(result.success).toBe(false);
    expect(result.errors).toEqual([failed.error]);
    expect(result.errors[0]).toBe(failed.error);
    expect(result.allOutputs).toEqual([{ reason: 'a' }, failed.output, { reason: 'b' }]);
    expect({ ...result.finalOutput }).toEqual({ reason: 'a\nb', systemMessage: 'Warning: broken' });
    expect(result.totalDuration).toBe(5);
  });

  test('R184 C03 C37 an exit 2 is no success, but a policy and not an error', () => {
    const exit2 = answered({ decision: 'deny', reason: 'no' }, { success: false, exitCode: 2 });
    const result = aggregator.aggregateResults([exit2], 'BeforeTool');
    expect(result).toMatchObject({ success: false, errors: [] });
    expect(result.finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no' });
  });

  test('P5 the courtesy allow of a failure is no opinion beside an ask, nor alone', () => {
    expect(aggregator.aggregateResults([failed], 'BeforeTool').finalOutput?.decision).toBeUndefined();
    const both = aggregator.aggregateResults([failed, answered({ decision: 'ask' })], 'BeforeTool');
    expect(both.finalOutput?.decision).toBe('ask');
  });

  test('text that onFault turned into a verdict is one', () => {
    const denied = answered({ decision: 'deny', reason: 'fault' }, { outputFormat: 'text' });
    expect(aggregator.aggregateResults([denied], 'BeforeTool').finalOutput?.isBlockingDecision()).toBe(true);
  });
});

test('R195 its outputs translate with the translator it was given', () => {
  class Other extends HookTranslatorGenAIv1 {}
  const translator = new Other();
  const output = { hookSpecificOutput: { llm_request: { model: 'x' } } };
  const { finalOutput } = new HookAggregator({ translator }).aggregateResults([answered(output)], 'BeforeModel');
  expect(finalOutput?.applyLLMRequestModifications({ model: 'm', contents: 'hi' })).toMatchObject({ model: 'x' });
});

test('a hundred outputs are merged in order', () => {
  const outputs = Array.from({ length: 100 }, (_, index): HookOutput => ({ systemMessage: `line ${index}` }));
  const result = aggregator.aggregateResults(
    outputs.map((output) => answered(output)),
    'AfterTool',
  );
  expect(result.finalOutput?.systemMessage).toBe(outputs.map((output) => output.systemMessage).join('\n'));
  expect(result.allOutputs).toEqual(outputs);
  expect(result.totalDuration).toBe(100);
});

describe('promises', () => {
  const fault = fc
    .tuple(fc.constantFrom<FaultCode[]>(...faultCodes), fc.boolean())
    .map(([code, hasText]): HookExecutionResult => {
      const bare = createFaultResult({ command: 'c' }, 'BeforeTool', { code, message: 'm' }, 1);
      return hasText ? { ...bare, output: { decision: 'allow', systemMessage: 'm' }, outputFormat: 'text' } : bare;
    });
  const result = fc.oneof(
    anOutput.map((output) => answered(output)),
    fault,
    fc.constant(silent),
  );
  const results = fc.array(result, { maxLength: 5 });

  test('P4 a block among any results, in any place, is a block', () => {
    fc.assert(
      fc.property(anEvent, results, aBlock, results, fc.boolean(), (eventName, before, block, after, success) => {
        const all = deepFreeze([...before, answered(block, { success }), ...after]);
        const { finalOutput } = aggregator.aggregateResults(all, eventName);
        if (getStrictness(block.decision) === 3) expect(finalOutput?.isBlockingDecision()).toBe(true);
        if (block.continue === false) expect(finalOutput?.shouldStopExecution()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('P5 a fault is a verdict exactly when its hook says so', () => {
    fc.assert(
      fc.property(anEvent, fault, fc.constantFrom<OnFault[]>('allow', 'deny', 'ask'), (eventName, faulted, onFault) => {
        const hookConfig = { ...faulted.hookConfig, onFault };
        const { finalOutput } = aggregator.aggregateResults([applyOnFault({ ...faulted, hookConfig })], eventName);
        expect(finalOutput?.decision).toBe(onFault === 'allow' ? undefined : onFault);
        if (onFault === 'ask') expect(finalOutput?.hookSpecificOutput?.onFault).toBe(true);
      }),
    );
  });

  test('every output and every error is there, in order, and the durations add up', () => {
    fc.assert(
      fc.property(anEvent, results, (eventName, all) => {
        const aggregated = aggregator.aggregateResults(deepFreeze(all), eventName);
        expect(aggregated.allOutputs).toEqual(all.flatMap((each) => each.output ?? []));
        expect(aggregated.errors).toEqual(all.flatMap((each) => each.error ?? []));
        expect(aggregated.success).toBe(all.every((each) => each.success));
        expect(aggregated.totalDuration).toBe(all.reduce((sum, each) => sum + each.duration, 0));
        expect(aggregated.finalOutput === undefined).toBe(aggregated.allOutputs.length === 0);
      }),
    );
  });
});
