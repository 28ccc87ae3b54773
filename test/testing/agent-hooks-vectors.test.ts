// The harness of the agent-hooks standard, with vectors of our own: it can pass, fail and leave out.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const call = { id: 'c1', name: 'pay', args: { amount: 5 } };
const answers = [
  { respond: { content: null, tool_calls: [call], finish_reason: 'tool_calls' } },
  { respond: { content: 'done', tool_calls: [], finish_reason: 'stop' } },
];
const scenario = {
  input: { content: 'pay', role: 'user' },
  tools: [{ name: 'pay', behavior: [{ return: 'paid' }] }],
  model_script: answers,
};
const asks = { at: 'pre_tool_call', return: { decision: 'deny', reason: 'a person decides', approval: {} } };
const refuses = { at: 'pre_tool_call', return: { decision: 'deny', reason: 'never' } };
const approves = [{ resolve: { outcome: 'approve', verdict: { decision: 'allow' } } }];
const pays = { interceptions: [], sequence_strict: false, tool_invocations: [{ name: 'pay', args: { amount: 5 } }] };

const play = (vectors: Readonly<Record<string, object>>) => {
  const folder = temporaryFolder('agent-hooks');
  for (const [name, vector] of Object.entries(vectors)) {
    const text = JSON.stringify({ id: name, title: name, spec_clause: '0', scenario, ...vector });
    writeFileSync(join(folder, `AH-CTK-${name}.json`), text);
  }
  const { status, stdout } = spawnSync(process.execPath, ['scripts/agent-hooks-vectors.mjs', folder], {
    encoding: 'utf8',
  });
  return { status, lines: stdout.trimEnd().split('\n') };
};

const lifted = {
  interceptor_scripts: [[asks], [refuses]],
  approval_script: approves,
  expect: { ...pays, run_outcome: 'completed' },
};
const unanimous = { composition: { profile: 'parallel/unanimous' }, expect: { ...pays, run_outcome: 'completed' } };

test('R1523 the harness exits with 1 if a vector fails, and prints what was expected and what happened', () => {
  expect(play({ 'a-lifted': lifted, 'b-unanimous': unanimous })).toEqual({
    status: 0,
    lines: [
      'passed     AH-CTK-a-lifted',
      'not mapped AH-CTK-b-unanimous',
      '           no profile wants hooks to be unanimous: the strictest verdict counts',
      '2 vectors: 1 passed, 0 failed, 1 not mapped',
    ],
  });
  const wrong = { interceptor_script: [refuses], expect: { ...pays, run_outcome: 'blocked' } };
  expect(play({ wrong })).toEqual({
    status: 1,
    lines: [
      'failed     AH-CTK-wrong',
      '           tool_invocations: expected [{"name":"pay","args":{"amount":5}}], got []',
      '           run_outcome: expected "blocked", got "completed"',
      '1 vectors: 0 passed, 1 failed, 0 not mapped',
    ],
  });
});

test('R1524 an expectation that the harness does not know fails the vector', () => {
  const { status, lines } = play({ unread: { expect: { ...pays, run_outcome: 'completed', tool_duration: 1 } } });
  expect(status).toBe(1);
  expect(lines.join('\n')).toMatch(/^failed {5}AH-CTK-unread[\s\S]*tool_duration/);
  expect(play({})).toEqual({ status: 2, lines: [''] });
});

test('R1525 a composition profile of the standard decides for one host whether a later denial stands', () => {
  const composition = { profile: 'sequential/run_all' };
  const expected = { interceptions: [], sequence_strict: false, tool_not_invoked: ['pay'], run_outcome: 'completed' };
  expect(play({ 'a-first': lifted, 'b-all': { ...lifted, composition, expect: expected } }).lines.at(-1)).toBe(
    '2 vectors: 2 passed, 0 failed, 0 not mapped',
  );
});
