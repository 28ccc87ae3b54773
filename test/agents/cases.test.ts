import { describe, expect, test } from 'vitest';
import { dialectNames } from '../../src/agents/index.ts';
import { casesOf, rehearse } from './rehearse.ts';

/** The least number of cases: many for what is in wide use, some for the rest. */
const least: Readonly<Record<string, number>> = {
  'claude-code': 40,
  codex: 40,
  'qwen-code': 40,
  cursor: 40,
  copilot: 40,
};

/** What members of an answer are called in a case. */
const flat = ({ output = {}, failed, lost }: ReturnType<typeof rehearse>['comes']): Record<string, unknown> => {
  const { additionalContext, tool_input, ...specific } = output.hookSpecificOutput ?? {};
  return {
    decision: output.decision ?? 'none',
    reason: output.reason,
    stop: output.continue === false ? (output.stopReason ?? '') : undefined,
    message: output.systemMessage,
    context: additionalContext,
    input: tool_input,
    specific,
    failed,
    lost,
  };
};

describe.each(dialectNames)('%s', (dialect) => {
  const cases = casesOf(dialect);

  test('has enough cases, each with the fact it rests on', () => {
    expect(cases.length).toBeGreaterThanOrEqual(least[dialect] ?? 15);
    expect(cases.filter(({ fact = '' }) => fact.length < 6).map(({ file }) => file)).toEqual([]);
    expect(new Set(cases.map(({ title }) => title)).size).toBe(cases.length);
  });

  const ofOneFile = cases.filter(({ files }) => files === undefined);

  test.each(ofOneFile)('$title ($file)', (example) => {
    const { runs, comes, sees, neverSees = [], timeoutMs, problem } = example;
    const rehearsal = rehearse(dialect, example);
    if (runs !== undefined) expect(rehearsal.ran).toEqual(runs);
    if (sees !== undefined) expect(rehearsal.seen[0]).toMatchObject(sees);
    for (const key of neverSees) expect(rehearsal.seen[0]).not.toHaveProperty(key);
    if (timeoutMs !== undefined) expect(rehearsal.timeouts[0]).toBe(timeoutMs);
    if (comes !== undefined) expect(flat(rehearsal.comes)).toMatchObject(comes);
    expect(rehearsal.isVoid).toBe(example.void ?? false);
    expect(rehearsal.isOff).toBe(example.off ?? false);
    if (problem === undefined) expect(rehearsal.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    else {
      expect(rehearsal.problems.map(({ message }) => message)).toEqual(
        expect.arrayContaining([expect.stringContaining(problem.message)]),
      );
      if (problem.line !== undefined) expect(rehearsal.problems.map(({ line }) => line)).toContain(problem.line);
      if (problem.fix !== undefined)
        expect(rehearsal.problems.map(({ fix }) => fix ?? '').join('\n')).toContain(problem.fix);
    }
  });
});

test.each(['claude-code', 'codex'])('R2085 %s drops the reasons to go on if a hook ends the turn', (dialect) => {
  const [example] = casesOf(dialect).filter(({ title }) => title.startsWith('one stop hook that ends the turn'));
  expect(example && rehearse(dialect, example).comes.output).toEqual({ continue: false, stopReason: 'enough' });
});
