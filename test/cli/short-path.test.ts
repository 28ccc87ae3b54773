import { afterEach, describe, expect, test, vi } from 'vitest';
import { shortenPath, shortenPathsInText } from '../../src/cli/rendering/short-path.ts';

afterEach(() => vi.unstubAllEnvs());

describe.skipIf(process.platform === 'win32')('a path is written as people in a directory write it', () => {
  test.each([
    ['/home/me', '/srv/a', '/srv/a/b.json', 'b.json'],
    ['/home/me', '/srv/a', '/home/me/b.json', '~/b.json'],
    ['/home/me', '/srv/a', '/etc/b.json', '/etc/b.json'],
    ['/', '/srv/a', '/etc/b.json', '/etc/b.json'],
    ['relative', '/srv/a', '/srv/a/b.json', 'b.json'],
  ])('with the home %s, in %s, %s is %s', (home, cwd, file, short) => {
    vi.stubEnv('HOME', home);
    expect(shortenPath(file, cwd)).toBe(short);
    expect(shortenPathsInText(`see ${file}`, cwd)).toBe(`see ${short}`);
  });

  test('in the root every path is whole', () => {
    vi.stubEnv('HOME', '/home/me');
    expect(shortenPathsInText('see /etc/b.json', '/')).toBe('see /etc/b.json');
  });
});
