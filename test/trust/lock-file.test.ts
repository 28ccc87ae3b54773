import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkTrustLock, writeTrustLock } from '../../src/trust/index.ts';
import { type Bench, one, trustBench } from './support.ts';

const guard = { type: 'command', name: 'guard', command: './guard.sh' } as const;
const audit = { type: 'command', name: 'audit', command: './audit.sh' } as const;

const withLock = async (): Promise<Bench> => {
  const bench = trustBench();
  bench.write('guard.sh', 'a');
  mkdirSync(join(bench.project, '.hookwright'));
  await bench.approveAll(one(guard));
  await writeTrustLock(bench.configOf(one(guard)));
  return bench;
};

test('the lock file holds the hashes of what was approved, and CI finds that it agrees', async () => {
  const bench = await withLock();
  const text = readFileSync(join(bench.project, '.hookwright/trust.lock.json'), 'utf8');
  expect(JSON.parse(text)).toEqual({
    version: 1,
    hooks: [{ hookId: 'project/BeforeTool/guard', name: 'guard', hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  });
  // CI has another home, in which nothing was approved.
  rmSync(join(bench.home, '.hookwright'), { recursive: true });
  expect(await checkTrustLock(bench.configOf(one(guard)))).toMatchObject({ ok: true, new: [], changed: [], gone: [] });
});

test('the lock file is the same wherever the project is', async () => {
  const [a, b] = [await withLock(), await withLock()];
  const textIn = ({ project }: Bench): string => readFileSync(join(project, '.hookwright/trust.lock.json'), 'utf8');
  expect(textIn(a)).toBe(textIn(b));
});

test('hooks stand in the lock file by their ids, in whatever order settings have them', async () => {
  const bench = await withLock();
  const text = (): string => readFileSync(join(bench.project, '.hookwright/trust.lock.json'), 'utf8');
  const texts: string[] = [];
  for (const hooks of [
    [guard, audit],
    [audit, guard],
  ]) {
    const settings = { BeforeTool: [{ hooks }] };
    await bench.approveAll(settings);
    await writeTrustLock(bench.configOf(settings));
    texts.push(text());
  }
  expect(texts[0]).toBe(texts[1]);
  expect(JSON.parse(text()).hooks).toMatchObject([{ name: 'audit' }, { name: 'guard' }]);
});

test('CI finds what is new, changed and gone', async () => {
  const bench = await withLock();
  bench.write('guard.sh', 'b');
  const both = { BeforeTool: [{ hooks: [guard, audit] }] };
  expect(await checkTrustLock(bench.configOf(both))).toMatchObject({
    ok: false,
    new: [{ name: 'audit' }],
    changed: [{ name: 'guard' }],
    gone: [],
  });
  expect(await checkTrustLock(bench.configOf({}))).toMatchObject({ ok: false, gone: [{ name: 'guard' }] });
});

test('F63 a lock file grants nothing', async () => {
  const bench = await withLock();
  rmSync(join(bench.home, '.hookwright'), { recursive: true });
  expect(await bench.verdicts(one(guard))).toEqual(['untrusted']);
});

test('only what is approved is entered', async () => {
  const bench = await withLock();
  const both = { BeforeTool: [{ hooks: [guard, audit] }] };
  expect(await writeTrustLock(bench.configOf(both))).toMatchObject([{ name: 'guard' }]);
});

test('a lock file that is missing, broken, too large or a link is a problem, and not written through', async () => {
  const bench = await withLock();
  const file = join(bench.project, '.hookwright/trust.lock.json');
  writeFileSync(file, '{"version":1,"hooks":{}}');
  expect(await checkTrustLock(bench.configOf(one(guard)))).toMatchObject({ ok: false, new: [{ name: 'guard' }] });
  writeFileSync(file, ' '.repeat(1_048_577));
  const large = await checkTrustLock(bench.configOf(one(guard)));
  expect(large.problems.join()).toContain('at most 1048576 are read');
  rmSync(file);
  const missing = await checkTrustLock(bench.configOf(one(guard)));
  expect(missing.problems.join()).toContain('does not exist');
  const victim = join(bench.home, 'victim');
  symlinkSync(victim, file);
  const linked = await checkTrustLock(bench.configOf(one(guard)));
  expect(linked.problems.join()).toContain('symbolic link');
  await expect(writeTrustLock(bench.configOf(one(guard)))).rejects.toThrow('symbolic link');
  expect(existsSync(victim)).toBe(false);
});
