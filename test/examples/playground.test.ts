import { expect, test } from 'vitest';
// @ts-expect-error: a script of the site, without types
import { judge } from '../../scripts/site/playground/judge.mjs';

const hook = (name: string, stdout: string, rest = {}) => ({
  ...{ name, stdout, stderr: '', exitCode: 0, onFault: 'allow' },
  ...rest,
});

test('R1762 the playground shows the verdict and the fate of each field as the engine decides them', () => {
  const denies = hook('second', '{"decision": "deny", "reason": "no", "hookSpecificOutput": {"tool_imput": {}}}');
  const judged = judge('BeforeTool', [hook('first', '{"decision": "allow"}'), denies]);
  expect(judged).toMatchObject({ verdict: 'deny', reason: 'no' });
  expect(judged.hooks[0].fates).toEqual([{ field: 'decision', fate: 'overridden', by: 'second' }]);
  expect(judged.hooks[1].fates).toContainEqual(
    expect.objectContaining({ field: 'hookSpecificOutput.tool_imput', fate: 'unsupported' }),
  );

  expect(judge('BeforeTool', [hook('first', ''), hook('second', '')])).toMatchObject({ verdict: 'none' });
  expect(judge('BeforeTool', [hook('first', '', { exitCode: 2, stderr: 'why' })])).toMatchObject({
    verdict: 'deny',
    reason: 'why',
  });
  const broken = judge('BeforeTool', [hook('guard', '{"decision": "denny"}', { onFault: 'ask' })]);
  expect(broken).toMatchObject({ verdict: 'ask', hooks: [{ outcome: 'fault: malformed-output' }] });
});
