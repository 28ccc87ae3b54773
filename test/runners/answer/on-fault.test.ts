import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OnFault } from '../../../src/protocol/index.ts';
import { faultCodes, type HookExecutionResult } from '../../../src/protocol/index.ts';
import { applyOnFault } from '../../../src/runners/index.ts';

const result = (onFault: OnFault | undefined, fields: Partial<HookExecutionResult> = {}): HookExecutionResult => ({
  hookConfig: { type: 'command', name: 'guard', onFault },
  eventName: 'BeforeTool',
  success: false,
  code: 'timeout',
  error: new Error('Hook "guard": no answer within 500 ms'),
  duration: 500,
  ...fields,
});

test.each([undefined, 'allow'] as const)('a fault means nothing by default (%s)', (onFault) => {
  const faulted = result(onFault, { output: { systemMessage: 'm' } });
  expect(applyOnFault(faulted)).toBe(faulted);
});

test('without a fault nothing changes', () => {
  const { code: _code, ...healthy } = result('deny', { output: { decision: 'allow' } });
  expect(applyOnFault(healthy)).toBe(healthy);
});

test.each(faultCodes)('deny: %s becomes a denial that names hook and fault', (code) => {
  const denied = applyOnFault(result('deny', { code }));
  expect(denied.output?.decision).toBe('deny');
  expect(denied.output?.reason).toMatch(/"guard".*no answer/);
  expect(denied.output?.reason).toContain(code);
  expect(denied).toMatchObject({ success: false, code });
});

test('deny keeps the message, for a malformed answer too', () => {
  const { error: _error, ...malformed } = result('deny', {
    success: true,
    code: 'malformed-output',
    output: { decision: 'allow', systemMessage: '{"cut' },
    outputFormat: 'text',
  });
  expect(applyOnFault(malformed).output).toEqual({
    decision: 'deny',
    systemMessage: '{"cut',
    reason: expect.stringMatching(/"guard".*malformed-output/),
  });
});

test('ask is marked as coming from a fault', () => {
  const asked = applyOnFault(result('ask', { output: { hookSpecificOutput: { additionalContext: 'c' } } }));
  expect(asked.output).toEqual({
    decision: 'ask',
    reason: expect.stringContaining('timeout'),
    hookSpecificOutput: { additionalContext: 'c', onFault: true },
  });
});

test('the result that was given is not changed', () => {
  const faulted = Object.freeze(result('deny', { output: Object.freeze({ reason: 'r' }) }));
  expect(applyOnFault(faulted)).not.toBe(faulted);
  expect(faulted.output).toEqual({ reason: 'r' });
});

test('P4 a block that was given is never weakened, P5 and a fault is a verdict only where somebody said so', () => {
  const policies = fc.constantFrom(undefined, 'allow' as const, 'deny' as const, 'ask' as const);
  const decisions = fc.constantFrom(undefined, 'allow', 'approve', 'ask', 'deny', 'block' as const);
  fc.assert(
    fc.property(policies, decisions, fc.constantFrom(undefined, ...faultCodes), (onFault, decision, code) => {
      const { code: _code, ...rest } = result(onFault, decision === undefined ? {} : { output: { decision } });
      const given: HookExecutionResult = code === undefined ? rest : { ...rest, code };
      const { output } = applyOnFault(given);
      if (decision === 'deny' || decision === 'block') expect(output?.decision).toBe(decision);
      else if (code === undefined || onFault === undefined || onFault === 'allow') expect(output).toEqual(given.output);
      else expect(output?.decision).toBe(onFault);
    }),
  );
});
