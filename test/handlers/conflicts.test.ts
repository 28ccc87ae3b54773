import { describe, expect, test } from 'vitest';
import { createHooks, type HookConfig, type HookExecutionTrace, type HooksByEvent } from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';

const saying = (name: string, hookSpecificOutput: object, more: Partial<HookConfig> = {}): HookConfig => ({
  type: 'runtime',
  name,
  action: () => ({ hookSpecificOutput }),
  ...more,
});

const rewriting = (name: string, tool_input: object, more?: Partial<HookConfig>) => saying(name, { tool_input }, more);

const fire = async (
  hooks: HookConfig[],
  { sequential = false, onConflict = 'deny' as 'deny' | 'last' | undefined } = {},
) => {
  const traces: HookExecutionTrace[] = [];
  const deps = { onTrace: (trace: HookExecutionTrace) => traces.push(trace) };
  const engine = await createHooks({ hooks: { BeforeTool: [{ sequential, hooks }] }, onConflict, deps });
  const heard = await engine.beforeTool({ tool: 'read', input: { path: 'open', line: 1 } });
  return { heard, rows: traces[0]?.rows ?? [] };
};

describe('R594 with onConflict deny, parallel hooks that change one field to different values deny', () => {
  const two = [rewriting('one', { path: 'a' }), rewriting('two', { path: 'b' })];
  const reason = '"one" and "two" change tool_input.path to different values, which denies (onConflict)';

  test('naming both hooks and the field, in the answer and in both rows', async () => {
    const { heard, rows } = await fire([...two, rewriting('three', { line: 2 })]);
    expect(heard).toMatchObject({ verdict: 'deny', reason });
    expect(rows.map(({ warnings = [] }) => warnings.map(({ code, message }) => [code, message]))).toEqual([
      [['conflict', reason]],
      [['conflict', reason]],
      [],
    ]);
    expect(rows[1]).toMatchObject({
      outcome: 'answered',
      output: { hookSpecificOutput: { tool_input: { path: 'b' } } },
    });
  });

  test.each<['last' | undefined]>([['last'], [undefined]])('otherwise the later one counts: %s', async (onConflict) => {
    const engine = await createHooks({ hooks: { BeforeTool: [{ hooks: two }] }, onConflict });
    const { verdict, input } = await engine.beforeTool({ tool: 'read', input: { path: 'open' } });
    expect([verdict, input]).toEqual(['none', { path: 'b' }]);
  });

  test('not in a sequence, where the second has seen what the first did', async () => {
    const { heard } = await fire(two, { sequential: true });
    expect(heard).toMatchObject({ verdict: 'none', input: { path: 'b', line: 1 } });
  });

  test.each<[string, object, object, object]>([
    ['the same value', { path: 'a' }, { path: 'a' }, { path: 'a', line: 1 }],
    ['another field', { path: 'a' }, { line: 2 }, { path: 'a', line: 2 }],
    ['the value it has already', { path: 'open', line: 2 }, { path: 'b' }, { path: 'b', line: 2 }],
  ])('not for %s', async (_what, one, other, input) => {
    const { heard, rows } = await fire([rewriting('one', one), rewriting('two', other)]);
    expect(heard).toMatchObject({ verdict: 'none', input });
    expect(rows.flatMap(({ warnings = [] }) => warnings)).toEqual([]);
  });

  test('not for what is joined', async () => {
    const { heard } = await fire([
      saying('one', { additionalContext: 'A' }),
      saying('two', { additionalContext: 'B' }),
    ]);
    expect(heard).toMatchObject({ verdict: 'none', context: 'A\nB' });
  });

  test('and no guard is asked about a call that is not made', async () => {
    const seen: unknown[] = [];
    const guard = saying('guard', {}, { onFault: 'deny', action: (input) => void seen.push(input) });
    expect((await fire([guard, ...two])).heard.verdict).toBe('deny');
    expect(seen).toHaveLength(1);
  });

  test('of a request to the model, member by member', async () => {
    const model = (model: string, temperature: number) => ({ llm_request: { model, config: { temperature } } });
    const hooks: HooksByEvent = {
      BeforeModel: [{ hooks: [saying('one', model('m', 0.1)), saying('two', model('m', 0.2))] }],
    };
    const engine = await createHooks({ hooks, onConflict: 'deny' });
    const request = { model: 'm', contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
    const { verdict, reason: said } = await engine.beforeModel({ request });
    expect(verdict).toBe('deny');
    expect(said).toContain('change llm_request.config.temperature to different values');
  });

  test('another word is a mistake that is told', async () => {
    const onConflict = untyped<'deny'>('denny');
    const message = 'createHooks needs onConflict as "last" or "deny"; got "denny"; did you mean "deny"?';
    await expect(createHooks({ onConflict })).rejects.toThrow(message);
  });
});
