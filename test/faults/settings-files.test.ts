// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how variables are written in settings
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { beforeTool, createPlace, OWN, type Place, rowsOf, trusting, USER } from '../settings/support.ts';
import { loopDelayDuring } from '../support/loop-delay.ts';
import { atMost } from '../support/processes.ts';

const isPosix = process.platform !== 'win32';

describe.skipIf(!isPosix)('F42 something that is no file', () => {
  const obstacles: [title: string, make: (path: string, place: Place) => void, message: string][] = [
    ['a named pipe', (path) => execFileSync('mkfifo', [path]), 'is not a regular file'],
    ['a link to an endless device', (path) => symlinkSync('/dev/zero', path), 'is not a regular file'],
    ['a link to a terminal', (path) => symlinkSync('/dev/tty', path), ''],
    ['a directory', (path) => mkdirSync(path), 'is a directory; a file is expected here'],
    [
      'a file of 2 GB',
      (path) => {
        writeFileSync(path, '');
        truncateSync(path, 2 ** 31);
      },
      'has 2147483648 bytes; at most 1048576 are read',
    ],
    ['F44 a link that leads to itself', (path) => symlinkSync(path, path), 'is a symbolic link to itself'],
    ['a link that leads nowhere', (path) => symlinkSync(`${path}.gone`, path), 'leads nowhere'],
  ];

  test.each(obstacles)('%s is a problem at once, and nothing hangs', async (_title, make, message) => {
    const place = createPlace();
    const path = join(place.root, OWN);
    mkdirSync(dirname(path));
    make(path, place);
    place.write(USER, { hooks: beforeTool('user') });
    const startedAt = performance.now();
    const { config, problems } = await place.load();
    const took = performance.now() - startedAt;
    expect(problems).toMatchObject([{ file: path, severity: 'error', skipped: true }]);
    expect(problems[0]?.message).toContain(message);
    expect(problems[0]?.line).toBeUndefined();
    expect(await rowsOf(config)).toEqual(['user user:']);
    // 50 ms is what it may take; a busy machine takes longer for everything.
    expect(took).toBeLessThan(atMost(500));
  });

  test('four pipes at once hold up no other file', async () => {
    const { root, load, write } = createPlace();
    for (const path of [OWN, 'project/.gemini/settings.json', USER, 'home/.gemini/settings.json']) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      execFileSync('mkfifo', [join(root, path)]);
    }
    write('home/.hookwright/extensions/x/hooks/hooks.json', { hooks: beforeTool('ext') });
    const { config, problems } = await load({ deps: trusting });
    expect(problems).toHaveLength(4);
    expect(await rowsOf(config)).toEqual(['extensions ext:']);
  });
});

test('P7 a project with more extensions than anybody has does not hold up the agent', async () => {
  const { write, load } = createPlace();
  const names = Array.from({ length: 200 }, (_, index) => `x${index}`);
  const hooks = Array.from({ length: 500 }, (_, index) => ({ name: `h${index}`, command: `./h${index}.sh` }));
  for (const name of names) {
    write(`project/.hookwright/extensions/${name}/hooks/hooks.json`, { hooks: { BeforeTool: [{ hooks }] } });
  }
  let count = 0;
  const delay = await loopDelayDuring(async () => {
    const { config } = await load();
    count = (await rowsOf(config)).length;
  });
  expect(count).toBe(20 * 500);
  // Far more than what it takes, and far less than it took when all were read in one go.
  expect(delay).toBeLessThan(atMost(1_000));
}, 60_000);

describe('F43 a file that is made to hold up the agent', () => {
  const many = (count: number, member: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => member(index)).join();
  const hooks = (entries: string): string => `{"hooks": {"BeforeTool": [{"hooks": [${entries}]}]}}`;

  test.each<[title: string, text: string]>([
    ['half a million lines of something else', `{${'x\n'.repeat(500_000)}`],
    ['half a million words on one line', `{${'x '.repeat(500_000)}`],
    ['quotes only', `{${'"\n'.repeat(500_000)}`],
    ['thousands of unknown keys', `{${many(9_900, (index) => `"key${index}": 1`)}}`],
    ['thousands of unknown events', `{"hooks": {${many(4_900, (index) => `"BeforeTol${index}": []`)}}}`],
    ['thousands of unknown keys of one hook', hooks(`{${many(9_900, (index) => `"comand${index}": 1`)}}`)],
    ['thousands of entries that are no hooks', hooks(many(9_900, () => '7'))],
    ['the same key thousands of times', `{"hooks": {${many(4_900, () => '"BeforeTool": []')}}}`],
    ['one enormous command', hooks(`{"command": "${'a'.repeat(1_000_000)}"}`)],
    ['references that never end', hooks(`{"command": "a", "args": ["${'${A:-'.repeat(170_000)}"]}`)],
  ])('%s', async (_title, text) => {
    const { write, load } = createPlace();
    write(OWN, text);
    write(USER, { hooks: beforeTool('user') });
    const startedAt = performance.now();
    const { config } = await load({ deps: trusting });
    // Some hundredths of a second in peace.
    expect(performance.now() - startedAt).toBeLessThan(atMost(1_500));
    expect(await rowsOf(config)).toContain('user user:');
  });

  const nested = '['.repeat(5_000);
  test.each<[title: string, text: string, message: string]>([
    ['5000 nested brackets', nested, 'the file nests deeper than 100 levels'],
    ['100 000 nested objects', '{"a":'.repeat(100_000), 'the file nests deeper than 100 levels'],
    ['half a million values', `{"a": [${'1,'.repeat(500_000)}1]}`, 'the file has more than 10000 values'],
  ])('%s are refused without a parse', async (_title, text, message) => {
    const { write, load } = createPlace();
    write(OWN, text);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const { problems } = await load();
    delay.disable();
    expect(problems).toMatchObject([{ message, severity: 'error', line: 1 }]);
    // 60 ms is the promise, measured in peace.
    expect(delay.max / 1e6).toBeLessThan(atMost(500));
  });

  test('brackets in texts and comments count for nothing', async () => {
    const { write, load } = createPlace();
    write(OWN, `{ /* ${nested} */ // ${nested}\n "$schema": "${nested}\\"${nested}" }`);
    expect((await load()).problems).toEqual([]);
  });

  test('of more than 500 hooks in a file the rest is left out, and the problem counts them', async () => {
    const { write, load } = createPlace();
    const names = Array.from({ length: 501 }, (_, index) => `h${index}`);
    write(OWN, { hooks: { ...beforeTool(...names), AfterTool: [{ hooks: [{ command: 'later' }] }] } });
    const { config, problems } = await load({ deps: trusting });
    expect(problems).toMatchObject([
      { severity: 'error', path: 'hooks', line: 2, message: expect.stringContaining('502 hooks; at most 500') },
    ]);
    expect(await rowsOf(config)).toHaveLength(500);
  });
});

test('settings with 500 hooks are loaded in less than 50 ms on a quiet machine', async () => {
  const { write, load } = createPlace();
  const hook = (index: number) => ({ name: `h${index}`, command: `./hooks/h${index}.sh --flag`, timeout: 5_000 });
  const groups = Array.from({ length: 50 }, (_, group) => ({
    matcher: `tool_${group}`,
    hooks: Array.from({ length: 10 }, (_, index) => hook(group * 10 + index)),
  }));
  write(OWN, { hooks: { BeforeTool: groups } });
  const times: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    const startedAt = performance.now();
    const { problems } = await load({ deps: trusting });
    times.push(performance.now() - startedAt);
    expect(problems).toEqual([]);
  }
  expect(Math.min(...times)).toBeLessThan(atMost(150));
});
