import { describe, expect, test } from 'vitest';
import { runHooks } from '../../src/abilities/index.ts';
import { interpretGuard } from '../../src/events/index.ts';
import { answers, caller, declaration, load, loadTrusted } from './hooks-support.ts';
import { repositoryWith } from './support.ts';

const call = { ability_id: 'edit_file', caller };
const signal = (code: unknown, more: object = {}) => ({ kind: 'ability_guard', code, payload: {}, ...more });
const signals = (...all: object[]) => ({ hook_signals: all });
const printing = (text: string): string => `cat > /dev/null; printf '%s' '${text.replaceAll("'", "'\\''")}'`;

const ask = async (command: string, more = 'on_fault: fail') => {
  const hookSet = await loadTrusted({ 'a.yaml': declaration({ id: 'guard', command, more }) });
  const result = await runHooks(hookSet, 'PreAbilityCall', call);
  return { result, outcome: interpretGuard(result).outcome };
};

describe('R1008 a guard of abilities that denies in other words', () => {
  test.each([
    ['decision: deny', { decision: 'deny' }],
    ['decision: block', { decision: 'block' }],
    ['permissionDecision', { hookSpecificOutput: { permissionDecision: 'deny' } }],
    ['continue: false', { continue: false }],
    ['allow: false', { allow: false }],
    ['require_human: true', { require_human: true }],
    ['block: true', { block: true }],
    ['an unknown code', signals(signal('DENIED'))],
    ['an unknown code of another kind', signals({ kind: 'guard', code: 'DENIED' })],
    ['an unknown code of a kind of another event', signals({ kind: 'routing_hint', code: 'DENIED' })],
  ])('is malformed-output: %s', async (_what, answer) => {
    const { result, outcome } = await ask(answers(answer));
    expect(result.hooks).toMatchObject([{ outcome: 'faulted', code: 'malformed-output' }]);
    expect(outcome).not.toBe('allowed');
    expect(result.success).toBe(false);
  });

  test.each([
    ['in single quotes', "{'decision': 'deny'}"],
    ['in a list', `[${JSON.stringify(signals(signal('ABILITY_DENIED')))}]`],
    ['in signals that stand twice', '{"hook_signals":[{"code":"ABILITY_ALLOWED"}],"hook_signals":[]}'],
    ['in a code that stands twice', '{"hook_signals":[{"code":"ABILITY_DENIED","code":"ABILITY_ALLOWED"}]}'],
  ])('is malformed-output %s', async (_where, text) => {
    const { result } = await ask(printing(text));
    expect(result.hooks).toMatchObject([{ code: 'malformed-output' }]);
    expect(result.success).toBe(false);
  });
});

describe('R1009 a refusal of an ability hook counts', () => {
  const denied = JSON.stringify(signals(signal('ABILITY_DENIED', { payload: { reason: 'no' } })));

  test.each([
    ['before another document', `${denied}\n{}`],
    ['before one that allows', `${denied}\n${JSON.stringify(signals(signal('ABILITY_ALLOWED')))}`],
    ['behind unclosed brackets', `[32mchecking[0m [31m[ [ ${denied}`],
  ])('%s', async (_where, text) => {
    expect((await ask(printing(text), '')).outcome).toBe('denied');
  });

  test('whatever blocking says, if the hook must not be missed', async () => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'guard', blocking: false, command: printing(denied), more: 'on_fault: fail' }),
      'b.yaml': declaration({ id: 'broken', blocking: false, command: 'exit 1', more: 'on_fault: fail' }),
    });
    expect(hookSet.problems).toMatchObject([
      { severity: 'error', skipped: false, path: 'blocking', message: expect.stringContaining('does not count') },
      { severity: 'error', path: 'blocking' },
    ]);
    const result = await runHooks(hookSet, 'PreAbilityCall', call);
    expect(interpretGuard(result).outcome).toBe('denied');
    expect(result).toMatchObject({ success: false, hooks: [{ outcome: 'answered' }, { outcome: 'faulted' }] });
  });

  test('or its file is an error, and the refusal that came too late is logged', async () => {
    const errors: unknown[] = [];
    const root = repositoryWith({
      '.system/hooks/a.yaml': declaration({ id: 'late', blocking: false, command: printing(denied) }),
    });
    const logger = { error: (message: unknown) => errors.push(message) };
    const hookSet = await load(root, { trustedFolder: true, logger });
    expect(hookSet.problems).toMatchObject([
      { severity: 'error', path: 'blocking', message: expect.stringContaining('no refusal of PreAbilityCall counts') },
    ]);
    expect(await runHooks(hookSet, 'PreAbilityCall', call)).toMatchObject({ hooks: [{ outcome: 'background' }] });
    await hookSet.idle();
    expect(errors.join('\n')).toContain('hook "late" refused, and nothing waits for it; write blocking: true');
  });

  test('of hooks after a call, nothing is expected', async () => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'log', event: 'PostAbilityCall', blocking: false, more: 'on_fault: fail' }),
    });
    expect(hookSet.problems).toEqual([]);
  });
});
