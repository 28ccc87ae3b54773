import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, type HookEventName, hookEventNames } from '../../src/events/index.ts';
import { HookAggregator, type HookExecutionResult, type HookOutput, type HookToolConfig } from '../../src/index.ts';
import { isRecord } from '../../src/kit/index.ts';
import { findOutputFates, mergeRules } from '../../src/merging/index.ts';
import type { FieldFate } from '../../src/protocol/index.ts';
import { getStrictness, readOutput } from '../../src/protocol/index.ts';
import { applyOnFault, createFaultResult } from '../../src/runners/index.ts';
import { anEvent, anOutput } from '../support/arbitraries.ts';

/** What a runner makes of an answer. */
const resultOf = (answer: HookOutput, eventName: HookEventName): HookExecutionResult => {
  const base = { hookConfig: { command: 'c' }, eventName, success: true, duration: 0 };
  const read = readOutput(answer);
  if (!read.ok) throw new Error(read.message);
  return { ...base, output: read.output, outputFormat: 'json', fieldProblems: read.problems };
};

type Fates = Readonly<Record<string, FieldFate>>;

const fates = (eventName: HookEventName, ...answers: HookOutput[]): Fates[] => {
  const ids = answers.map((_answer, index) => `hook${index + 1}`);
  return findOutputFates(
    answers.map((answer) => resultOf(answer, eventName)),
    eventName,
    ids,
  );
};

const applied = { fate: 'applied' };
const overridden = (by: string) => ({ fate: 'overridden', by });
const unsupported = { fate: 'unsupported', note: expect.any(String) };
const malformed = { fate: 'malformed', note: expect.any(String) };

test('R1091 another result of a tool has a fate for each member, and one of another form replaces them all', () => {
  const update = (updatedOutput: unknown): HookOutput => ({ hookSpecificOutput: { updatedOutput } });
  const field = 'hookSpecificOutput.updatedOutput';
  expect(fates('AfterTool', update({ a: 1, b: 1 }), update({ b: 2 }))).toEqual([
    { [`${field}.a`]: applied, [`${field}.b`]: overridden('hook2') },
    { [`${field}.b`]: applied },
  ]);
  expect(fates('AfterTool', update({ a: 1 }), update('text'), update({ b: 2 }))).toEqual([
    { [`${field}.a`]: overridden('hook3') },
    { [field]: overridden('hook3') },
    { [`${field}.b`]: applied },
  ]);
  expect(fates('BeforeTool', update('text'))).toEqual([{ [field]: unsupported }]);
});

describe('verdicts', () => {
  test('what was said for the strictest decision is applied, the rest overridden by who said it', () => {
    expect(
      fates(
        'BeforeTool',
        { decision: 'allow', reason: 'a' },
        { decision: 'deny', reason: 'b' },
        { decision: 'ask', reason: 'c' },
        { decision: 'block' },
        {},
      ),
    ).toEqual([
      { decision: overridden('hook2'), reason: overridden('hook2') },
      { decision: applied, reason: applied },
      { decision: overridden('hook2'), reason: overridden('hook2') },
      { decision: applied },
      {},
    ]);
  });

  test('a reason loses to a decision that came without one', () => {
    expect(fates('BeforeTool', { decision: 'deny' }, { reason: 'late' }, { decision: 'allow', reason: 'x' })).toEqual([
      { decision: applied },
      { reason: overridden('hook1') },
      { decision: overridden('hook1'), reason: overridden('hook1') },
    ]);
  });

  test('who won and lost in turn is not named: the last winner is', () => {
    expect(fates('BeforeTool', { decision: 'allow', reason: 'a' }, { decision: 'ask' }, { decision: 'deny' })).toEqual([
      { decision: overridden('hook3'), reason: overridden('hook3') },
      { decision: overridden('hook3') },
      { decision: applied },
    ]);
    expect(
      fates('Notification', { suppressOutput: true }, { suppressOutput: false }, { suppressOutput: true }),
    ).toEqual([
      { suppressOutput: overridden('hook3') },
      { suppressOutput: overridden('hook3') },
      { suppressOutput: applied },
    ]);
  });

  test('a stop overrides going on and its reasons', () => {
    expect(
      fates(
        'BeforeTool',
        { continue: true, stopReason: 'a' },
        { continue: false },
        { continue: true, stopReason: 'b' },
      ),
    ).toEqual([
      { continue: overridden('hook2'), stopReason: overridden('hook2') },
      { continue: applied },
      { continue: overridden('hook2'), stopReason: overridden('hook2') },
    ]);
  });
});

describe('changes', () => {
  test('arguments have fates of their own', () => {
    const answers = [{ tool_input: { a: 1, b: 1 } }, { tool_input: { b: 2 } }, { tool_input: {} }];
    expect(fates('BeforeTool', ...answers.map((hookSpecificOutput) => ({ hookSpecificOutput })))).toEqual([
      { 'hookSpecificOutput.tool_input.a': applied, 'hookSpecificOutput.tool_input.b': overridden('hook2') },
      { 'hookSpecificOutput.tool_input.b': applied },
      { 'hookSpecificOutput.tool_input': applied },
    ]);
  });

  test('so have members and options of a request', () => {
    const answers = [
      { llm_request: { model: 'a', config: { topP: 1, topK: 1 } } },
      { llm_request: { model: 'b', config: { topK: 2 } } },
    ];
    expect(fates('BeforeModel', ...answers.map((hookSpecificOutput) => ({ hookSpecificOutput })))).toEqual([
      {
        'hookSpecificOutput.llm_request.model': overridden('hook2'),
        'hookSpecificOutput.llm_request.config.topP': applied,
        'hookSpecificOutput.llm_request.config.topK': overridden('hook2'),
      },
      { 'hookSpecificOutput.llm_request.model': applied, 'hookSpecificOutput.llm_request.config.topK': applied },
    ]);
  });

  test('a selection of tools is applied as long as anything of it is left', () => {
    const toolConfigs: HookToolConfig[] = [
      { mode: 'AUTO', allowedFunctionNames: ['a'] },
      { mode: 'AUTO' },
      { mode: 'ANY' },
      { mode: 'AUTO' },
      { mode: 'AUTO', allowedFunctionNames: ['b'] },
    ];
    const answers = toolConfigs.map((toolConfig) => ({ hookSpecificOutput: { toolConfig } }));
    const field = 'hookSpecificOutput.toolConfig';
    const told = (...more: HookOutput[]) =>
      fates('BeforeToolSelection', ...answers, ...more).map((each) => each[field]);
    expect(told()).toMatchObject([applied, overridden('hook3'), applied, { fate: 'overridden' }, applied]);
    const none = { hookSpecificOutput: { toolConfig: { mode: 'NONE' } } } as const;
    expect(told(none)).toEqual([...answers.map(() => overridden('hook6')), applied]);
  });
});

describe('what cannot be applied', () => {
  test('is unsupported where the event does not act on it', () => {
    const hookSpecificOutput = { tool_input: { a: 1 }, clearContext: true, additionalContext: 'c' };
    expect(fates('Notification', { hookSpecificOutput, flavour: 'x' })).toEqual([
      {
        'hookSpecificOutput.tool_input': { fate: 'unsupported', note: 'Notification does not act on tool_input' },
        'hookSpecificOutput.clearContext': { fate: 'unsupported', note: 'Notification does not act on clearContext' },
        'hookSpecificOutput.additionalContext': unsupported,
        flavour: { fate: 'unsupported', note: 'this field is unknown; it is kept unchanged' },
      },
    ]);
  });

  test('is malformed where its type is wrong or its key is refused', () => {
    const answer: HookOutput = JSON.parse(
      '{"decision": "alow", "hookSpecificOutput": {"toolConfig": 7, "x": {"__proto__": 1}}, "__proto__": 1}',
    );
    expect(fates('BeforeToolSelection', answer)[0]).toMatchObject({
      decision: malformed,
      'hookSpecificOutput.toolConfig': malformed,
      'hookSpecificOutput.x': unsupported,
      'hookSpecificOutput.x.__proto__': malformed,
    });
  });

  test('R172 data of AfterTool is handed on, so it is applied', () => {
    expect(fates('AfterTool', { hookSpecificOutput: { score: 1 } }, { hookSpecificOutput: { score: 2 } })).toEqual([
      { 'hookSpecificOutput.score': overridden('hook2') },
      { 'hookSpecificOutput.score': applied },
    ]);
  });

  test('the courtesy allow of plain text was not said by the hook and has no fate', () => {
    const text: HookExecutionResult = {
      hookConfig: {},
      eventName: 'BeforeTool',
      success: true,
      duration: 0,
      output: { decision: 'allow', systemMessage: 'hello' },
      outputFormat: 'text',
    };
    expect(findOutputFates([text], 'BeforeTool', ['hook1'])).toEqual([{ systemMessage: applied }]);
  });

  test('the mark of a fault was not returned by the hook and has no fate either', () => {
    const faulted = applyOnFault(
      createFaultResult({ name: 'guard', onFault: 'ask' }, 'BeforeTool', { code: 'timeout', message: 'late' }),
    );
    expect(faulted.output?.hookSpecificOutput).toEqual({ onFault: true });
    expect(findOutputFates([faulted], 'BeforeTool', ['hook1'])).toEqual([{ decision: applied, reason: applied }]);
    const forged = { decision: 'ask', hookSpecificOutput: { onFault: true } } as const;
    expect(fates('BeforeTool', forged)[0]).toMatchObject({ 'hookSpecificOutput.onFault': unsupported });
  });

  test('a hook without an answer has no fields', () => {
    const silent = { hookConfig: {}, eventName: 'BeforeTool', success: true, duration: 0 };
    expect(findOutputFates([silent, silent], 'BeforeTool', ['hook1', 'hook2'])).toEqual([{}, {}]);
  });
});

/** The fields of an answer the way the ledger names them. */
const fieldsOf = (answer: HookOutput, eventName: HookEventName): string[] => {
  const merge = mergeRules[catalogue[eventName].merge];
  const within = (
    path: string,
    value: unknown,
    rule: (typeof mergeRules)['last-wins']['text'] | undefined,
  ): string[] => {
    if (rule?.members === undefined || !isRecord(value) || Object.keys(value).length === 0) return [path];
    const { members } = rule;
    return Object.keys(value).flatMap((key) =>
      within(`${path}.${key}`, value[key], Object.hasOwn(members, key) ? members[key] : undefined),
    );
  };
  return Object.entries(answer).flatMap(([key, value]) =>
    key === 'hookSpecificOutput' && isRecord(value)
      ? Object.keys(value).flatMap((inner) => within(`${key}.${inner}`, value[inner], merge.specific[inner]))
      : [key],
  );
};

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);

/** Whether what a hook said is in the merged answer. */
const isIn = (field: string, answer: HookOutput, merged: HookOutput): boolean => {
  const [said, kept] = [at(answer, field), at(merged, field)];
  if (field === 'decision') return getStrictness(answer.decision) === getStrictness(merged.decision);
  if (typeof said === 'string' && typeof kept === 'string') return kept.split('\n').includes(said);
  if (field !== 'hookSpecificOutput.toolConfig') return JSON.stringify(said) === JSON.stringify(kept) || isEmpty(said);
  const [mine, all] = [answer, merged].map((output) => output.hookSpecificOutput?.toolConfig ?? {});
  const names = mine?.allowedFunctionNames;
  const isListed = names?.every((name) => all?.allowedFunctionNames?.includes(name)) ?? false;
  return mine?.mode === all?.mode || isListed;
};

/**
 * A value of another form takes the place of all members, and a member that of the whole: then the winner has another field,
 * which may have lost in turn. After both, its field is another member of the same object.
 */
const replacesInPart = (winning: string, field: string): boolean => {
  const [, object] = /^(hookSpecificOutput\..+)\.[^.]+$/.exec(field) ?? [];
  return (
    winning.startsWith(`${field}.`) ||
    field.startsWith(`${winning}.`) ||
    (object !== undefined && winning.startsWith(`${object}.`))
  );
};

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

/** Some fields are malformed, some nobody knows. */
const broken: fc.Arbitrary<HookOutput> = fc
  .tuple(anOutput, fc.constantFrom<object>({ decision: 'alow' }, { desicion: 'deny' }, { reason: 7, more: { a: 1 } }))
  .map(([output, extra]) => ({ ...output, ...extra }));

describe('promises', () => {
  const answers = fc.array(fc.oneof(anOutput, broken), { minLength: 1, maxLength: 6 });

  test('every field a hook returned is accounted for exactly once', () => {
    fc.assert(
      fc.property(anEvent, answers, (eventName, said) => {
        for (const [index, fate] of fates(eventName, ...said).entries()) {
          expect(Object.keys(fate).sort()).toEqual(fieldsOf(said[index] ?? {}, eventName).sort());
        }
      }),
      { numRuns: 300 },
    );
  });

  test('applied means that it is in the merged answer, overridden names a hook whose word is', () => {
    const aggregator = new HookAggregator();
    fc.assert(
      fc.property(anEvent, answers, (eventName, said) => {
        const results = said.map((answer) => resultOf(answer, eventName));
        const merged: HookOutput = aggregator.aggregateResults(results, eventName).finalOutput ?? {};
        const told = fates(eventName, ...said);
        for (const [index, each] of told.entries()) {
          for (const [field, fate] of Object.entries(each)) {
            if (fate.fate === 'applied') expect([field, isIn(field, said[index] ?? {}, merged)]).toEqual([field, true]);
            if (fate.fate !== 'overridden') continue;
            const winner = told[Number(fate.by.slice('hook'.length)) - 1] ?? {};
            const beside = { reason: 'decision', stopReason: 'continue' }[field] ?? field;
            const direct = [winner[field]?.fate, winner[beside]?.fate];
            const isRelated = Object.keys(winner).some((one) => replacesInPart(one, field));
            if (!isRelated || direct.some((one) => one !== undefined)) expect(direct).toContain('applied');
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each(hookEventNames)('%s: a field it supports is never called unsupported', (eventName) => {
    const supported: readonly string[] = catalogue[eventName].supports;
    fc.assert(
      fc.property(answers, (said) => {
        for (const fate of fates(eventName, ...said)) {
          for (const [field, { fate: word }] of Object.entries(fate)) {
            const key = /^hookSpecificOutput\.(\w+)/.exec(field)?.[1];
            if (key === undefined || key === 'hookEventName') continue;
            const isActedOn = supported.includes(key) || eventName === 'AfterTool';
            expect([field, word === 'unsupported']).toEqual([field, !isActedOn]);
          }
        }
      }),
      { numRuns: 50 },
    );
  });
});
