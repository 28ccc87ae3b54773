import { describe, expect, test } from 'vitest';
import { readOutput } from '../../src/protocol/index.ts';
import { answers, engineOf, groupOf } from '../support/engine.ts';

const read = (answer: object) => {
  const reading = readOutput({ ...answer });
  if (!reading.ok) throw new Error(reading.message);
  return reading;
};

const specific = (fields: object) => ({ hookSpecificOutput: fields });

describe('R604 a verdict in another spelling is heard', () => {
  test.each(['allow', 'approve', 'ask', 'deny', 'block'])('permissionDecision %s, with its reason', (word) => {
    const { output, problems, verdictLost } = read(
      specific({ hookEventName: 'PreToolUse', permissionDecision: word, permissionDecisionReason: 'why' }),
    );
    expect(output).toEqual({ decision: word, reason: 'why', ...specific({ hookEventName: 'PreToolUse' }) });
    expect({ problems, verdictLost }).toEqual({ problems: [], verdictLost: false });
  });

  test('updatedInput is the new input of the tool', () => {
    const { output } = read(specific({ permissionDecision: 'allow', updatedInput: { command: 'ls' } }));
    expect(output).toEqual({ decision: 'allow', ...specific({ tool_input: { command: 'ls' } }) });
    const both = read(specific({ tool_input: { a: 1 }, updatedInput: { a: 2 } }));
    expect(both.output).toEqual(specific({ tool_input: { a: 1 } }));
    expect(both.problems).toMatchObject([{ field: 'hookSpecificOutput.updatedInput', fate: 'unsupported' }]);
    expect(read(specific({ updatedInput: 'ls' })).problems).toMatchObject([{ fate: 'malformed' }]);
  });

  test.each([
    [{ decision: 'allow', ...specific({ permissionDecision: 'deny', permissionDecisionReason: 'no' }) }, 'deny', 'no'],
    [{ decision: 'block', reason: 'no', ...specific({ permissionDecision: 'allow' }) }, 'block', 'no'],
    [{ decision: 'maybe', ...specific({ permissionDecision: 'deny', permissionDecisionReason: 'no' }) }, 'deny', 'no'],
  ])('of two verdicts in one answer the stricter counts: %j', (answer, decision, reason) => {
    expect(read(answer).output).toMatchObject({ decision, reason });
  });
});

describe('R605 a block in the wrong place blocks, and a notice says where it belongs', () => {
  test.each([
    ['at the top', { permissionDecision: 'deny', permissionDecisionReason: 'no' }, { decision: 'deny', reason: 'no' }],
    ['at the top', { permissionDecision: 'block' }, { decision: 'block' }],
    ['at the top', { permissionDecision: 'ask' }, { decision: 'ask' }],
    ['at the top', { permission: 'deny', agent_message: 'no' }, { decision: 'deny', reason: 'no' }],
    ['at the top', { permission: 'ask', user_message: 'sure?' }, { decision: 'ask', reason: 'sure?' }],
    ['inside', specific({ decision: 'deny', reason: 'no' }), { decision: 'deny', reason: 'no' }],
    ['inside', specific({ continue: false, stopReason: 'no' }), { continue: false, stopReason: 'no' }],
  ])('%s: %j', (_where, answer, heard) => {
    const { output, notices, verdictLost } = read(answer);
    expect(output).toMatchObject(heard);
    expect(notices).toMatchObject([{ code: 'wrong-depth', fix: expect.any(String) }]);
    expect(verdictLost).toBe(false);
  });
});

describe('R606 what was meant as a verdict and is none is a fault that names the right spelling', () => {
  test.each([
    [{ permissionDecision: 'allow' }, 'permissionDecision', /does not count here; write "decision"/],
    [specific({ decision: 'approve' }), 'hookSpecificOutput.decision', /beside "hookSpecificOutput"/],
    [{ desicion: 'deny' }, 'desicion', /did you mean "decision"/],
    [{ Decision: 'deny' }, 'Decision', /did you mean "decision"/],
    [{ permissionDecison: 'deny' }, 'permissionDecison', /did you mean "permissionDecision"/],
    [specific({ permission_decision: 'deny' }), 'hookSpecificOutput.permission_decision', /"permissionDecision"/],
    [{ contineu: false }, 'contineu', /did you mean "continue"/],
    [
      specific({ permissionDecision: 'denied' }),
      'hookSpecificOutput.permissionDecision',
      /expected "allow", .*"denied"/,
    ],
    [{ decision: 'no' }, 'decision', /expected "allow"/],
    [{ verdict: 'deny' }, 'verdict', /did you mean "decision"\?/],
    [{ block: true }, 'block', /did you mean "decision": "deny"\?/],
    [{ denied: 'not today' }, 'denied', /did you mean "decision": "deny"\?/],
    [{ allowed: false }, 'allowed', /did you mean "decision": "deny"\?/],
    [{ approved: false }, 'approved', /did you mean "decision": "deny"\?/],
    [{ require_human: true }, 'require_human', /did you mean "decision": "deny"\?/],
    [
      { hook_specific_output: { permission_decision: 'deny' } },
      'hook_specific_output.permission_decision',
      /does not count here/,
    ],
    [specific({ decision: { behavior: 'deny' } }), 'hookSpecificOutput.decision.behavior', /does not count here/],
    [specific({ data: { decision: 'deny' } }), 'hookSpecificOutput.data.decision', /does not count here/],
    [{ result: { continue: false } }, 'result.continue', /does not count here/],
    [{ output: '{"decision":"deny"}' }, 'output', /does not count here/],
    [{ permission: 'DENY' }, 'permission', /does not count here/],
    [{ blocked: { verdict: 'deny' } }, 'blocked', /did you mean "decision": "deny"\?/],
  ])('%j', (answer, field, note) => {
    const { problems, verdictLost } = read(answer);
    expect(verdictLost).toBe(true);
    expect(problems).toContainEqual({ field, fate: 'malformed', note: expect.stringMatching(note) });
  });

  test.each([
    { revision: 'deny' },
    { decisions: ['a'] },
    { precision: 'high' },
    specific({ data: { decision: 'approved' } }),
    specific({ tool_input: { decision: 'deny', continue: false } }),
    { reason: '{"decision":"deny"}' },
    { user: { blocked: true, approved: false } },
    { decisions: [{ decision: 'allow' }] },
    { permission: 'read' },
    { permission: 'allow' },
    { verdict: 'guilty' },
    { block: false },
    { deny: ['rm'] },
  ])('%j is nobody’s verdict', (answer) => {
    expect(read(answer)).toMatchObject({ output: answer, verdictLost: false });
  });

  test.each([
    { reason: 'denied' },
    { systemMessage: 'blocked' },
    { stopReason: 'refused', continue: true },
    specific({ additionalContext: 'deny' }),
    specific({ updatedOutput: 'blocked' }),
    specific({ updatedOutput: { ok: false, status: 'denied' } }),
    specific({ tool_input: { action: 'deny', success: false } }),
    { data: { status: 'rejected', ok: false } },
    { status: 'nothing was denied' },
    { branch: 'deny' },
    { ok: true, success: true },
  ])('R1880 %j is no refusal', (answer) => {
    expect(read(answer)).toMatchObject({ output: answer, verdictLost: false });
  });

  test.each([
    [{ ok: false, reason: 'no' }, 'ok'],
    [{ success: false, error: 'no' }, 'success'],
    [{ action: 'deny', message: 'no' }, 'action'],
    [{ outcome: 'deny' }, 'outcome'],
    [{ status: 'Denied' }, 'status'],
    [{ result: 'blocked' }, 'result'],
    [{ type: 'reject' }, 'type'],
    [{ response: 'refused' }, 'response'],
    [{ effect: 'FORBIDDEN', decision: 'allow' }, 'effect'],
    [specific({ action: 'deny' }), 'hookSpecificOutput.action'],
    [specific({ hookEventName: 'BeforeTool', ok: false }), 'hookSpecificOutput.ok'],
    [{ hookSpecificOutput: 'deny' }, 'hookSpecificOutput'],
  ])('R1880 a refusal in an unknown form is a fault with the right form: %j', async (answer, field) => {
    const { problems, verdictLost } = read(answer);
    expect(verdictLost).toBe(true);
    expect(problems).toContainEqual({ field, fate: 'malformed', note: 'did you mean "decision": "deny"?' });
    const decided = async (more: object) => {
      const system = await engineOf({ hooks: { BeforeTool: groupOf(answers('guard', answer, more)) } });
      const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('shell', {});
      return finalOutput?.decision;
    };
    expect(await decided({ onFault: 'deny' })).toBe('deny');
    expect(await decided({})).not.toBe('deny');
  });

  test.each([
    [{ output: { status: 'denied' } }, 'output.status'],
    [{ output: { ok: false, reason: 'no' }, systemMessage: 'text' }, 'output.ok'],
    [{ output: [{ blocked: true }] }, 'output[0].blocked'],
  ])('R1943 a refusal in an unknown form below `output` is a fault: %j', (answer, field) => {
    const { problems, verdictLost } = read(answer);
    expect(verdictLost).toBe(true);
    expect(problems).toContainEqual({ field, fate: 'malformed', note: expect.stringMatching(/does not count here/) });
  });

  test.each([
    { output: { text: 'denied', tests: { ok: false } } },
    { output: 'denied' },
    { results: [{ status: 'denied' }] },
  ])('R1943 %j is no refusal', (answer) => {
    expect(read(answer)).toMatchObject({ output: answer, verdictLost: false });
  });

  test('onFault decides what comes of it', async () => {
    const system = await engineOf({
      hooks: { BeforeTool: groupOf(answers('guard', { permissionDecison: 'allow' }, { onFault: 'deny' })) },
    });
    const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('shell', {});
    expect(finalOutput?.decision).toBe('deny');
    expect(finalOutput?.reason).toContain('malformed-output');
  });
});

describe('R607 hookEventName', () => {
  const fired = async (named: string) => {
    const rows: object[] = [];
    const answer = { decision: 'deny', reason: 'no', ...specific({ hookEventName: named }) };
    const system = await engineOf({
      hooks: { BeforeTool: groupOf(answers('guard', answer)) },
      deps: { onTrace: (trace) => void rows.push(...trace.rows) },
    });
    const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('shell', {});
    return { decision: finalOutput?.decision, row: rows[0] };
  };

  test.each(['BeforeTool', 'PreToolUse', 'preToolUse'])('%s fits', async (named) => {
    const { decision, row } = await fired(named);
    expect(decision).toBe('deny');
    expect(row).toMatchObject({ fields: { decision: { fate: 'applied' }, reason: { fate: 'applied' } } });
    expect(row).not.toHaveProperty('warnings');
  });

  test('another event is a notice, and the block counts', async () => {
    const { decision, row } = await fired('PostToolUse');
    expect(decision).toBe('deny');
    expect(row).toMatchObject({ warnings: [{ code: 'other-event', detail: { named: 'PostToolUse' } }] });
  });
});
