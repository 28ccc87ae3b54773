import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Dialect, dialectNamed, dialects, readDialectFile } from '../../src/agents/index.ts';
import { type ConfigProblem, loadConfig } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const made: string[] = [];
afterEach(() => {
  for (const root of made.splice(0)) rmSync(root, { recursive: true, force: true });
});

const problemsOf = async (dialect: Dialect, text: string): Promise<readonly ConfigProblem[]> => {
  const root = temporaryFolder('broken');
  made.push(root);
  const file = join(root, 'project', dialect.writes.path.replace('{project}/', ''));
  mkdirSync(dirname(file), { recursive: true });
  mkdirSync(join(root, 'project', '.git'));
  writeFileSync(file, text);
  const place = { cwd: join(root, 'project'), home: join(root, 'home') };
  return (await loadConfig({ ...place, dialects: { [dialect.name]: true } })).problems;
};

/** An event of a dialect that has tools, and a file with one list of it, its line being the last but the closing ones. */
const fileOf = (dialect: Dialect, list: string, event?: string): string => {
  const found = Object.entries(dialect.events(dialect.latest)).find(([, { moment }]) => moment === 'BeforeTool');
  const name = event ?? found?.[0] ?? '';
  const root = Object.entries(dialect.writes.root ?? {}).map(
    ([key, value]) => `  "${key}": ${JSON.stringify(value)},\n`,
  );
  const below = dialect.writes.name ?? 'hooks';
  return `{\n${root.join('')}  "${below}": {\n    "${name}":\n${list}\n  }\n}\n`;
};

const lineOf = (dialect: Dialect): number => 4 + Object.keys(dialect.writes.root ?? {}).length;

const entry = (dialect: Dialect, handler: string, matcher = ''): string => {
  const nests = dialect.forms.settings?.nesting === 'groups' || dialect.name === 'antigravity';
  return nests ? `[{${matcher}"hooks": [${handler}]}]` : `[{${matcher}${handler.slice(1)}]`;
};

interface Broken {
  readonly what: string;
  readonly list: (dialect: Dialect) => string;
  readonly event?: string;
  /** Line behind the one of the event. */
  readonly line?: number;
}

const broken: readonly Broken[] = [
  { what: 'a comma is missing', list: () => '[{"a": 1} {"b": 2}]' },
  { what: 'there is no list', list: () => '{"command": "x"}' },
  { what: 'an entry is a text', list: () => '["./guard.sh"]' },
  { what: 'the type does not exist', list: (dialect) => entry(dialect, '{"type": "banana", "command": "./x.sh"}') },
  { what: 'there is no command', list: (dialect) => entry(dialect, '{"type": "command"}') },
  { what: 'the command is a number', list: (dialect) => entry(dialect, '{"type": "command", "command": 7}') },
  {
    what: 'the event is misspelt',
    list: (dialect) => entry(dialect, '{"type": "command", "command": "./x.sh"}'),
    event: 'PreToolUze',
  },
  {
    what: 'the matcher is a list',
    list: (dialect) => entry(dialect, '{"type": "command", "command": "./x.sh"}', '"matcher": ["Bash"], '),
  },
];

const cases = dialects.flatMap((dialect) => broken.map((one) => [dialect.name, one.what, dialect, one] as const));

describe('R869 a file of another agent that is broken', () => {
  test.each(cases)(
    '%s: %s is a problem with line, what was found, and what to do',
    async (_name, _what, dialect, one) => {
      const problems = await problemsOf(dialect, fileOf(dialect, one.list(dialect), one.event));
      const [problem] = problems;
      expect(problem).toMatchObject({
        file: expect.stringContaining('project'),
        line: expect.any(Number),
        column: expect.any(Number),
        hint: expect.stringMatching(/\S{3}/),
      });
      const distance = Math.abs((problem?.line ?? 0) - lineOf(dialect));
      expect(distance, `line ${problem?.line} of ${problem?.message}`).toBeLessThanOrEqual(1);
      expect(problem?.message).toMatch(/found|"|no (?:list|command)/);
    },
  );

  test.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
    '%s: one that is empty, cut off or no object is told, and nothing of it runs',
    async (_name, dialect) => {
      for (const text of ['', '[]', '"x"', '{"hooks": {', '{"hooks": []}']) {
        const problems = await problemsOf(dialect, text);
        const [problem] = problems;
        if (text === '{"hooks": []}' && dialect.writes.name !== undefined && problem === undefined) continue;
        expect([text, problem]).toEqual([text, expect.objectContaining({ line: 1, hint: expect.any(String) })]);
      }
    },
  );

  test.each(dialects.filter(({ forms }) => forms.settings?.syntax === 'json').map(({ name }, index) => [name, index]))(
    '%s: a comment is told where the agent takes none',
    async (name) => {
      const dialect = dialects.find((one) => one.name === name);
      if (dialect === undefined) throw new Error('unreachable');
      const [problem] = await problemsOf(dialect, `{\n  // mine\n  "hooks": {}\n}\n`);
      expect(problem).toMatchObject({
        line: 2,
        hint: 'remove the comment',
        message: expect.stringContaining('// mine'),
      });
    },
  );

  test('patterns that cannot be read are told, whatever their agent makes of them', async () => {
    for (const dialect of dialects.filter(({ name }) => name !== 'vscode')) {
      const handler = '{"type": "command", "command": "./x.sh"}';
      const problems = await problemsOf(dialect, fileOf(dialect, entry(dialect, handler, '"matcher": "(Bash", ')));
      const told = problems.filter(({ message }) => message.includes('"(Bash" is no valid pattern'));
      expect([dialect.name, told[0]?.hint]).toEqual([
        dialect.name,
        expect.stringMatching(/^write a valid regular expression/),
      ]);
    }
  });
});

describe('matchers that its agent takes without a word', () => {
  const problemsOf = (name: string, settings: unknown, version?: string) => {
    const dialect = dialectNamed(name);
    if (dialect === undefined) throw new Error(`no dialect ${name}`);
    const text = JSON.stringify(settings, null, 2);
    const file = { path: '/p/settings.json', scope: 'project', form: 'settings', text } as const;
    return readDialectFile(dialect, file, version === undefined ? {} : { version }).problems;
  };
  const grouped = (event: string, matcher: string) => ({
    hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command: 'x' }] }] },
  });
  const flat = (event: string, matcher: string) => ({ version: 1, hooks: { [event]: [{ command: 'x', matcher }] } });

  test.each([
    [
      'cursor',
      flat('preToolUse', 'Bash'),
      undefined,
      '"Bash" is what Claude Code calls a tool; Cursor calls it "Shell"',
      'write "Shell"',
    ],
    [
      'qwen-code',
      grouped('PreToolUse', 'Bash'),
      '0.22',
      'Qwen Code calls it "run_shell_command"',
      'write "run_shell_command"',
    ],
    ['codex', grouped('PreToolUse', 'Read'), undefined, 'Codex has no such tool', 'put the hook where it can run'],
    ['copilot', flat('preToolUse', 'Bash'), undefined, 'Copilot CLI calls it "bash"', 'write "bash"'],
    ['claude-code', grouped('Stop', 'foo'), undefined, 'Claude Code ignores the matcher "foo" on Stop', 'take it away'],
    ['vscode', grouped('PreToolUse', 'Edit'), undefined, 'ignores the matcher "Edit" on PreToolUse', 'take it away'],
    ['cursor', flat('stop', 'foo'), undefined, 'compared with "Stop" alone', 'take the matcher away'],
    [
      'claude-code',
      { PreToolUse: [{ hooks: [] }] },
      undefined,
      '"PreToolUse" stands at the root',
      'put it into "hooks"',
    ],
    [
      'cursor',
      { version: 1, ...grouped('preToolUse', 'Shell') },
      undefined,
      'found a group with a list "hooks"',
      'one by one',
    ],
  ] as const)('%s: %j', (name, settings, version, message, fix) => {
    const found = problemsOf(name, settings, version).filter((one) => one.message.includes(message));
    expect(found.map((one) => one.fix)).toEqual([expect.stringContaining(fix)]);
    expect(found[0]?.line).toBeGreaterThan(1);
  });

  test.each([
    ['qwen-code', grouped('PreToolUse', 'Bash'), undefined],
    ['claude-code', grouped('PreToolUse', 'Bash|Skill'), undefined],
    ['claude-code', grouped('PreToolUse', 'ExitPlanMode'), undefined],
    ['claude-code', grouped('PreToolUse', 'mcp__github__.*'), undefined],
    ['claude-code', grouped('Stop', '*'), undefined],
    ['codex', grouped('PreToolUse', 'Edit|Write'), undefined],
    ['copilot', flat('PreToolUse', 'Bash'), undefined],
    ['vscode', grouped('PreToolUse', ''), undefined],
    ['cursor', flat('beforeShellExecution', 'Bash'), undefined],
  ] as const)('nothing is wrong with %s: %j', (name, settings, version) => {
    expect(problemsOf(name, settings, version)).toEqual([]);
  });
});
