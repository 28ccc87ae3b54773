import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HookwrightError } from '../../src/index.ts';
import { approve, reviewTrust, revoke } from '../../src/trust/index.ts';
import { one, trustBench } from './support.ts';

const guard = { type: 'command', name: 'guard', command: './guard.sh' } as const;

test('a review says of each hook what it is, what running it means and whether it was approved', async () => {
  const bench = trustBench();
  bench.write('guard.sh', '#!/bin/sh\n');
  const { hooks, gone, projectDir, file, problems } = await bench.review(one(guard, { matcher: 'Bash' }));
  expect({ gone, projectDir, file, problems }).toEqual({
    gone: [],
    projectDir: bench.project,
    file: join(bench.home, '.hookwright/trust.json'),
    problems: [],
  });
  expect(hooks).toMatchObject([
    {
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      hookId: 'project/BeforeTool/guard',
      name: 'guard',
      eventName: 'BeforeTool',
      source: { kind: 'project' },
      status: 'new',
      entry: { event: 'BeforeTool', matcher: 'Bash', sequential: false, source: 'project', hook: guard },
      script: { covered: true, files: [{ path: 'guard.sh', state: 'covered' }] },
    },
  ]);
});

test('a review of a changed hook says what is different', async () => {
  const bench = trustBench();
  bench.write('guard.sh', 'a');
  await bench.approveAll(one({ ...guard, timeout: 100 }, { matcher: 'Bash' }));
  bench.write('guard.sh', 'b');
  const env = { GUARD_MODE: 'lax' };
  const { hooks } = await bench.review(one({ ...guard, onFault: 'allow', env }, { matcher: 'Edit' }));
  expect(hooks).toMatchObject([{ status: 'changed', previous: { entry: { matcher: 'Bash' } } }]);
  expect(hooks[0]?.differences).toEqual([
    { what: 'hook.env', after: env },
    { what: 'hook.onFault', after: 'allow' },
    { what: 'hook.timeout', before: 100 },
    { what: 'matcher', before: 'Bash', after: 'Edit' },
    { what: 'guard.sh', before: expect.stringMatching(/^sha256 /), after: expect.stringMatching(/^sha256 /) },
  ]);
});

test('a review names the secrets that a hook asks for and the allowed ones, and says nothing of secrets else', async () => {
  const bench = trustBench();
  const asking = one({ ...guard, secrets: ['DEPLOY_TOKEN', 'OTHER_TOKEN'] });
  const review = await bench.review(asking);
  await review.approve(['project/BeforeTool/guard'], { secrets: ['OTHER_TOKEN'] });
  const { hooks } = await bench.review(asking);
  const both = [
    { name: 'DEPLOY_TOKEN', isAllowed: false },
    { name: 'OTHER_TOKEN', isAllowed: true },
  ];
  expect(hooks).toMatchObject([{ status: 'approved', secrets: both }]);
  expect((await bench.review(one(guard))).hooks[0]).not.toHaveProperty('secrets');
});

describe('R817 the scripts of a review', () => {
  const keptIn = (home: string): string[] => readdirSync(join(home, '.hookwright/approved'));

  test('say what they say and what they said when they were approved', async () => {
    const bench = trustBench();
    bench.write('guard.sh', '#!/bin/sh\nexit 0\n');
    await bench.approveAll(one(guard));
    bench.write('guard.sh', '#!/bin/sh\nexit 2\n');
    const review = await bench.review(one(guard));
    const [changed] = review.hooks;
    const texts = { path: 'guard.sh', before: '#!/bin/sh\nexit 0\n', text: '#!/bin/sh\nexit 2\n' };
    expect(await review.scripts(changed?.id ?? '')).toEqual([texts]);
    // What is swapped while a person reads is not what would be approved.
    bench.write('guard.sh', '#!/bin/sh\nrm -rf /\n');
    expect(await review.scripts(changed?.id ?? '')).toEqual([{ ...texts, text: undefined }]);
  });

  test('are kept for their user alone, with nothing raw that cannot be seen, and no longer than an approval', async () => {
    const bench = trustBench();
    const text = '#!/bin/sh\n# \u202e hidden \u200b\n';
    bench.write('guard.sh', text);
    await bench.approveAll(one(guard));
    const directory = join(bench.home, '.hookwright/approved');
    const [name = ''] = keptIn(bench.home);
    expect(keptIn(bench.home)).toHaveLength(1);
    expect([statSync(directory).mode & 0o777, statSync(join(directory, name)).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readFileSync(join(directory, name), 'utf8')).not.toMatch(/[\u202e\u200b]/);
    bench.write('guard.sh', 'other');
    const review = await bench.review(one(guard));
    expect(await review.scripts('project/BeforeTool/guard')).toMatchObject([{ before: text, text: 'other' }]);
    await review.revoke(['project/BeforeTool/guard']);
    expect(keptIn(bench.home)).toEqual([]);
  });

  test('R2086 are stored once, however many hooks cover them and however often they are approved', async () => {
    const bench = trustBench();
    bench.write('guard.sh', 'approved');
    await bench.approveAll(one(guard));
    const [name = ''] = keptIn(bench.home);
    const kept = (): number => statSync(join(bench.home, '.hookwright/approved', name)).ino;
    const before = kept();
    await bench.approveAll(one({ ...guard, timeout: 4_000 }));
    expect([keptIn(bench.home), kept()]).toEqual([[name], before]);
  });

  test('that cannot be tidied away keep nobody from approving', async () => {
    const bench = trustBench();
    bench.write('guard.sh', 'approved');
    mkdirSync(join(bench.home, '.hookwright/approved', `${'0'.repeat(64)}.json`), { recursive: true, mode: 0o700 });
    await bench.approveAll(one(guard));
    expect(await bench.verdicts(one(guard))).toEqual(['run']);
  });

  test('that were forged are not taken for what was approved, and no text is needed to approve', async () => {
    const bench = trustBench();
    bench.write('guard.sh', 'approved');
    await bench.approveAll(one(guard));
    const [name = ''] = keptIn(bench.home);
    writeFileSync(join(bench.home, '.hookwright/approved', name), '{"text":"forged"}');
    bench.write('guard.sh', 'changed');
    const review = await bench.review(one(guard));
    expect(await review.scripts('project/BeforeTool/guard')).toMatchObject([{ before: undefined, text: 'changed' }]);
    rmSync(join(bench.home, '.hookwright/approved'), { recursive: true });
    writeFileSync(join(bench.home, '.hookwright/approved'), 'in the way');
    await review.approve(['project/BeforeTool/guard']);
    expect(await bench.verdicts(one(guard))).toEqual(['run']);
  });

  test('are shown only as far as they are text that a person can read', async () => {
    const bench = trustBench();
    bench.write('guard.sh', 'x'.repeat(262_145));
    bench.write('data', 'a\0b');
    const review = await bench.review(one({ ...guard, command: './guard.sh data' }));
    expect(await review.scripts('project/BeforeTool/guard')).toEqual([
      { path: 'data', text: undefined, before: undefined },
      { path: 'guard.sh', text: undefined, before: undefined },
    ]);
  });
});

test('a review names what was approved and is not there any more', async () => {
  const bench = trustBench();
  await bench.approveAll(one(guard));
  const { hooks, gone } = await bench.review({});
  expect(hooks).toEqual([]);
  expect(gone).toMatchObject([{ hookId: 'project/BeforeTool/guard', name: 'guard' }]);
});

describe('an approval', () => {
  test('is for what was reviewed: a change in between stays unapproved', async () => {
    const bench = trustBench();
    bench.write('guard.sh', 'shown');
    const review = await bench.review(one(guard));
    bench.write('guard.sh', 'swapped');
    await review.approve(['project/BeforeTool/guard']);
    expect(await bench.verdicts(one(guard))).toEqual(['changed-since-trusted']);
    bench.write('guard.sh', 'shown');
    expect(await bench.verdicts(one(guard))).toEqual(['run']);
  });

  test('by id is refused when the content is no longer what the id stands for', async () => {
    const bench = trustBench();
    bench.write('guard.sh', 'shown');
    const config = bench.configOf(one(guard));
    const { hooks } = await reviewTrust(config);
    bench.write('guard.sh', 'swapped');
    const approving = approve(config, [hooks[0]?.id ?? '']);
    await expect(approving).rejects.toSatisfy(
      (error) => HookwrightError.is(error) && error.code === 'invalid_argument',
    );
    expect(await bench.verdicts(one(guard))).toEqual(['untrusted']);
  });

  test('is given by id, taken back by id or hook id, and neither twice', async () => {
    const bench = trustBench();
    const config = bench.configOf(one(guard));
    const { hooks } = await reviewTrust(config);
    const ids = hooks.map(({ id }) => id);
    expect(await approve(config, ids)).toMatchObject([{ name: 'guard' }]);
    await approve(config, ids);
    expect(await bench.verdicts(one(guard))).toEqual(['run']);
    expect(await revoke(config, ids)).toBe(1);
    expect(await revoke(config, ids)).toBe(0);
    expect(await bench.verdicts(one(guard))).toEqual(['untrusted']);
    await approve(config, ids);
    expect(await revoke(config, ['project/BeforeTool/guard'])).toBe(1);
  });

  test('of something unknown is refused, and nothing else is approved', async () => {
    const bench = trustBench();
    const review = await bench.review(one(guard));
    const known = review.hooks[0]?.id ?? '';
    await expect(review.approve([known, 'project/BeforeTool/gaurd'])).rejects.toThrow('did you mean');
    expect(await bench.verdicts(one(guard))).toEqual(['untrusted']);
  });

  test('of one hook is for that hook alone', async () => {
    const bench = trustBench();
    const hooks = { BeforeTool: [{ hooks: [guard, { ...guard, name: 'other' }] }] };
    const review = await bench.review(hooks);
    await review.approve(['project/BeforeTool/other']);
    expect(await bench.verdicts(hooks)).toEqual(['untrusted', 'run']);
  });
});

test('hooks given in code are not up for review, unless the host asks about all of them', async () => {
  const bench = trustBench();
  const config = { getSessionId: () => 's', getWorkingDir: () => bench.project, getHooks: () => one(guard) };
  expect((await reviewTrust(config, { home: bench.home })).hooks).toEqual([]);
});
