import { describe, expect, test } from 'vitest';
import { InterpretedHook } from '../../src/agents/agent-hook.ts';
import { convertHooks, hookwrightTarget } from '../../src/agents/convert.ts';
import { type Dialect, readDialectFile } from '../../src/agents/index.ts';
import { ownNow } from '../support/own-clock.ts';

type JsonObject = Record<string, unknown>;

const base = {
  session_id: 'session-1',
  transcript_path: '',
  cwd: '/home/someone/project',
  timestamp: '2026-11-18T12:00:00.000Z',
};

/** What every pack has to do, whatever its agent is like. */
export const describeDialect = (dialect: Dialect): void => {
  const version = dialect.latest;
  const rules = dialect.events(version);
  const [toolEvent] = Object.entries(rules).filter(
    ([, rule]) => rule.moment === 'BeforeTool' && rule.kinds === undefined,
  );
  if (toolEvent === undefined) throw new Error(`${dialect.name} has no event before a tool`);
  const [event, rule] = toolEvent;

  const { nesting, events: place } = dialect.forms.settings ?? { nesting: 'groups', events: { below: 'hooks' } };
  const { line, type, root = {} } = dialect.writes;
  const handler = (command: unknown, more: JsonObject = {}): JsonObject => ({
    ...(type === true ? { type: 'command' } : {}),
    [line]: command,
    ...more,
  });
  const entry = (written: JsonObject, matcher?: string): JsonObject => {
    const group = matcher === undefined ? {} : { matcher };
    return nesting === 'entries' ? { ...group, ...written } : { ...group, hooks: [written] };
  };
  /** The switch of an agent whose hooks are off unless somebody turns them on. */
  const on: JsonObject = dialect.isOff({}) === undefined ? {} : { hooksConfig: { enabled: true } };
  const fileOf = (events: JsonObject): JsonObject => ({
    ...root,
    ...on,
    ['below' in place ? place.below : 'mine']: events,
  });
  const read = (settings: unknown) =>
    readDialectFile(dialect, {
      path: '/home/someone/project/settings.json',
      scope: 'project',
      form: 'settings',
      text: typeof settings === 'string' ? settings : JSON.stringify(settings, null, 2),
    });
  const hookOf = (settings: unknown, mode: 'strict' | 'faithful' = 'strict'): InterpretedHook => {
    const [first] = read(settings).entries;
    if (first?.rule === undefined) throw new Error('there is no hook');
    return new InterpretedHook(dialect, first, first.rule, { mode, version, projectDir: base.cwd });
  };
  const shell = dialect.tools.tools.find(({ kind }) => kind === 'shell');
  if (shell === undefined) throw new Error(`${dialect.name} has no shell`);
  const [shellName = ''] = shell.names;
  const input = {
    ...base,
    hook_event_name: 'BeforeTool',
    tool_name: shellName,
    tool_input: { [shell.args?.command ?? 'command']: 'ls' },
  };

  describe(`loading ${dialect.name}`, () => {
    test('reads a hook with its place in the file', () => {
      const { entries, problems } = read(fileOf({ [event]: [entry(handler('./guard.sh'))] }));
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(entries).toMatchObject([
        { dialect: dialect.name, event, scope: 'project', handler: { type: 'command', command: './guard.sh' } },
      ]);
      expect(entries[0]?.line).toBeGreaterThan(1);
    });

    test('tells a broken file by line, and reads nothing of it', () => {
      const { entries, problems, void: isVoid } = read('{\n  "hooks": {\n');
      expect(entries).toEqual([]);
      expect(isVoid).toBeDefined();
      expect(problems).toMatchObject([{ severity: 'error', file: '/home/someone/project/settings.json' }]);
      expect(problems[0]?.line).toBeGreaterThan(1);
    });

    test('a bad entry is a problem with its line', () => {
      const { problems } = read(fileOf({ [event]: [entry(handler(7)), entry(handler('./guard.sh'))] }));
      expect(problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('must be a text') }]);
      expect(problems[0]?.line).toBeGreaterThan(1);
    });

    test('an event nobody knows hides no other', () => {
      const { entries, problems } = read(
        fileOf({ NoSuchMoment: [entry(handler('./x.sh'))], [event]: [entry(handler('./guard.sh'))] }),
      );
      expect(problems.map(({ message }) => message).join('\n')).toContain('"NoSuchMoment" is not an event');
      expect(entries.filter((one) => one.rule !== undefined && one.handler !== undefined)).toHaveLength(1);
    });

    test('a list that is none is a problem', () => {
      const { problems } = read(fileOf({ [event]: entry(handler('./guard.sh')) }));
      expect(problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('must be a list') }]);
    });

    test('every file has a form that exists', () => {
      expect(
        dialect.files.map(({ form = 'settings' }) => form).filter((form) => dialect.forms[form] === undefined),
      ).toEqual([]);
    });
  });

  describe(`a hook of ${dialect.name}`, () => {
    const plain = fileOf({ [event]: [entry(handler('./guard.sh'))] });

    test('reads the tool by the name and the arguments it has there', () => {
      const { stdin } = hookOf(plain).inputFor(input, 'call-1');
      expect(JSON.stringify(stdin)).toContain(JSON.stringify(shellName).slice(1, -1));
      expect(JSON.stringify(stdin)).toContain('ls');
    });

    test('stdin is plain JSON without members that have no value', () => {
      const { stdin } = hookOf(plain).inputFor(input, 'call-1');
      expect(JSON.parse(JSON.stringify(stdin))).toEqual(
        Object.fromEntries(Object.entries(stdin).filter(([, value]) => value !== undefined)),
      );
    });

    test('that is silent has no opinion, or is held for failed', () => {
      const hook = hookOf(plain, 'faithful');
      const { said } = hook.read({ exitCode: 0, stdout: '', stderr: '' });
      expect(said?.decision === undefined || said.decision === 'deny').toBe(true);
      expect(said?.decision).not.toBe('allow');
    });

    test('an exit code 2 with words is never lost in strict mode', () => {
      const hook = hookOf(plain);
      const answer = hook.read({ exitCode: 2, stdout: '', stderr: 'no' });
      expect(hook.translateBack(answer, hook.inputFor(input, 'call-1')).output).toMatchObject({
        decision: 'deny',
        reason: expect.stringContaining('no'),
      });
    });

    const denial = dialect.host.write({ decision: 'deny', reason: 'no' }, { event, rule, version }).stdout ?? {};
    test.each<[string, string]>([
      ['alone', JSON.stringify(denial)],
      ['behind a word', `a word\n${JSON.stringify(denial, null, 2)}`],
      ['before a word', `${JSON.stringify(denial, null, 2)}\na word`],
      ['behind another answer', `${JSON.stringify({ systemMessage: 'hm' })}${JSON.stringify(denial)}`],
      ['in a text of its own', JSON.stringify(JSON.stringify(denial))],
      ['behind a line that is cut off', `{"half":\n${JSON.stringify(denial)}`],
      ['with a field more', JSON.stringify({ ...denial, more: 1 })],
    ])('a denial %s is never lost in strict mode', (_where, stdout) => {
      for (const exitCode of [0, 1, 3, null]) {
        expect(hookOf(plain).read({ exitCode, stdout, stderr: '' }).said?.decision).toBe('deny');
      }
    });

    test.each([1, 3, 126, 127, 137])('an exit code %d is no approval', (exitCode) => {
      const { said } = hookOf(plain).read({ exitCode, stdout: '', stderr: '' });
      expect(said?.decision).not.toBe('allow');
    });

    test.each(['[', '{', '{"decision":', 'null', '0', '"text"', '[1,2]', '\u0000', '{}{}'])(
      'output %j is read without a throw',
      (stdout) => {
        const hook = hookOf(plain);
        for (const exitCode of [0, 1, 2, null]) {
          const answer = hook.read({ exitCode, stdout, stderr: '' });
          expect(hook.translateBack(answer, hook.inputFor(input, 'call-1')).notes).toBeInstanceOf(Array);
        }
      },
    );

    test.each(['constructor', 'toString', '__proto__'])('the decision "%s" is none', (word) => {
      const inner = { hookEventName: event, permissionDecision: word, decision: { behavior: word } };
      const stdout = `{"decision": "${word}", "permission": "${word}", "permissionDecision": "${word}", "behavior": "${word}"`;
      for (const more of ['}', `, "hookSpecificOutput": ${JSON.stringify(inner)}}`]) {
        const { said } = hookOf(plain, 'faithful').read({ exitCode: 0, stdout: stdout + more, stderr: '' });
        expect([undefined, 'deny']).toContain(said?.decision);
      }
    });

    test('an approval never takes a denial back in strict mode', () => {
      const denying = hookOf(plain).read({ exitCode: 2, stdout: '', stderr: 'no' });
      expect(denying.said?.decision).toBe('deny');
    });

    test('a timeout is of the unit its agent counts in', () => {
      const { key, ms } = dialect.writes.timeout;
      const { entries } = read(
        fileOf({ [event]: [entry(handler('./guard.sh', { [key]: 7 * (ms === 1 ? 1_000 : 1) }))] }),
      );
      expect(entries[0]?.handler?.timeoutMs).toBe(7_000);
    });

    test('a timeout of zero is refused, or what its agent makes of it is told', () => {
      const { key } = dialect.writes.timeout;
      const { entries, problems } = read(fileOf({ [event]: [entry(handler('./guard.sh', { [key]: 0 }))] }));
      const [{ handler: read0 } = { handler: undefined }] = entries;
      const isTaken = (read0?.timeoutMs ?? 0) >= 1_000;
      expect(read0 === undefined || isTaken).toBe(true);
      expect(problems).toMatchObject([
        isTaken
          ? { severity: 'warning', message: expect.stringContaining('timeout 0') }
          : { severity: 'error', message: expect.stringContaining('ends the hook at once') },
      ]);
    });
  });

  describe(`matchers of ${dialect.name}`, () => {
    const matches = (matcher: string, toolName: string): boolean | 'timeout' =>
      hookOf(fileOf({ [event]: [entry(handler('./guard.sh'), matcher)] })).matches({ toolName });

    test('the name of a tool matches it', () => {
      expect(matches(shellName, shellName)).toBe(true);
    });

    test.skipIf(rule.subject === undefined)('another name does not (skipped where matchers are ignored)', () => {
      expect(matches('NoSuchTool', shellName)).toBe(false);
    });

    test('a pattern without an end is given up, or takes no time', () => {
      const started = ownNow();
      matches('(a+)+$', `${'a'.repeat(40)}!`);
      expect(ownNow() - started).toBeLessThan(500);
    });
  });

  describe(`arguments that ${dialect.name} hooks change`, () => {
    test('come back as the host calls them', () => {
      const hook = hookOf(fileOf({ [event]: [entry(handler('./guard.sh'))] }));
      const fed = hook.inputFor(input, 'call-1');
      const command = shell.args?.command ?? 'command';
      const { output } = hook.translateBack({ said: { toolInput: { [command]: 'pwd' } }, swallowed: [] }, fed);
      expect(output?.hookSpecificOutput?.tool_input).toEqual({ [command]: 'pwd' });
    });

    test('and what no tool of the host takes is said to be lost', () => {
      const hook = hookOf(fileOf({ [event]: [entry(handler('./guard.sh'))] }));
      const own = (dialect.toolsFor?.(rule, version) ?? dialect.tools).tools.flatMap(({ names }) => names);
      const other = ['run_shell_command', 'Bash', 'run_in_terminal'].find((name) => !own.includes(name)) ?? '';
      const fed = hook.inputFor({ ...input, tool_name: other, tool_input: { command: 'ls' } }, 'call-1');
      const { lost } = hook.translateBack({ said: { toolInput: { strange: 1 } }, swallowed: [] }, fed);
      expect(lost).toContain('strange');
    });
  });

  test(`hooks of ${dialect.name} can be written as ours, with what is lost`, () => {
    const { entries } = read(
      fileOf({ [event]: [entry(handler('./guard.sh'), shellName)], NoSuchMoment: [entry(handler('./x.sh'))] }),
    );
    const { settings, count, losses } = convertHooks(entries, dialect, hookwrightTarget);
    expect(count).toBe(1);
    expect(settings).toMatchObject({
      hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: './guard.sh' }] }] },
    });
    expect(losses.filter(({ kind }) => kind === 'left-out')).toHaveLength(1);
  });
};
