import { describe, expect, test } from 'vitest';
import { InterpretedHook } from '../../src/agents/agent-hook.ts';
import { convertHooks, createTarget, hookwrightTarget } from '../../src/agents/convert.ts';
import { type Dialect, dialectNamed, dialects, readDialectFile } from '../../src/agents/index.ts';
import { compileMatcher, matchRegex } from '../../src/planner/index.ts';

const named = (name: string): Dialect => {
  const dialect = dialectNamed(name);
  if (dialect === undefined) throw new Error(name);
  return dialect;
};

const read = (dialect: Dialect, settings: unknown) =>
  readDialectFile(dialect, {
    path: '/p/settings.json',
    scope: 'project',
    form: 'settings',
    text: JSON.stringify(settings),
  });

const converted = (from: string, to: string | undefined, settings: unknown) => {
  const { entries } = read(named(from), settings);
  return convertHooks(entries, named(from), to === undefined ? hookwrightTarget : createTarget(named(to)));
};

const claude = (event: string, matcher: string, command = './x.sh'): Record<string, unknown> => ({
  hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command }] }] },
});

const toolEventOf = (dialect: Dialect): string => {
  const [found] = Object.entries(dialect.events(dialect.latest)).find(
    ([, { moment, kinds }]) => moment === 'BeforeTool' && kinds === undefined,
  ) ?? [''];
  return found;
};

/** A guard of a dialect for one tool, as its users write it. */
const guardOf = (dialect: Dialect, tool: string): Record<string, unknown> => {
  const { writes, forms } = dialect;
  const handler = { ...(writes.type === true ? { type: 'command' } : {}), [writes.line]: './guard.sh' };
  const isGrouped = forms.settings?.nesting === 'groups' || writes.grouped !== undefined;
  const entry = isGrouped ? { matcher: tool, hooks: [handler] } : { matcher: tool, ...handler };
  const below = writes.name === undefined ? 'hooks' : 'mine';
  return { ...writes.root, [below]: { [toolEventOf(dialect)]: [entry] } };
};

const firstName = ({ tools }: Dialect, kind: string): string | undefined =>
  tools.tools.find((tool) => tool.kind === kind)?.names[0];

const pairs = dialects.flatMap((from) =>
  dialects.filter((to) => to !== from).map((to) => [from.name, to.name] as const),
);

describe('a guard of one tool', () => {
  test.each(pairs)('R887 of %s is, for %s, a guard of the tool that does the same', (from, to) => {
    const [source, target] = [named(from), named(to)];
    for (const kind of ['shell', 'read']) {
      const [name, theirs] = [firstName(source, kind), firstName(target, kind)];
      const other = firstName(target, kind === 'shell' ? 'search' : 'shell');
      if (name === undefined || source.matcher(source.latest).otherwise === 'ignored') continue;
      const { settings, losses, count } = converted(from, to, guardOf(source, name));
      if (theirs === undefined) {
        expect(losses.map((loss) => loss.kind)).toContain('left-out');
        continue;
      }
      expect(count).toBe(1);
      const { entries, problems } = read(target, settings);
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      const [entry] = entries;
      if (entry?.rule === undefined) throw new Error('nothing was written');
      const hook = new InterpretedHook(target, entry, entry.rule, {
        mode: 'faithful',
        version: target.latest,
        projectDir: '/p',
      });
      expect(hook.matches({ toolName: theirs })).toBe(true);
      if (target.matcher(target.latest).otherwise === 'ignored')
        expect(losses[0]?.message).toContain('ignores matchers');
      else if (other !== undefined) expect(hook.matches({ toolName: other })).toBe(false);
    }
  });
});

test('R887 an event of one kind of tool is for the tools of that kind, and says what its matcher was about', () => {
  const settings = { version: 1, hooks: { beforeShellExecution: [{ command: './guard.sh', matcher: 'rm|curl' }] } };
  const own = converted('cursor', undefined, settings);
  expect(own.settings).toMatchObject({ hooks: { BeforeTool: [{ matcher: '^(?:Shell)$' }] } });
  expect(own.losses.map(({ kind }) => kind)).toEqual(['changed']);
  expect(own.losses[0]?.message).toContain('"rm|curl"');
  expect(converted('cursor', 'claude-code', settings).settings).toMatchObject({
    hooks: { PreToolUse: [{ matcher: 'Bash' }] },
  });
});

test('words of a session are those of the other side', () => {
  const { settings } = converted('claude-code', undefined, claude('SessionStart', 'startup|compact'));
  expect(settings).toMatchObject({ hooks: { SessionStart: [{ matcher: 'startup|compress' }] } });
  const matcher = compileMatcher('startup|compress', 'exact', matchRegex);
  expect(['startup', 'compress', 'resume'].map((word) => matcher.test(word))).toEqual([true, true, false]);
  expect(converted('claude-code', 'qwen-code', claude('SessionStart', 'compact')).settings).toMatchObject({
    hooks: { SessionStart: [{ matcher: 'compact' }] },
  });
});

test('a pattern is written as the tools it takes, and a tool that the other agent has not keeps the hook from coming along', () => {
  expect(converted('claude-code', 'gemini', claude('PreToolUse', '^(Bash|Write)$')).settings).toMatchObject({
    hooks: { BeforeTool: [{ matcher: '^(?:run_shell_command|write_file)$' }] },
  });
  const { count, losses } = converted('claude-code', 'codex', claude('PreToolUse', 'Read'));
  expect([count, losses.map(({ kind }) => kind)]).toEqual([0, ['left-out']]);
});

test('the line that made an agent ask us is not taken over', () => {
  const line = 'hookwright run PreToolUse --as-hook --dialect claude-code';
  expect(converted('claude-code', undefined, claude('PreToolUse', '', line)).count).toBe(0);
});
