import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPlace, OWN, type Place, USER } from '../settings/support.ts';
import { engineOnBus, groupOf, requestFor } from '../support/engine.ts';
import { loopDelayDuring, loopLimit } from '../support/loop-delay.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What a busy machine takes from us by chance it does not take every time. */
const shortLimit = { retry: 1, timeout: 30_000 };

const PROMISED_MS = 60;
/** What is read of a hook's output at most. */
const CAP = 1_048_576;

const directory = temporaryFolder('loop');

/** As many of a unit as fit under the cap, between a head and a tail. */
const filled = (unit: string, head = '', tail = ''): string =>
  `${head}${unit.repeat(Math.floor((CAP - head.length - tail.length) / unit.length))}${tail}`;

/** A list of as many elements as fit, within an answer. */
const listed = (element: string, head: string, tail: string): string =>
  filled(`${element},`, head, `${element}${tail}`);

const keys = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',');

const specific = (field: string): string => `{"hookSpecificOutput":{${field}`;

const outputs: Readonly<Record<string, string>> = {
  'F26 50 MB in one line': 'x'.repeat(50_000_000),
  'F26 16 MB of []': '[],'.repeat(5_500_000),
  'F26 a million keys': `{${keys(1_000_000)}}`,
  'F26 as many [] as fit': listed('[]', '{"a":[', ']}'),
  'F26 as many {} as fit': listed('{}', '{"a":[', ']}'),
  'F26 as many keys as fit': `{${keys(85_000)}}`,
  'F26 as many arguments as are read': `${specific('"tool_input":{')}${keys(900)}}}}`,
  'F26 as many keys as are read': `${specific('"tool_input":{"a":{')}${keys(24_900)}}}}}`,
  'F26 as many numbers as fit': listed('1e308', '{"a":[', ']}'),
  'F26 as many messages as fit': listed(
    '{"role":"user","content":""}',
    specific('"llm_request":{"messages":['),
    ']}}}',
  ),
  'F26 as many wrong names as fit': listed('1', specific('"toolConfig":{"allowedFunctionNames":['), ']}}}'),
  'F26 as many documents as fit': filled('{"a":1}\n'),
  'F26 as many answers that are cut off as fit': filled('{"a'),
  'F26 as many escapes as fit': filled('\\u0061', '{"reason":"', '"}'),
  'F26 as many terminal codes as fit': filled('\x1b['),
  'F26 a number of a megabyte': filled('9', '{"a":', '}'),
  'F26 brackets that open': filled('['),
  'F26 brackets that open after text': filled('[', 'x'),
  'F26 braces after text': filled('{', 'x'),
  'F26 small objects after text': filled('{x}', 'x'),
  'F26 broken answers after text': filled('{"a"}', 'x'),
  'F26 whole answers after text': filled('{}', 'x'),
  'F26 lines of quotes after text': filled('{"\n', 'x'),
  'F26 a long text of quotes and braces': filled('\\"{', '{"reason":"', '"}'),
  'F66 titles without end': filled('\u001b]0;'),
  'F66 a code without end': filled(';1', '\u001b['),
  'F66 coloured text': filled('\u001b[1;2m'),
  'F27 a hundred thousand levels': '{"a":'.repeat(100_000),
  'F27 as many lists of ninety levels as fit': listed('['.repeat(90) + ']'.repeat(90), '{"a":[', ']}'),
};

describe.skipIf(process.platform === 'win32')('P7 the output of a hook', () => {
  const delayOf = async (output: string): Promise<number> => {
    writeFileSync(join(directory, 'output'), output);
    const { system, ask, answerTo } = engineOnBus({
      hooks: { BeforeTool: groupOf({ type: 'command', command: 'cat output' }) },
      host: { getWorkingDir: () => directory },
    });
    await system.initialize();
    return loopDelayDuring(async () => {
      ask(requestFor('a'));
      await answerTo('a', 10_000);
    });
  };

  test.each(Object.entries(outputs))(
    '%s holds the event loop no longer than 60 ms',
    shortLimit,
    async (_what, output) => {
      const limit = loopLimit(PROMISED_MS);
      expect(await delayOf(output)).toBeLessThanOrEqual(limit);
    },
  );
});

const hooks = (count: number, hook: (index: number) => string): string =>
  `{"hooks":{"BeforeTool":[{"hooks":[${Array.from({ length: count }, (_, index) => hook(index)).join(',')}]}]}}`;

const text = (length: number): string => 'x'.repeat(length);

const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const settings: Readonly<Record<string, string>> = {
  'F42 more than a megabyte of settings': hooks(1, () => `{"command":"${text(CAP)}"}`),
  'F42 500 hooks': hooks(500, (index) => `{"name":"hook-${index}","command":"${text(1_900)}"}`),
  'F42 500 hooks with mistakes': hooks(
    500,
    (index) => `{"name":"hook-${index}","comand":"${text(1_000)}","tiemout":1,"on":2}`,
  ),
  'F42 commands of a megabyte': hooks(1, () => `{"command":"${'$X '.repeat(300_000)}"}`),
  'F43 nothing but brackets': filled('['),
  'F43 nothing but opened objects': filled('{"a":'),
  'F43 as many hooks as fit': listed('{"command":"x"}', '{"hooks":{"BeforeTool":[{"hooks":[', ']}]}}'),
  'F43 as many keys as fit': `{${keys(85_000)}}`,
  'F43 as many events as fit': `{"hooks":{${keys(85_000)}}}`,
  'F43 the same key as often as fits': listed('"hooks":1', '{', '}'),
  'F43 nothing but comments': filled('/**/', '{', '}'),
  'F43 nothing but lines': filled('\n'),
  'F43 nothing but garbage': filled('@'),
  'thousands of names beside hundreds of similar ones': JSON.stringify({
    hooksConfig: { disabled: numbered(4_000, (index) => `similar-name-of-a-hook-${index}`) },
    hooks: {
      BeforeTool: [{ hooks: numbered(480, (index) => ({ name: `similar-name-of-hooks-${index}`, command: 'x' })) }],
    },
  }),
  'thousands of keys nobody knows': JSON.stringify(
    Object.fromEntries(numbered(9_000, (index) => [`hooksConfi${index}`, 1])),
  ),
  'thousands of events nobody knows': JSON.stringify({
    hooks: Object.fromEntries(numbered(4_000, (index) => [`BeforeToo${index}`, []])),
  }),
  'thousands of keys in entries': JSON.stringify({
    hooks: {
      BeforeTool: numbered(450, () => ({
        hooks: [{ command: 'x', ...Object.fromEntries(numbered(18, (index) => [`comman${index}`, 1])) }],
      })),
    },
  }),
  'thousands of groups that are none': JSON.stringify({ hooks: { BeforeTool: numbered(9_000, () => 1) } }),
  'thousands of groups without hooks': JSON.stringify({ hooks: { BeforeTool: numbered(4_000, () => ({ hooks: 1 })) } }),
  'thousands of budgets of events nobody knows': JSON.stringify({
    budgetMs: Object.fromEntries(numbered(9_000, (index) => [`BeforeToo${index}`, 1])),
  }),
  'thousands of variables that are refused': JSON.stringify({
    hooks: {
      BeforeTool: [
        { hooks: [{ command: 'x', env: Object.fromEntries(numbered(4_000, (index) => [`NODE_${index}`, 'x'])) }] },
      ],
    },
  }),
  'a hundred env -S in each of hundreds of lines': JSON.stringify({
    hooks: { BeforeTool: [{ hooks: numbered(480, () => ({ command: `${"env -S '".repeat(100)}./x` })) }] },
  }),
};

describe.skipIf(process.platform === 'win32')('P7 a settings file', () => {
  /** As an agent does at its start. */
  const delayOf = async ({ load }: Place): Promise<number> =>
    loopDelayDuring(async () => {
      const { config } = await load();
      await config.getHookSystem()?.initialize();
    });

  const warmUp = async (): Promise<void> => {
    const place = createPlace();
    place.write(
      OWN,
      hooks(1, () => '{"command":"true"}'),
    );
    await delayOf(place);
  };

  test.each(Object.entries(settings))(
    '%s hold the event loop no longer than 60 ms',
    shortLimit,
    async (_what, content) => {
      await warmUp();
      const limit = loopLimit(PROMISED_MS);
      const place = createPlace();
      place.write(OWN, content);
      expect(await delayOf(place)).toBeLessThanOrEqual(limit);
    },
  );

  test.each<[what: string, make: (file: string) => void]>([
    ['a named pipe', (file) => execFileSync('mkfifo', [file])],
    ['a device without an end', (file) => symlinkSync('/dev/zero', file)],
    ['a directory', (file) => mkdirSync(file)],
    [
      'two gigabytes',
      (file) => {
        writeFileSync(file, '');
        truncateSync(file, 2 ** 31);
      },
    ],
  ])('F42 %s in its place holds the event loop no longer than 60 ms', shortLimit, async (_what, make) => {
    await warmUp();
    const limit = loopLimit(PROMISED_MS);
    const place = createPlace();
    for (const name of [OWN, USER]) {
      mkdirSync(dirname(join(place.root, name)));
      make(join(place.root, name));
    }
    expect(await delayOf(place)).toBeLessThanOrEqual(limit);
  });
});

test('what does hold it is seen', shortLimit, async () => {
  const delay = await loopDelayDuring(async () => {
    const before = process.cpuUsage();
    while (process.cpuUsage(before).user < 150_000);
  });
  expect(delay).toBeGreaterThan(2 * PROMISED_MS);
});
