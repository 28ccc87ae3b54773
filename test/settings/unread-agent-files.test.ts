import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHooks } from '../../src/index.ts';
import { createPlace, type Place } from './support.ts';

const deny = `echo '{"permission": "deny", "user_message": "guarded"}'`;

const file = {
  version: 1,
  hooks: { beforeShellExecution: [{ command: deny, failClosed: true }], afterFileEdit: [{ command: 'true' }] },
};

const agents = { cursor: true } as const;
const PROJECT = 'project/.cursor/hooks.json';
const USER = 'home/.cursor/hooks.json';

const broken: readonly (readonly [string, string | Buffer])[] = [
  ['cut off', '{"version": 1, "hooks": {"beforeShellExecution": [{"comm'],
  ['of more than a MiB', ' '.repeat(1_100_000)],
  ['of bytes that are no text', Buffer.from([0xff, 0xfe, 0xfd, 0x00])],
];

const approve = async (place: Place) => {
  const { reviewTrust } = await import('../../src/index.ts');
  const review = await reviewTrust((await place.load({ agents })).config);
  await review.approve(review.hooks.map(({ id }) => id));
};

const engine = async (place: Place) => {
  const { config } = await place.load({ agents, tools: 'cursor' });
  const hooks = await createHooks({ config });
  onTestFinished(() => hooks.close());
  return hooks;
};

const shell = { tool: 'Shell', input: { command: 'ls' } };

describe('R1501 a file of another agent that cannot be read', () => {
  test.each(broken)('refuses the calls of its approved guards in a new host, when it is %s', async (_what, bytes) => {
    const place = createPlace();
    const path = place.write(PROJECT, file);
    await approve(place);
    expect(await (await engine(place)).beforeTool(shell)).toMatchObject({ verdict: 'deny', reason: 'guarded' });
    writeFileSync(path, bytes);
    const hooks = await engine(place);
    const { verdict, reason, faults } = await hooks.beforeTool(shell);
    expect([verdict, faults.map(({ code }) => code)]).toEqual(['deny', ['invalid-config']]);
    expect(reason).toContain(`${path}:1 cannot be read`);
    expect(reason).toContain('hookwright disable --all --for 10m');
    expect(hooks.problems.map(({ code }) => code)).toEqual(['unreadable-file']);
  });

  test.each(broken)('of the user does so for the guards that it had, when it is %s', async (_what, bytes) => {
    const place = createPlace();
    const path = place.write(USER, file);
    place.write('home/.hookwright/settings.json', {});
    chmodSync(join(place.home, '.hookwright'), 0o700);
    expect(await (await engine(place)).beforeTool(shell)).toMatchObject({ verdict: 'deny', reason: 'guarded' });
    writeFileSync(path, bytes);
    const { verdict, reason } = await (await engine(place)).beforeTool(shell);
    expect([verdict, reason?.includes(`${path}:1`)]).toEqual(['deny', true]);
  });

  test.each(broken)('keeps its last good state in a running host, when it is %s', async (_what, bytes) => {
    const place = createPlace();
    const path = place.write(USER, file);
    const { config } = await place.load({ agents, tools: 'cursor' });
    const hooks = await createHooks({ config });
    onTestFinished(() => hooks.close());
    writeFileSync(path, bytes);
    await config.reload();
    expect(await hooks.beforeTool(shell)).toMatchObject({ verdict: 'deny', reason: 'guarded' });
    expect(config.getProblems()).toMatchObject([
      { code: 'unreadable-file', message: expect.stringContaining('what was read before from this file stays in use') },
    ]);
    writeFileSync(path, JSON.stringify({ version: 1, hooks: {} }));
    await config.reload();
    expect(await hooks.beforeTool(shell)).toMatchObject({ verdict: 'none' });
  });

  test('is a problem and refuses nothing where none of its guards is known', async () => {
    const place = createPlace();
    place.write(PROJECT, '{"version": 1, "hooks": {');
    const hooks = await engine(place);
    expect(await hooks.beforeTool(shell)).toMatchObject({ verdict: 'none' });
    expect(hooks.problems).toMatchObject([{ code: 'unreadable-file', severity: 'error', line: 1 }]);
  });
});

test('R1501 the file of an extension that cannot be read refuses the calls of its approved guards', async () => {
  const place = createPlace();
  const guard = { name: 'guard', command: `echo '{"decision": "deny", "reason": "guarded"}'`, onFault: 'deny' };
  const path = place.write('home/.hookwright/extensions/kit/hooks/hooks.json', {
    hooks: { BeforeTool: [{ hooks: [guard] }] },
  });
  chmodSync(join(place.home, '.hookwright'), 0o700);
  await approve(place);
  expect(await (await engine(place)).beforeTool(shell)).toMatchObject({ verdict: 'deny', reason: 'guarded' });
  writeFileSync(path, '{"hooks": {');
  const { verdict, reason } = await (await engine(place)).beforeTool(shell);
  expect([verdict, reason?.includes(`${path}:1`)]).toEqual(['deny', true]);
});
