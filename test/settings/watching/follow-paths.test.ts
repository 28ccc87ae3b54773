import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type FollowOptions, PathFollower } from '../../../src/settings/watching/follow-paths.ts';
import { sleep } from '../../support/engine.ts';
import { until } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const followed = async (options: Partial<FollowOptions> | ((directory: string) => Partial<FollowOptions>) = {}) => {
  const directory = temporaryFolder('follow');
  const changes: number[] = [];
  const follower = new PathFollower({
    paths: () => [{ path: join(directory, 'file'), kind: 'file' }],
    onChange: async () => void changes.push(performance.now()),
    debounceMs: 20,
    ...(typeof options === 'function' ? options(directory) : options),
  });
  onTestFinished(async () => {
    await follower.close();
    rmSync(directory, { recursive: true });
  });
  await follower.start();
  return { changes, follower, write: (text: string) => writeFileSync(join(directory, 'file'), text) };
};

describe('followed paths', () => {
  test.each<[string, FollowOptions['watchDirectory']]>([
    [
      'that refuses to notify',
      () => {
        throw new Error('ENOSPC');
      },
    ],
    ['that never notifies', () => () => undefined],
    [
      'that stops notifying',
      (_directory, _onChange, onLoss) => {
        const timer = setTimeout(onLoss, 5);
        return () => clearTimeout(timer);
      },
    ],
  ])('are looked at on a file system %s', async (_title, watchDirectory) => {
    const { changes, write } = await followed({ watchDirectory, pollMs: 20 });
    write('1');
    await until('the change was seen', 5_000, () => changes.length === 1);
    write('22');
    await until('the next change was seen', 5_000, () => changes.length === 2);
  });

  test('are looked at in time although they change without a pause', async () => {
    const { changes, write } = await followed({ debounceMs: 50 });
    const startedAt = performance.now();
    while (changes.length === 0 && performance.now() - startedAt < 5_000) {
      write(String(performance.now()));
      await sleep(10);
    }
    expect((changes[0] ?? Number.NaN) - startedAt).toBeLessThan(2_000);
  });

  test('that change while a change is dealt with are seen again', async () => {
    const seen: (() => void)[] = [];
    const { write } = await followed({ onChange: () => new Promise((resolve) => seen.push(resolve)) });
    write('1');
    await until('the change was seen', 5_000, () => seen.length === 1);
    write('22');
    await sleep(60);
    expect(seen).toHaveLength(1);
    seen[0]?.();
    await until('the next change was seen', 5_000, () => seen.length === 2);
    seen[1]?.();
  });

  test('that come up only while a change is dealt with, and change right after, are seen again', async () => {
    let count = 0;
    const { write } = await followed((directory) => {
      const [file, other] = [join(directory, 'file'), join(directory, 'other')];
      return {
        paths: () => (count === 0 ? [file] : [file, other]).map((path) => ({ path, kind: 'file' })),
        // As when the file is found to name another, which is read and then written.
        onChange: async () => {
          count += 1;
          if (count === 1) writeFileSync(other, 'written after it was read');
        },
      };
    });
    write('1');
    await until('the further change was seen', 5_000, () => count === 2);
    await sleep(200);
    expect(count).toBe(2);
  });

  test('are compared by what they are: a notification alone changes nothing', async () => {
    let notify: (name: string | undefined) => void = () => undefined;
    const { changes, follower } = await followed({
      watchDirectory: (_directory, onChange) => {
        notify = onChange;
        return () => undefined;
      },
    });
    for (const name of ['file', 'other', undefined]) notify(name);
    await sleep(60);
    await follower.look();
    expect(changes).toEqual([]);
  });
});
