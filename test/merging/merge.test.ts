import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, type HookEventName, hookEventNames } from '../../src/events/index.ts';
import { mergeOutputs } from '../../src/merging/merge.ts';
import type { HookExecutionResult, HookOutput } from '../../src/protocol/index.ts';
import { getStrictness } from '../../src/protocol/index.ts';
import { deepFreeze } from '../models/support.ts';
import { aBlock, anEvent, anOutput } from '../support/arbitraries.ts';

const resultOf = (output: HookOutput): HookExecutionResult => ({
  hookConfig: {},
  eventName: '',
  success: true,
  duration: 0,
  outputFormat: 'json',
  output,
});

const merge = (eventName: HookEventName, ...outputs: HookOutput[]): HookOutput => {
  const merged = mergeOutputs(deepFreeze(outputs).map(resultOf), catalogue[eventName].merge);
  if (merged === undefined) throw new Error('there was nothing to merge');
  return merged;
};

const specific = (...parts: object[]): HookOutput[] => parts.map((part) => ({ hookSpecificOutput: { ...part } }));
const mergeSpecific = (eventName: HookEventName, ...parts: object[]): unknown =>
  merge(eventName, ...specific(...parts)).hookSpecificOutput;

/** Events whose texts are all kept, and those in which the last one counts. */
const keeping: HookEventName[] = [
  'BeforeTool',
  'AfterTool',
  'BeforeAgent',
  'AfterAgent',
  'BeforeToolSelection',
  'SessionStart',
  'PermissionRequest',
  'AfterToolFailure',
  'SubagentStart',
  'SubagentStop',
];
const replacing: HookEventName[] = ['BeforeModel', 'AfterModel', 'SessionEnd', 'PreCompress', 'Notification'];

test('every event is one of the two kinds', () => {
  expect([...keeping, ...replacing].sort()).toEqual([...hookEventNames].sort());
});

test('nothing merges to nothing', () => {
  for (const eventName of hookEventNames) expect(mergeOutputs([], catalogue[eventName].merge)).toBeUndefined();
});

describe.each(hookEventNames)('verdicts in %s', (eventName) => {
  test.each<[title: string, outputs: HookOutput[], merged: HookOutput]>([
    ['no opinions leave none', [{}, { systemMessage: 'm' }], { systemMessage: 'm' }],
    ['an allow is an opinion', [{}, { decision: 'allow', reason: 'ok' }], { decision: 'allow', reason: 'ok' }],
    [
      'ask beats allow',
      [
        { decision: 'ask', reason: 'a' },
        { decision: 'allow', reason: 'b' },
      ],
      { decision: 'ask', reason: 'a' },
    ],
    [
      'deny beats ask',
      [
        { decision: 'ask', reason: 'a' },
        { decision: 'deny', reason: 'b' },
      ],
      { decision: 'deny', reason: 'b' },
    ],
    [
      'R188 a block is not lifted',
      [
        { decision: 'block', reason: 'a' },
        { decision: 'approve', reason: 'b' },
      ],
      { decision: 'block', reason: 'a' },
    ],
    [
      'block and deny are the same; the first word stays',
      [{ decision: 'deny' }, { decision: 'block' }],
      { decision: 'deny' },
    ],
    [
      'a stop is not lifted',
      [
        { continue: false, stopReason: 'a' },
        { continue: true, stopReason: 'b' },
      ],
      { continue: false, stopReason: 'a' },
    ],
    [
      'a stop beats going on',
      [
        { continue: true, stopReason: 'a' },
        { continue: false, stopReason: 'b' },
      ],
      { continue: false, stopReason: 'b' },
    ],
    ['going on stays said', [{ continue: true }, {}], { continue: true }],
    ['a reason without a decision counts while nobody decides', [{ reason: 'a' }, {}], { reason: 'a' }],
    [
      'and no longer when somebody does',
      [{ reason: 'a' }, { decision: 'allow' }, { reason: 'b' }],
      { decision: 'allow' },
    ],
    [
      'block and stop are both kept',
      [
        { decision: 'deny', reason: 'a' },
        { continue: false, stopReason: 'b' },
      ],
      { decision: 'deny', reason: 'a', continue: false, stopReason: 'b' },
    ],
  ])('%s', (_title, outputs, merged) => {
    expect(merge(eventName, ...outputs)).toEqual(merged);
  });
});

describe.each(keeping)('texts and switches of %s are all kept', (eventName) => {
  test('equal verdicts keep every reason, in order', () => {
    const outputs: HookOutput[] = [
      { decision: 'deny', reason: 'a' },
      { decision: 'allow', reason: 'dropped' },
      { decision: 'block', reason: 'b' },
      { decision: 'deny' },
    ];
    expect(merge(eventName, ...outputs)).toEqual({ decision: 'deny', reason: 'a\nb' });
  });

  test('messages, stop reasons and context are joined by lines', () => {
    const outputs = [
      { systemMessage: 'a', continue: false, stopReason: 'x', hookSpecificOutput: { additionalContext: 'c' } },
      { systemMessage: 'b', continue: false, stopReason: 'y', hookSpecificOutput: { additionalContext: 'd' } },
    ];
    expect(merge(eventName, ...outputs)).toEqual({
      systemMessage: 'a\nb',
      continue: false,
      stopReason: 'x\ny',
      hookSpecificOutput: { additionalContext: 'c\nd' },
    });
  });

  test.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
    [true, true, true],
  ])('switches: %j or %j is %j', (a, b, either) => {
    expect(merge(eventName, { suppressOutput: a }, { suppressOutput: b })).toEqual({ suppressOutput: either });
    expect(mergeSpecific(eventName, { clearContext: a }, { clearContext: b })).toEqual({ clearContext: either });
  });
});

describe.each(replacing)('R189 R191 in %s later reasons and switches replace earlier ones', (eventName) => {
  test('but what hooks say to the model is joined, and what is not there replaces nothing', () => {
    const outputs = [
      { systemMessage: 'a', suppressOutput: true, hookSpecificOutput: { additionalContext: 'c' } },
      { systemMessage: 'b', suppressOutput: false },
      {},
    ];
    expect(merge(eventName, ...outputs)).toEqual({
      systemMessage: 'a\nb',
      suppressOutput: false,
      hookSpecificOutput: { additionalContext: 'c' },
    });
  });

  test('of equal verdicts the last reason counts', () => {
    expect(
      merge(eventName, { decision: 'deny', reason: 'a' }, { decision: 'block', reason: 'b' }, { decision: 'deny' }),
    ).toEqual({
      decision: 'deny',
      reason: 'b',
    });
  });
});

describe('what a hook changes', () => {
  test.each<[eventName: HookEventName, parts: object[], merged: object]>([
    [
      'BeforeTool',
      [{ tool_input: { a: 1, b: { c: 1 } } }, { tool_input: { b: { d: 2 } } }],
      { tool_input: { a: 1, b: { d: 2 } } },
    ],
    ['AfterTool', [{ updatedOutput: { a: 1, b: 1 } }, { updatedOutput: { b: 2 } }], { updatedOutput: { a: 1, b: 2 } }],
    ['AfterTool', [{ updatedOutput: { a: 1 } }, { updatedOutput: 'a' }], { updatedOutput: 'a' }],
    ['AfterTool', [{ mine: 1, other: [1] }, { mine: 2 }], { mine: 2, other: [1] }],
    [
      'AfterTool',
      [{ tailToolCallRequest: { name: 'a', args: { x: 1 } } }, { tailToolCallRequest: { name: 'b', args: {} } }],
      { tailToolCallRequest: { name: 'b', args: {} } },
    ],
    [
      'BeforeModel',
      [{ llm_request: { model: 'a', messages: [] } }, { llm_request: { model: 'b' } }],
      { llm_request: { model: 'b', messages: [] } },
    ],
    [
      'BeforeModel',
      [{ llm_request: { config: { topP: 1, topK: 1 } } }, { llm_request: { config: { topK: 2 } } }],
      { llm_request: { config: { topP: 1, topK: 2 } } },
    ],
    [
      'BeforeModel',
      [{ llm_response: { text: 'a' } }, { llm_response: { candidates: [] } }],
      { llm_response: { candidates: [] } },
    ],
    ['AfterModel', [{ llm_response: { text: 'a' } }, { llm_response: { text: 'b' } }], { llm_response: { text: 'b' } }],
  ])('%s: %j', (eventName, parts, merged) => {
    expect(mergeSpecific(eventName, ...parts)).toEqual(merged);
  });

  test('in parallel is what it had been in sequence: later members replace earlier ones, option by option', () => {
    const request = { model: 'base', messages: [], config: { topP: 0 } };
    const change = fc.record(
      { model: fc.constantFrom('a', 'b'), config: fc.dictionary(fc.constantFrom('topP', 'topK', 'seed'), fc.nat(3)) },
      { requiredKeys: [], noNullPrototype: true },
    );
    const { feed } = catalogue.BeforeModel;
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const outputs = specific(...changes.map((llm_request) => ({ llm_request })));
        const start = { llm_request: request };
        const inSequence = outputs.reduce((input, output) => feed?.(input, output) ?? input, start);
        expect(feed?.(start, merge('BeforeModel', ...outputs))).toEqual(inSequence);
      }),
    );
  });
});

describe('R190 C35 tools of BeforeToolSelection are united', () => {
  test.each<[title: string, configs: object[], merged: object]>([
    [
      'lists are united, sorted, each name once',
      [{ allowedFunctionNames: ['b', 'a'] }, { allowedFunctionNames: ['c', 'a'] }],
      { allowedFunctionNames: ['a', 'b', 'c'] },
    ],
    [
      'a single list is sorted too',
      [{ mode: 'ANY', allowedFunctionNames: ['b', 'a', 'b'] }],
      { mode: 'ANY', allowedFunctionNames: ['a', 'b'] },
    ],
    ['ANY wins over AUTO', [{ mode: 'ANY' }, { mode: 'AUTO' }], { mode: 'ANY' }],
    ['NONE wins over ANY', [{ mode: 'ANY' }, { mode: 'NONE' }, { mode: 'AUTO' }], { mode: 'NONE' }],
    ['no list at all stays no list', [{ mode: 'AUTO' }, {}], { mode: 'AUTO' }],
    ['an empty list is a list', [{ allowedFunctionNames: [] }, {}], { allowedFunctionNames: [] }],
    [
      'a list survives a hook without one',
      [{ allowedFunctionNames: ['a'] }, { mode: 'ANY' }],
      { mode: 'ANY', allowedFunctionNames: ['a'] },
    ],
    [
      'NONE with a list has an empty list',
      [{ mode: 'NONE', allowedFunctionNames: ['a'] }],
      { mode: 'NONE', allowedFunctionNames: [] },
    ],
    [
      'NONE empties the lists of others',
      [{ mode: 'ANY', allowedFunctionNames: ['a'] }, { mode: 'NONE' }],
      { mode: 'NONE', allowedFunctionNames: [] },
    ],
    [
      'also those that come later',
      [{ mode: 'NONE' }, { mode: 'ANY', allowedFunctionNames: ['a'] }],
      { mode: 'NONE', allowedFunctionNames: [] },
    ],
  ])('%s', (_title, configs, toolConfig) => {
    expect(mergeSpecific('BeforeToolSelection', ...configs.map((config) => ({ toolConfig: config })))).toEqual({
      toolConfig,
    });
  });

  test('in any order they come to the same', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'));
    const config = fc.record(
      { mode: fc.constantFrom('AUTO', 'ANY', 'NONE'), allowedFunctionNames: names },
      { requiredKeys: [], noNullPrototype: true },
    );
    const shuffled = fc
      .array(config, { minLength: 1, maxLength: 4 })
      .chain((configs) =>
        fc.tuple(
          fc.constant(configs),
          fc.shuffledSubarray(configs, { minLength: configs.length, maxLength: configs.length }),
        ),
      );
    fc.assert(
      fc.property(shuffled, ([configs, reordered]) => {
        const united = (list: object[]): unknown =>
          mergeSpecific('BeforeToolSelection', ...list.map((toolConfig) => ({ toolConfig })));
        expect(united(reordered)).toEqual(united(configs));
      }),
    );
  });
});

describe.each(hookEventNames)('in %s the mark of an ask that stands for a fault', (eventName) => {
  const mark = (onFault: unknown): HookOutput => ({ decision: 'ask', hookSpecificOutput: { onFault } });

  test.each<[title: string, outputs: HookOutput[], kept: unknown]>([
    [
      'stays, whatever another hook says later',
      [mark(true), mark(false), { hookSpecificOutput: { onFault: 'no' } }],
      true,
    ],
    ['stays, whatever another hook said before', [mark(false), mark(true)], true],
    ['is not made up', [mark(false), { decision: 'ask' }], false],
  ])('%s', (_title, outputs, kept) => {
    expect(merge(eventName, ...outputs).hookSpecificOutput?.onFault).toBe(kept);
  });
});

describe('unknown fields', () => {
  test.each(hookEventNames)('of %s are kept, the later over the earlier, whatever they are called', (eventName) => {
    const first = { flavour: 'a', toString: 'mine', hasOwnProperty: 1, hookSpecificOutput: { valueOf: 1, x: [1] } };
    const second = { flavour: 'b', hookSpecificOutput: { x: [2], y: null } };
    expect(merge(eventName, first, second)).toEqual({
      flavour: 'b',
      toString: 'mine',
      hasOwnProperty: 1,
      hookSpecificOutput: { valueOf: 1, x: [2], y: null },
    });
  });

  test('that reach a prototype are left out even where nobody read the output', () => {
    const hostile: HookOutput = JSON.parse(
      '{"__proto__": {"decision": "allow"}, "hookSpecificOutput": {"__proto__": {"a": 1}}}',
    );
    const merged = merge('BeforeTool', hostile, { reason: 'r' });
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(merged.decision).toBeUndefined();
    expect(Object.getPrototypeOf(merged.hookSpecificOutput)).toBe(Object.prototype);
  });
});

describe('promises', () => {
  const some = fc.array(anOutput, { maxLength: 6 });

  test('P4 C36 an explicit block or stop is never lifted, whoever else says what, before or after', () => {
    fc.assert(
      fc.property(anEvent, some, aBlock, some, (eventName, before, block, after) => {
        const merged = merge(eventName, ...before, block, ...after);
        if (getStrictness(block.decision) === 3) expect(getStrictness(merged.decision)).toBe(3);
        if (block.continue === false) expect(merged.continue).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('adding a hook never loosens the answer', () => {
    fc.assert(
      fc.property(anEvent, some, anOutput, fc.nat(6), (eventName, outputs, added, place) => {
        const more = outputs.toSpliced(place, 0, added);
        const before = outputs.length === 0 ? {} : merge(eventName, ...outputs);
        const after = merge(eventName, ...more);
        expect(getStrictness(after.decision)).toBeGreaterThanOrEqual(getStrictness(before.decision));
        if (before.continue === false) expect(after.continue).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('what has no opinion changes no verdict and no reason', () => {
    fc.assert(
      fc.property(anEvent, some, anOutput, fc.nat(6), (eventName, outputs, silent, place) => {
        const { continue: _c, stopReason: _s, ...courtesy } = silent;
        const results = outputs.map(resultOf);
        const without = { ...resultOf({ ...courtesy, decision: 'allow' }), grantsNothing: true } as const;
        const all = results.toSpliced(place, 0, without);
        const { decision, reason } = mergeOutputs(results, catalogue[eventName].merge) ?? {};
        const merged = mergeOutputs(all, catalogue[eventName].merge) ?? {};
        expect({ decision: merged.decision, reason: merged.reason }).toEqual({ decision, reason });
      }),
    );
  });

  test('the reason belongs to the decision: it was given with it', () => {
    fc.assert(
      fc.property(anEvent, fc.array(anOutput, { minLength: 1, maxLength: 6 }), (eventName, outputs) => {
        const merged = merge(eventName, ...outputs);
        const winners = outputs.filter((output) => getStrictness(output.decision) === getStrictness(merged.decision));
        const given = winners.flatMap((output) => output.reason ?? []);
        const expected = keeping.includes(eventName) ? given.join('\n') : (given.at(-1) ?? '');
        expect(merged.reason ?? '').toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('the same outputs in the same order give the same answer, and none of them is changed', () => {
    fc.assert(
      fc.property(anEvent, fc.array(anOutput, { minLength: 1, maxLength: 6 }), (eventName, outputs) => {
        const before = structuredClone(outputs);
        const once = merge(eventName, ...outputs);
        expect(merge(eventName, ...outputs)).toEqual(once);
        expect(outputs).toEqual(before);
      }),
    );
  });

  test('one output alone comes through as it is, but for a normalised list of tools', () => {
    fc.assert(
      fc.property(anEvent, anOutput, (eventName, output) => {
        const normalised = merge(eventName, output);
        const { toolConfig: _before, ...given } = output.hookSpecificOutput ?? {};
        const { toolConfig: _after, ...kept } = normalised.hookSpecificOutput ?? {};
        expect(kept).toEqual(given);
        expect({ ...normalised, hookSpecificOutput: 0 }).toEqual({ ...output, hookSpecificOutput: 0 });
        if (eventName !== 'BeforeToolSelection') expect(normalised).toEqual(output);
      }),
    );
  });

  test('merging in two steps is merging in one', () => {
    const outputs = fc.array(anOutput, { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(anEvent, outputs, fc.nat(5), (eventName, all, place) => {
        const cut = 1 + (place % (all.length - 1));
        const head = merge(eventName, ...all.slice(0, cut));
        expect(merge(eventName, head, ...all.slice(cut))).toEqual(merge(eventName, ...all));
      }),
      { numRuns: 300 },
    );
  });
});
