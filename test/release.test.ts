import { execFile, execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.ts';

let project: string;
const git = (...args: string[]): string => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
const commit = (changelog: string): void => {
  writeFileSync(join(project, 'CHANGELOG.md'), changelog);
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'a change');
};
const release = (...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)(process.execPath, [resolve('scripts/release.mjs'), ...args], {
    cwd: project,
    env: { ...process.env, GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' },
  });

beforeEach(() => {
  project = temporaryFolder('release');
  git('init', '-q');
  writeFileSync(join(project, 'package.json'), '{ "name": "thing", "version": "1.2.3" }');
});

describe('a release', () => {
  test('tags the commit with what the changelog says of its version, and can be repeated', async () => {
    commit('# Changelog\n\n## 1.2.3 (today)\n\n- new things\n\n## 1.2.2\n\n- old things\n');
    await expect(release('--dry-run')).resolves.toMatchObject({ stdout: expect.stringContaining('was not created') });
    expect(git('tag', '--list')).toBe('');
    await release();
    expect(git('tag', '--points-at', 'HEAD')).toBe('v1.2.3');
    expect(git('tag', '--list', '--format=%(contents)', 'v1.2.3')).toBe('thing 1.2.3\n\n- new things');
    await expect(release()).resolves.toMatchObject({
      stdout: expect.stringContaining('v1.2.3 is the tag of this commit'),
    });
  });

  test('is refused without a section of the changelog, with changes in no commit, and with the tag of another commit', async () => {
    commit('# Changelog\n\n## Unreleased\n\n- new things\n');
    await expect(release()).rejects.toMatchObject({ stderr: expect.stringContaining('has no section "## 1.2.3"') });
    commit('# Changelog\n\n## 1.2.3\n\n## 1.2.2\n\n- old\n');
    await expect(release()).rejects.toMatchObject({ stderr: expect.stringContaining('says nothing below "## 1.2.3"') });
    commit('# Changelog\n\n## 1.2.3\n\n- new things\n');
    writeFileSync(join(project, 'more.txt'), '');
    await expect(release()).rejects.toMatchObject({ stderr: expect.stringContaining('changes that are in no commit') });
    rmSync(join(project, 'more.txt'));
    await release();
    commit('# Changelog\n\n## 1.2.3\n\n- newer things\n');
    await expect(release()).rejects.toMatchObject({ stderr: expect.stringContaining('the tag of another commit') });
  });

  test('publishes only a commit that has its tag', async () => {
    commit('# Changelog\n\n## 1.2.3\n\n- new things\n');
    await expect(release('--publish')).rejects.toMatchObject({ stderr: expect.stringContaining('is not v1.2.3') });
  });
});
