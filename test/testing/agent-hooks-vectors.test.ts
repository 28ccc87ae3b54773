// The harness of the agent-hooks standard, with vectors of our own: it can pass, fail and leave out.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const call = { id: 'c1', name: 'pay', args: { amount: 5 } };
const scenario = {
  input: { content: 'pay', role: 'user' },
  tools: [{ name: 'pay', behavior: [{ return: 'paid' }] }],
  model_script: [{ respond: { tool_calls: [call] } }, { respond: { content: 'done', tool_calls: [] } }],
};
const asks = [{ at: 'pre_tool_call', return: { decision: 'deny', reason: 'a person decides', approval: {} } }];
const refuses = [{ at: 'pre_tool_call', return: { decision: 'deny', reason: 'never' } }];
const ends = { interceptions: [], sequence_strict: false, run_outcome: 'completed' };
const paid = { ...ends, tool_invocations: [{ name: 'pay', args: { amount: 5 } }] };
const approval_script = [{ resolve: { outcome: 'approve', verdict: { decision: 'allow' } } }];
const lifted = { interceptor_scripts: [asks, refuses], approval_script, expect: paid };

const play = (vectors: Readonly<Record<string, object>>) => {
  const folder = temporaryFolder('agent-hooks');
  for (const [name, vector] of Object.entries(vectors)) {
    writeFileSync(join(folder, `AH-CTK-${name}.json`), JSON.stringify({ id: name, scenario, ...vector }));
  }
  const args = ['scripts/agent-hooks-vectors.mjs', folder];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, lines: stdout.trimEnd().split('\n') };
};

test('R1523 the harness exits with 1 if a vector fails, and prints what was expected and what happened', () => {
  const unanimous = { composition: { profile: 'parallel/unanimous' }, expect: paid };
  const { status, lines } = play({ 'a-lifted': lifted, 'b-unanimous': unanimous });
  expect(status).toBe(0);
  expect(lines.slice(0, 2)).toEqual(['passed     AH-CTK-a-lifted', 'not mapped AH-CTK-b-unanimous']);
  expect(lines.at(-1)).toBe('2 vectors: 1 passed, 0 failed, 1 not mapped');
  const paidAll = '[{"name":"pay","args":{"amount":5}}]';
  expect(play({ wrong: { interceptor_script: refuses, expect: paid } })).toEqual({
    status: 1,
    lines: [
      'failed     AH-CTK-wrong',
      `           run.tool_invocations: expected ${paidAll}, got []`,
      '1 vectors: 0 passed, 1 failed, 0 not mapped',
    ],
  });
});

test('R1524 an expectation that the harness does not know fails the vector', () => {
  const records = [{ interception_point: 'pre_tool_call', asserts: { decided_by: 7 } }];
  const { status, lines } = play({ unread: { expect: { ...paid, records } } });
  expect(status).toBe(1);
  expect(lines.join('\n')).toMatch(/^failed {5}AH-CTK-unread[\s\S]*asserts/);
  expect(play({}).status).toBe(2);
});

test('R1525 a composition profile of the standard decides for one host whether a later denial stands', () => {
  const refused = { ...lifted, expect: { ...ends, tool_not_invoked: ['pay'] } };
  const profiles = ['sequential/run_all', 'parallel/strictest'].map((profile) => ({
    ...refused,
    composition: { profile },
  }));
  const [inOrder = {}, sideBySide = {}] = profiles;
  expect(play({ 'a-first': lifted, 'b-all': inOrder, 'c-strictest': sideBySide }).lines).toEqual([
    'passed     AH-CTK-a-first',
    'passed     AH-CTK-b-all',
    'passed     AH-CTK-c-strictest',
    '3 vectors: 3 passed, 0 failed, 0 not mapped',
  ]);
});
