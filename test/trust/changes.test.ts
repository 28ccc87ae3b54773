import { describe, expect, test } from 'vitest';
import type { HookConfig, HooksByEvent } from '../../src/index.ts';
import { one, trustBench } from './support.ts';

const guard: HookConfig = {
  type: 'command',
  name: 'guard',
  command: './guard.sh',
  timeout: 5_000,
  env: { LEVEL: '1' },
  onFault: 'deny',
};

describe('F61 an approved entry', () => {
  test('runs as long as it is what was approved, wherever its members stand', async () => {
    const bench = trustBench();
    bench.write('guard.sh', '#!/bin/sh\n');
    await bench.approveAll(one(guard, { matcher: 'Bash' }));
    expect(await bench.verdicts(one(guard, { matcher: 'Bash' }))).toEqual(['run']);
    const reordered = Object.fromEntries(Object.entries(guard).reverse());
    expect(await bench.verdicts(one(reordered, { matcher: 'Bash' }))).toEqual(['run']);
  });

  const changed: [string, HooksByEvent][] = [
    ['command', one({ ...guard, command: './guard.sh --lax' }, { matcher: 'Bash' })],
    ['args', one({ ...guard, args: ['--lax'] }, { matcher: 'Bash' })],
    ['env', one({ ...guard, env: { LEVEL: '0' } }, { matcher: 'Bash' })],
    ['matcher', one(guard, { matcher: 'Bash|Edit' })],
    ['a matcher that is left out', one(guard)],
    ['timeout', one({ ...guard, timeout: 1 }, { matcher: 'Bash' })],
    ['onFault', one({ ...guard, onFault: 'allow' }, { matcher: 'Bash' })],
    ['cwd', one({ ...guard, cwd: 'sub' }, { matcher: 'Bash' })],
    ['shell', one({ ...guard, shell: 'sh' }, { matcher: 'Bash' })],
    ['leaveBackground', one({ ...guard, leaveBackground: true }, { matcher: 'Bash' })],
    ['sequential', one(guard, { matcher: 'Bash', sequential: true })],
    ['a move to another event', one(guard, { matcher: 'Bash' }, 'AfterTool')],
    ['a type', one({ ...guard, type: 'worker' }, { matcher: 'Bash' })],
  ];

  test.each(changed)('F61 does not run after a change of %s', async (_what, hooks) => {
    const bench = trustBench();
    bench.write('guard.sh', '#!/bin/sh\n');
    await bench.approveAll(one(guard, { matcher: 'Bash' }));
    expect(await bench.verdicts(hooks)).toEqual(['changed-since-trusted']);
  });

  test.each([
    ['command and arguments', { command: './other.sh' }],
    ['URL', { type: 'http', url: 'http://127.0.0.1:1/b' }],
  ] as const)('F61 is recognised by its name after a change of %s', async (_what, change) => {
    const bench = trustBench();
    await bench.approveAll(one({ name: 'guard', type: 'http', url: 'http://127.0.0.1:1/a' }));
    expect(await bench.verdicts(one({ name: 'guard', ...change }))).toEqual(['changed-since-trusted']);
  });

  test('F61 is recognised by its name at another event with another command', async () => {
    const bench = trustBench();
    await bench.approveAll(one({ name: 'guard', command: 'node a.mjs' }));
    expect(await bench.verdicts(one({ name: 'guard', command: 'node b.mjs' }, {}, 'AfterTool'))).toEqual([
      'changed-since-trusted',
    ]);
  });

  test('F61 an unnamed hook is not taken for a change of another unnamed one', async () => {
    const bench = trustBench();
    await bench.approveAll(one({ command: 'node a.mjs' }));
    expect(await bench.verdicts(one({ command: 'node b.mjs' }, {}, 'AfterTool'))).toEqual(['untrusted']);
  });

  test('F61 without a name it is recognised by its command in another group or event', async () => {
    const bench = trustBench();
    await bench.approveAll(one({ command: 'node a.mjs' }, { matcher: 'Bash' }));
    expect(await bench.verdicts(one({ command: 'node a.mjs' }, { matcher: 'Edit' }))).toEqual([
      'changed-since-trusted',
    ]);
    expect(await bench.verdicts(one({ command: 'node a.mjs' }, { matcher: 'Bash' }, 'AfterTool'))).toEqual([
      'changed-since-trusted',
    ]);
  });

  test('a second hook of the same name is new, not a change of the first', async () => {
    const bench = trustBench();
    await bench.approveAll(one(guard));
    const both: HooksByEvent = { ...one(guard), ...one(guard, {}, 'AfterTool') };
    expect(await bench.verdicts(both)).toEqual(['run', 'untrusted']);
  });

  test('entries that change places among each other stay approved: each is what it was', async () => {
    const bench = trustBench();
    const a = { command: 'node a.mjs' };
    const b = { command: 'node b.mjs' };
    await bench.approveAll({ BeforeTool: [{ hooks: [a, b] }] });
    expect(await bench.verdicts({ BeforeTool: [{ hooks: [b, a] }] })).toEqual(['run', 'run']);
  });

  test('approving the new version ends the trust in the old one', async () => {
    const bench = trustBench();
    await bench.approveAll(one(guard));
    await bench.approveAll(one({ ...guard, timeout: 1_000 }));
    expect(await bench.verdicts(one({ ...guard, timeout: 1_000 }))).toEqual(['run']);
    expect(await bench.verdicts(one(guard))).toEqual(['changed-since-trusted']);
  });

  test('an approval is for one project', async () => {
    const bench = trustBench();
    const other = trustBench();
    await bench.approveAll(one({ command: 'node a.mjs' }));
    expect(await other.verdicts(one({ command: 'node a.mjs' }))).toEqual(['untrusted']);
  });
});

describe('R1455 what is approved of a hook that uses the host', () => {
  const prompt = { type: 'prompt', prompt: 'Is it safe? $ARGUMENTS' };
  const mcp = { type: 'mcp', server: 'policy', tool: 'check', input: { command: '$' } };

  test.each<[string, HookConfig, HookConfig]>([
    ['its prompt', { ...prompt, name: 'a' }, { ...prompt, name: 'a', prompt: 'Say ok. $ARGUMENTS' }],
    ['its server', { ...mcp, name: 'a' }, { ...mcp, name: 'a', server: 'other' }],
    ['its tool', { ...mcp, name: 'a' }, { ...mcp, name: 'a', tool: 'delete_all' }],
    ['its template', { ...mcp, name: 'a' }, { ...mcp, name: 'a', input: { command: '$HOME' } }],
  ])('it does not run after a change of %s', async (_what, before, after) => {
    const bench = trustBench();
    await bench.approveAll(one(before));
    expect(await bench.verdicts(one(before))).toEqual(['run']);
    expect(await bench.verdicts(one(after))).toEqual(['changed-since-trusted']);
  });

  test('the review shows it, and says what no approval can cover', async () => {
    const { hooks } = await trustBench().review({ BeforeTool: [{ hooks: [prompt, mcp] }] });
    expect(hooks.map(({ name }) => name)).toEqual(['Is it safe? $ARGUMENTS', 'policy/check']);
    expect(JSON.stringify(hooks[1])).toContain('"input":{"command":"$"}');
    expect(hooks[0]?.script.notes.join()).toContain('what the model answers, today or later');
    expect(hooks[1]?.script.notes.join()).toContain('what the tool of the MCP server does, today or later');
  });
});
