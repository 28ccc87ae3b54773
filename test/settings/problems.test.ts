import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Config, formatProblem } from '../../src/index.ts';
import { createPlace, GEMINI, mistakesIn, OWN, placesOf, rowsOf, trusting, USER } from './support.ts';

const tenMistakes = `{
  // Each line below has one mistake.
  "hooks": {
    "BeforeTol": [],
    "AfterTool": "nothing",
    "BeforeTool": [
      { "machter": "x", "hooks": [] },
      { "matcher": 7, "hooks": [{ "command": "a" }] },
      { "hooks": [
        { "type": "comand", "command": "b" },
        { "command": "" },
        { "command": "c", "timeout": "soon" },
        { "command": "d", "comand": "e" }
      ] },
      "not a definition"
    ]
  },
  "hookConfig": {}
}
`;

test('R317 F40 ten mistakes in a file are ten problems, each with its line and column', async () => {
  const { write, load } = createPlace();
  write(OWN, tenMistakes);
  const problems = mistakesIn((await load()).problems);
  expect(placesOf(problems)).toEqual([
    '4:5 hooks.BeforeTol',
    '5:5 hooks.AfterTool',
    '7:9 hooks.BeforeTool[0].machter',
    '8:9 hooks.BeforeTool[1].matcher',
    '10:11 hooks.BeforeTool[2].hooks[0].type',
    '11:11 hooks.BeforeTool[2].hooks[1].command',
    '12:27 hooks.BeforeTool[2].hooks[2].timeout',
    '13:27 hooks.BeforeTool[2].hooks[3].comand',
    '15:7 hooks.BeforeTool[3]',
    '18:3 hookConfig',
  ]);
  expect(problems.map(({ hint }) => hint)).toMatchObject({ 0: /BeforeTool/, 2: 'did you mean "matcher"?' });
});

test('a file is offered the types that a file can use, and the event that others call so', async () => {
  const { write, load } = createPlace();
  write(
    OWN,
    JSON.stringify({ hooks: { PreToolUse: [], BeforeTool: [{ hooks: [{ type: 'comand', command: 'a' }] }] } }),
  );
  const messages = mistakesIn((await load()).problems).map(({ message }) => message);
  expect(messages).toEqual([
    'hooks.PreToolUse is not an event; other agents use that name for BeforeTool',
    expect.stringMatching(/type must be one of command, worker, http, rule, prompt, mcp, found "comand"/),
  ]);
});

test('the good entry beside them runs, and every other one says why it does not', async () => {
  const { write, load } = createPlace();
  write(OWN, tenMistakes);
  const { config } = await load({ deps: trusting });
  expect(await rowsOf(config)).toEqual([
    'project unnamed entry ("nothing"): invalid-config',
    'project a: invalid-config',
    'project b: invalid-config',
    'project : invalid-config',
    'project c: invalid-config',
    'project d:',
    'project unnamed entry ("not a definition"): invalid-config',
  ]);
});

test('F40 the same hook twice has two ids, and the second row says of which it is the double', async () => {
  const { write, load } = createPlace();
  write(OWN, { hooks: { BeforeTool: [{ hooks: [{ command: 'a' }, { command: 'a' }] }] } });
  const { config } = await load({ deps: trusting });
  const [first, second] = (await config.getHookSystem()?.explain()) ?? [];
  expect(second).toMatchObject({ planned: 'skip', reason: 'duplicate', source: { line: 9 } });
  expect(second?.hookId).toBe(`${first?.hookId}~2`);
  expect(second?.hint).toContain(first?.hookId);
});

describe('a problem as people read it', () => {
  test('says file, line, column, the path, what was expected, what was found and what to write', async () => {
    const { write, load, project } = createPlace();
    const text = `{
  "hooksConfig": { "enabled": true },
  "hooks": {
    "BeforeTool": [
      {
        "hooks": [
          { "name": "x", "timeout": "30s", "command": "x" }
        ]
      }
    ]
  }
}`;
    write(GEMINI, text);
    const { problems } = await load();
    expect(problems.map((problem) => formatProblem(problem, project))).toEqual([
      '.gemini/settings.json:7:26 hooks.BeforeTool[0].hooks[0].timeout must be milliseconds, found "30s"; write 30000',
    ]);
  });

  const problem = { severity: 'warning', skipped: true, path: 'hooks', source: 'user', message: 'm' } as const;
  test.each([
    [{ ...problem, file: '/a/b/c.json', line: 1, column: 2 }, '/a', 'b/c.json:1:2 m'],
    [{ ...problem, file: '/a/b/c.json', line: 1, column: 2 }, '/a/', '/a/b/c.json:1:2 m'],
    [{ ...problem, file: '/ab/c.json' }, '/a', '/ab/c.json m'],
    [{ ...problem, file: '/a' }, '/a', '/a m'],
    [problem, '/a', 'm'],
    [{ ...problem, hint: 'write n' }, undefined, 'm; write n'],
    [{ ...problem, message: 'm; write n', hint: 'write n' }, undefined, 'm; write n'],
    [{ ...problem, message: 'a \u001b[31mred\u001b[0m\u202e word' }, undefined, 'a \ufffd[31mred\ufffd[0m\ufffd word'],
  ])('R1860 %j below %s is %s', (given, base, text) => {
    expect(formatProblem(given, base)).toBe(text);
  });

  test('is what the logger hears', async () => {
    const { write, load } = createPlace();
    write(OWN, '{"hooks": {"BeforeTol": []}}');
    const warn: string[] = [];
    const { config } = await load({ deps: { logger: { warn: (line) => warn.push(line) } } });
    expect(config.getHookSystem()).toBeUndefined();
    write(USER, '{"hooks": {"BeforeTool": [{"hooks": [{"command": "a"}]}]}}');
    await config.reload();
    await config.getHookSystem()?.initialize();
    expect(warn).toEqual([
      '[hookwright:registry] project hooks: .hookwright/settings.json:1:12 hooks.BeforeTol is not an event; did you mean "BeforeTool"?',
    ]);
  });
});

test('R1864 a short timeout with a unit is what was meant; without one it is a problem', async () => {
  const { write, load } = createPlace();
  const problemsOf = async (timeout: unknown) => {
    write(OWN, { hooks: { BeforeTool: [{ hooks: [{ command: 'a', timeout }] }] } });
    return mistakesIn((await load()).problems).map(({ hint }) => hint);
  };
  expect(await problemsOf('500ms')).toEqual([]);
  expect(await problemsOf(500)).toEqual(['timeouts are milliseconds; for seconds write 500000']);
});

describe('two files of one scope', () => {
  const broken = (name: string) => `{ "hooksConfig": { "enabled": true }, "hooks": { "BeforeTool": [
  { "hooks": [{ "name": "${name}", "command": "${name}" },
              { "command": 7 }] }
] } }`;

  test('give paths and positions of their own, and their hooks in order', async () => {
    const { write, load } = createPlace();
    const [own, gemini] = [write(OWN, broken('ours')), write(GEMINI, broken('theirs'))];
    const { config, problems } = await load({ deps: trusting });
    expect(problems.map(({ file, line, column, path }) => ({ file, line, column, path }))).toEqual([
      { file: own, line: 3, column: 17, path: 'hooks.BeforeTool[0].hooks[1].command' },
      { file: gemini, line: 3, column: 17, path: 'hooks.BeforeTool[0].hooks[1].command' },
    ]);
    const system = config.getHookSystem();
    await system?.initialize();
    expect(system?.getProblems()).toEqual(problems);
    const rows = await system?.explain('BeforeTool');
    expect(rows?.map(({ name, source }) => ({ name, source }))).toMatchObject([
      { name: 'ours', source: { kind: 'project', file: own, line: 2 } },
      { source: { file: own, line: 3 } },
      { name: 'theirs', source: { kind: 'project', file: gemini, line: 2 } },
      { source: { file: gemini, line: 3 } },
    ]);
    expect(config.getHooks()?.BeforeTool).toHaveLength(2);
  });

  test('keep their positions and their trust when a host puts their hooks into an object of its own', async () => {
    const { write, load } = createPlace();
    const own = write(OWN, broken('ours'));
    const { config } = await load();
    const copy = new Config({ enableHooks: true, hooks: { ...config.getHooks(), AfterTool: [] } });
    const rows = await copy.getHookSystem()?.explain('BeforeTool');
    expect(rows?.[0]).toMatchObject({ name: 'ours', reason: 'untrusted', source: { file: own, line: 2 } });
  });
});

test('F46 __proto__ as an event, a hook, a member or a variable changes no prototype', async () => {
  const { write, load } = createPlace();
  write(
    OWN,
    `{ "__proto__": { "polluted": true },
       "hooks": { "__proto__": [{ "hooks": [{ "command": "a", "__proto__": { "polluted": true } }] }],
                  "BeforeTool": [{ "__proto__": {}, "hooks": [{ "name": "__proto__", "command": "b", "env": { "__proto__": "c" } }] }] } }`,
  );
  const { config, problems } = await load({ deps: trusting });
  expect(await rowsOf(config)).toEqual(['project a: unknown-event', 'project __proto__:']);
  expect(placesOf(problems)).toEqual(['1:3 __proto__', '2:19 hooks.__proto__', '3:36 hooks.BeforeTool[0].__proto__']);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

describe('F16 timeouts', () => {
  const timeoutOf = async (path: string, timeout: string): Promise<unknown> => {
    const { write, load } = createPlace();
    write(
      path,
      `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [{"command": "a", "timeout": ${timeout}}]}]}}`,
    );
    const { config, problems } = await load({ deps: trusting });
    await config.getHookSystem()?.initialize();
    const [entry] = config.getHookSystem()?.getAllHooks() ?? [];
    return entry?.config.timeout ?? problems[0]?.hint ?? problems[0]?.message;
  };

  test.each([
    ['5000', 5000],
    ['"500ms"', 500],
    ['"5s"', 5000],
    ['"1.5 s"', 1500],
    ['"2m"', 120_000],
    ['"1h"', 3_600_000],
    ['0', 60_000],
    ['-1', 60_000],
    ['1e999', 2_147_483_647],
    ['"30"', 'write 30000'],
    ['"soon"', 'write a number of milliseconds, such as 5000'],
    ['true', 'write a number of milliseconds, such as 5000'],
  ])('of %s in a file of ours are %j', async (written, read) => {
    expect(await timeoutOf(OWN, written)).toBe(read);
  });

  test('with a unit are an extension of ours', async () => {
    expect(await timeoutOf(GEMINI, '"5s"')).toBe('write 5000');
  });
});

test('whatever bytes a settings file consists of, loading resolves', { timeout: 60_000 }, async () => {
  const { write, load } = createPlace();
  const files = [OWN, GEMINI, 'home/.hookwright/extensions/x/hooks/hooks.json'].map((path) => write(path, '{}'));
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"hooks"',
    '"BeforeTool"',
    '"command"',
    '"',
    '//',
    '/*',
    '\\',
    '1',
    'null',
    '\n',
    '\u0000',
    '\ufeff',
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(pieces, { maxLength: 40 }).map((parts) => Buffer.from(parts.join(''))),
    fc
      .json()
      .map((json) => Buffer.from(`{"hooks": ${json}, "hooksConfig": ${json}, "tools": ${json}, "allowEnv": ${json}}`)),
    fc
      .json()
      .map((json) =>
        Buffer.from(
          `{"hooks": {"BeforeTool": [{"hooks": [${json}, {"command": ${json}, "env": ${json}, "args": ${json}}]}]}}`,
        ),
      ),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (content) => {
      for (const file of files) writeFileSync(file, content);
      const { config, problems } = await load({ deps: trusting });
      const system = config.getHookSystem();
      await system?.explain();
      for (const problem of problems) expect(formatProblem(problem)).toMatch(/(?:settings|hooks)\.json/);
    }),
    { numRuns: 300 },
  );
});

test.each([
  [{}, { matcher: 'Bash' }, 'write it into a group, beside its "hooks"'],
  [{}, { sequential: true }, 'write it into a group, beside its "hooks"'],
  [{ onFault: 'deny' }, {}, 'write it into each hook'],
  [{ if: 'Bash(git *)' }, {}, 'write it into each hook'],
  [{}, { failClosed: true }, 'did you mean "onFault"?'],
])('R2031 %j of a group and %j of its hook: the fix names the right place or field', async (group, hook, hint) => {
  const { write, load } = createPlace();
  write(USER, { hooks: { BeforeTool: [{ ...group, hooks: [{ command: 'true', ...hook }] }] } });
  expect((await load()).problems).toMatchObject([{ code: 'unknown-key', hint }]);
});

test.each(['/Bash/', '{Bash,Write}', '"Bash"'])('R2027 the matcher %j of a guard is a problem', async (matcher) => {
  const { write, load } = createPlace();
  write(USER, { hooks: { BeforeTool: [{ matcher, hooks: [{ command: 'true', onFault: 'deny' }] }] } });
  expect((await load()).problems).toMatchObject([{ code: 'invalid-matcher' }]);
});
