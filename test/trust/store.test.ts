import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HooksByEvent, HookwrightError } from '../../src/index.ts';
import { TrustStore } from '../../src/trust/index.ts';
import { buildHost, startHost } from '../support/hosts.ts';
import { type Bench, one, trustBench } from './support.ts';

const hooks = one({ command: 'node a.mjs' });
const isWindows = process.platform === 'win32';
const fileOf = (bench: Bench): string => join(bench.home, '.hookwright/trust.json');

const replaceByDirectory = (file: string): void => {
  rmSync(file);
  mkdirSync(file);
};

test.skipIf(isWindows)('F63 the store is for its user alone: the file 0600, its directory 0700', async () => {
  const bench = trustBench();
  await bench.approveAll(hooks);
  expect(lstatSync(fileOf(bench)).mode & 0o777).toBe(0o600);
  expect(lstatSync(join(bench.home, '.hookwright')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(bench.home, '.hookwright'))).toEqual(['trust.json']);
});

describe('F63 a store that cannot be relied on trusts nothing and says so', () => {
  const spoilt: [string, string, (file: string) => void][] = [
    ['no JSON', 'is not a trust store', (file) => writeFileSync(file, '{')],
    ['another shape', 'is not a trust store', (file) => writeFileSync(file, '{"version":2,"projects":[]}')],
    ['a later version', 'is not a trust store', (file) => writeFileSync(file, '{"version":3,"projects":{}}')],
    ['deep nesting', 'is not a trust store', (file) => writeFileSync(file, '['.repeat(100_000))],
    ['more bytes than it may have', 'at most 8388608 are read', (file) => writeFileSync(file, ' '.repeat(8_388_609))],
    ['a group that may write', 'by others', (file) => chmodSync(file, 0o620)],
    ['a world that may write', 'by others', (file) => chmodSync(file, 0o602)],
    ['a directory others may write', 'by others', (file) => chmodSync(join(file, '..'), 0o777)],
    ['a home every user may write', 'by every user', (file) => chmodSync(join(file, '../..'), 0o777)],
    ['a directory in its place', 'is a directory; a file is expected here', replaceByDirectory],
  ];

  test.skipIf(isWindows).each(spoilt)('F63 %s', async (_what, words, spoil) => {
    const bench = trustBench();
    await bench.approveAll(hooks);
    expect(await bench.verdicts(hooks)).toEqual(['run']);
    spoil(fileOf(bench));
    expect(await bench.verdicts(hooks)).toEqual(['untrusted']);
    expect(bench.troubles.join()).toContain(words);
    const review = await bench.review(hooks);
    expect(review.problems.join()).toContain(words);
    const approving = review.approve(review.hooks.map(({ id }) => id));
    await expect(approving).rejects.toSatisfy((error) => HookwrightError.is(error) && error.code === 'invalid_config');
  });

  test.skipIf(isWindows)(
    'F63 a link in the place of the store, or of its directory, is neither read nor written',
    async () => {
      const bench = trustBench();
      await bench.approveAll(hooks);
      const elsewhere = join(bench.project, 'trust.json');
      writeFileSync(elsewhere, readFileSync(fileOf(bench)), { mode: 0o600 });
      rmSync(fileOf(bench));
      symlinkSync(elsewhere, fileOf(bench));
      expect(await bench.verdicts(hooks)).toEqual(['untrusted']);
      await expect(bench.approveAll(one({ command: 'b' }))).rejects.toThrow('symbolic link');

      rmSync(join(bench.home, '.hookwright'), { recursive: true });
      mkdirSync(join(bench.project, 'dir'), { mode: 0o700 });
      writeFileSync(join(bench.project, 'dir/trust.json'), readFileSync(elsewhere), { mode: 0o600 });
      symlinkSync(join(bench.project, 'dir'), join(bench.home, '.hookwright'));
      expect(await bench.verdicts(hooks)).toEqual(['untrusted']);
      const before = readFileSync(elsewhere, 'utf8');
      await expect(bench.approveAll(one({ command: 'b' }))).rejects.toThrow('symbolic link');
      expect(readFileSync(join(bench.project, 'dir/trust.json'), 'utf8')).toBe(before);
    },
  );

  test('F63 a store inside the project is not even looked at', async () => {
    const bench = trustBench();
    await bench.approveAll(hooks);
    mkdirSync(join(bench.project, '.hookwright'));
    writeFileSync(join(bench.project, '.hookwright/trust.json'), readFileSync(fileOf(bench)), { mode: 0o600 });
    rmSync(fileOf(bench));
    expect(await bench.verdicts(hooks)).toEqual(['untrusted']);
  });
});

test('a hook that is switched off in a project without approvals stays so, and nothing is kept of it when it is on again', async () => {
  const { home, project } = trustBench();
  const store = new TrustStore(home);
  await store.setOff(project, 'check', true);
  expect(await store.isOff(project, 'check')).toBe(true);
  await store.setOff(project, 'check', false);
  expect(JSON.parse(readFileSync(store.file, 'utf8'))).toEqual({ version: 2, projects: {} });
});

describe('several processes approve at the same time', () => {
  test('and no approval is lost', { timeout: 60_000 }, async () => {
    const bench = trustBench();
    const program = await buildHost('approves');
    onTestFinished(() => rmSync(program, { force: true }));
    const namesOf = (host: number): string[] => Array.from({ length: 5 }, (_, index) => `hook-${host}-${index}`);
    const hosts = [0, 1, 2, 3, 4, 5].map((host) => startHost(program, [bench.home, bench.project, ...namesOf(host)]));
    const ends = await Promise.all(hosts.map(({ ended }) => ended));
    expect(ends.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
      hosts.map(() => ({ exitCode: 0, stderr: '' })),
    );
    const names = hosts.flatMap((_, host) => namesOf(host));
    const all: HooksByEvent = {
      BeforeTool: [{ hooks: names.map((name) => ({ name, type: 'command', command: `run-${name}` })) }],
    };
    expect(await bench.verdicts(all)).toEqual(names.map(() => 'run'));
    expect(readdirSync(join(bench.home, '.hookwright'))).toEqual(['trust.json']);
  });

  test('and calls of one process do not lose any either', async () => {
    const bench = trustBench();
    const each = Array.from({ length: 20 }, (_, index) => one({ name: `h${index}`, command: `run-${index}` }));
    await Promise.all(each.map((hook) => bench.approveAll(hook)));
    for (const hook of each) expect(await bench.verdicts(hook)).toEqual(['run']);
  });

  test.each([
    ['a minute ago', -60_000],
    ['before the clock was set back', 24 * 3_600_000],
  ])('R2008 what a process that died left behind %s does not keep others out', async (_what, offsetMs) => {
    const bench = trustBench();
    mkdirSync(join(bench.home, '.hookwright'), { mode: 0o700 });
    const lock = `${fileOf(bench)}.lock`;
    writeFileSync(lock, 'somebody');
    utimesSync(lock, new Date(Date.now() + offsetMs), new Date(Date.now() + offsetMs));
    await bench.approveAll(hooks);
    expect(existsSync(lock)).toBe(false);
    expect(await bench.verdicts(hooks)).toEqual(['run']);
  });
});
