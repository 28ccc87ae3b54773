import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCommand } from '../../src/cli/arguments/find-command.ts';
import { parseArguments } from '../../src/cli/arguments/parse-arguments.ts';
import { findCompletionKind } from '../../src/cli/commands/complete/run.ts';
import { commands } from '../../src/cli/index.ts';
import type { DecisionKind } from '../../src/sessions/backtest/index.ts';
import { runCommand, startCommand } from './support/run-command.ts';

const spec = {
  name: 'try',
  summary: 'try it',
  arguments: [
    { name: 'event', summary: 'the event', required: true, choices: ['BeforeTool', 'AfterTool'] },
    { name: 'others', summary: 'more', rest: true },
  ],
  flags: {
    tool: { kind: 'text', value: 'name', summary: 'the tool', complete: 'tools' },
    count: { kind: 'number', summary: 'how many' },
    only: { kind: 'list', summary: 'which', choices: ['a', 'b', 'c'] },
    dry: { kind: 'switch', short: 'd', summary: 'run nothing' },
  },
  examples: [],
  exit: { ok: 'fine' },
} as const satisfies (typeof commands)[number]['spec'];

/** An error of the command line has this name, and ends it with 64. */
const isUsageError = (error: unknown): error is Error => error instanceof Error && error.name === 'UsageError';

const messageOf = (...words: string[]): string => {
  try {
    parseArguments(spec, words);
  } catch (error) {
    if (isUsageError(error)) return error.message;
  }
  return 'no usage error';
};

describe('the words behind a command', () => {
  test('become arguments and flags by their names and kinds', () => {
    const words = ['BeforeTool', 'x', '--only', 'a,b', '-d', '--tool=Bash', '--only=c', '--count', '3', '--', '--y'];
    expect(parseArguments(spec, words)).toEqual({
      given: {
        event: 'BeforeTool',
        others: ['x', '--y'],
        tool: 'Bash',
        count: 3,
        only: ['a', 'b', 'c'],
        dry: true,
        json: false,
        cwd: undefined,
        help: false,
      },
      global: { json: false, cwd: undefined, help: false, renamed: [] },
    });
  });

  test('need not be complete where help is asked for', () => {
    expect(parseArguments(spec, ['--help']).global.help).toBe(true);
  });

  test.each([
    [['--toll', 'x', 'BeforeTool'], 'try has no flag --toll; did you mean "--tool"?'],
    [[], 'try needs <event>: one of BeforeTool, AfterTool'],
    [['BeforTool'], '<event> must be one of BeforeTool, AfterTool, found "BeforTool"; did you mean "BeforeTool"?'],
    [['BeforeTool', '--count', 'many'], '--count must be a number from 0 on, found "many"'],
    [['BeforeTool', '--tool'], '--tool needs a value: --tool <name>'],
    [['BeforeTool', '--tool', '--dry'], '--tool needs a value, found the flag --dry'],
    [['BeforeTool', '--tool', 'a', '--tool', 'b'], '--tool was given twice'],
    [['BeforeTool', '--dry=yes'], '--dry takes no value, found "yes"'],
    [['BeforeTool', '--only', 'd'], '--only must be one of a, b, c, found "d"'],
  ])('that are wrong (%j) are answered with what to write instead', (words, message) => {
    expect(messageOf(...words)).toContain(message);
  });
});

describe('whatever the words are', () => {
  const words = fc.array(
    fc.oneof(
      fc.string(),
      fc.constantFrom('--tool', '--only=a,,b', '--count', '-d', '--', '--json', '-x', '--=', 'BeforeTool'),
    ),
  );

  test('they are read, or refused with words of ours', () => {
    fc.assert(
      fc.property(words, (line) => {
        try {
          parseArguments(spec, line);
        } catch (error) {
          expect(isUsageError(error)).toBe(true);
        }
      }),
    );
  });

  test('they name a command, none, or are refused with words of ours; and completing them never fails', () => {
    const specs = commands.map((command) => command.spec);
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('task', 'list', '--cwd', '--help', '--'))), (line) => {
        expect(() => findCompletionKind(line, specs)).not.toThrow();
        try {
          findCommand(line, commands);
        } catch (error) {
          expect(isUsageError(error)).toBe(true);
        }
      }),
    );
  });
});

describe('the command', () => {
  test('is found behind and in front of what every command takes', () => {
    expect(findCommand(['--json', '--cwd', 'x', 'list', '--origin'], commands)).toMatchObject({
      command: { spec: { name: 'list' } },
      words: ['--json', '--cwd', 'x', '--origin'],
    });
    expect(findCommand(['--help'], commands)).toBeUndefined();
  });

  test('that nobody knows is answered with the nearest one', () => {
    expect(() => findCommand(['lits'], commands)).toThrow('there is no command "lits"; did you mean "list"?');
  });

  test.each([
    ['schema', 'events --schema'],
    ['off', 'disable --all'],
    ['races', 'test --races'],
    ['warm', 'bench --warm'],
    ['tap', 'why --follow'],
  ])('R1420 the former name %s is refused with the new form', (before, now) => {
    expect(() => findCommand([before, 'x'], commands)).toThrow(`"${before}" is now "${now}"`);
    const { command, words } = findCommand([...now.split(' '), 'x'], commands) ?? {};
    expect([command?.spec.name, words]).toEqual([now, ['x']]);
  });

  test('R1420 the switch of another form may stand anywhere behind the command', () => {
    expect(findCommand(['test', 'BeforeTool', '--races'], commands)).toMatchObject({
      command: { spec: { name: 'test --races' } },
      words: ['BeforeTool'],
    });
    expect(findCommand(['test', '--chaos'], commands)).toMatchObject({ command: { spec: { name: 'test' } } });
    const specs = commands.map((one) => one.spec);
    expect(findCompletionKind(['test', '--ra'], specs).candidates).toContainEqual(
      expect.objectContaining({ word: '--races' }),
    );
    expect(findCompletionKind(['test', '--races', '--'], specs).candidates).toContainEqual(
      expect.objectContaining({ word: '--latencies' }),
    );
  });
});

describe('completion', () => {
  const specs = [spec, ...commands.map((command) => command.spec)];
  const words = (...line: string[]): string[] => findCompletionKind(line, specs).candidates.map(({ word }) => word);

  test('offers commands first, then flags and what they may be', () => {
    expect(words('')).toContain('explain');
    expect(words('')).not.toContain('__complete');
    expect(words('try', '--')).toEqual(['--tool', '--count', '--only', '--dry', '--json', '--cwd', '--help']);
    expect(words('try', '--only', '')).toEqual(['a', 'b', 'c']);
    expect(words('try', '')).toEqual(['BeforeTool', 'AfterTool']);
    expect(words('try', '--dry', 'Bef')).toEqual(['BeforeTool', 'AfterTool']);
  });

  test('says what has to be looked up', () => {
    expect(findCompletionKind(['try', '--tool', ''], specs).lookUp).toBe('tools');
    expect(findCompletionKind(['--cwd', ''], specs).lookUp).toBe('directories');
    expect(findCompletionKind(['explain', ''], specs).lookUp).toBe('events');
    expect(findCompletionKind(['explain', 'BeforeTool', '--hook', ''], specs).lookUp).toBe('hooks');
    expect(findCompletionKind(['record', '--', 'no'], specs).lookUp).toBe('files');
  });
});

/** Each of them: the compiler misses a new one here. */
const decisionKinds: Readonly<Record<DecisionKind, true>> = {
  'newly-allowed': true,
  unknown: true,
  'newly-blocked': true,
  faults: true,
  'changed-input': true,
  'changed-verdict': true,
  'changed-context': true,
  'changed-order': true,
  unchanged: true,
};

describe('the records of the commands', () => {
  /** Splits like a shell, as far as examples need it. */
  const wordsIn = (line: string): string[] =>
    [...line.replace(/ [<>|].*$/, '').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

  const examples = commands.flatMap((command) =>
    command.spec.examples.map((example) => [example.command, command] as const),
  );

  test.each(examples.filter(([line]) => line.startsWith('hookwright ')))('%s can be read', (line, command) => {
    const [, ...words] = wordsIn(line);
    const found = findCommand(words, commands);
    expect(found?.command).toBe(command);
    expect(() => command.prepare(found?.words ?? [])).not.toThrow();
  });

  test.each(commands.map((command) => [command.spec.name, command.spec] as const))(
    '%s says what it does in a line that fits',
    (_name, { summary, hidden, examples: own }) => {
      expect(summary).not.toMatch(/\.$|\n/);
      expect(summary.length).toBeLessThanOrEqual(90);
      expect(hidden === true || own.length > 0).toBe(true);
    },
  );

  test('backtest knows every way in which a decision can change', async () => {
    const flags = (await runCommand('.', '__complete', '--', 'backtest', '--')).stdout;
    expect(flags).toContain('--fail-on\t');
    const { stdout } = await runCommand('.', '__complete', '--', 'backtest', '--fail-on', '');
    const words = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[0]);
    expect([...words, 'unchanged'].sort()).toEqual(Object.keys(decisionKinds).sort());
  });
});

describe('a former spelling', () => {
  test.each([
    ['list', ['--events', 'BeforeTool'], { event: ['BeforeTool'] }, '--events is now --event'],
    [
      'doctor',
      ['--tools', 'Bash,Edit', '--tool', 'Write'],
      { tool: ['Bash', 'Edit', 'Write'] },
      '--tools is now --tool',
    ],
    ['test', ['--hooks=a'], { hook: ['a'] }, '--hooks is now --hook'],
    ['install', ['--user'], { scope: 'user' }, '--user is now --scope user'],
    ['import', ['--version', '2'], { 'agent-version': '2' }, '--version is now --agent-version'],
    ['run', ['Stop', '--dialect', 'codex'], { agent: 'codex', event: 'Stop' }, '--dialect is now --agent'],
  ])('R1636 of a flag of %s is read, with a notice: %j', (name, words, given, notice) => {
    const found = commands.find((command) => command.spec.name === name);
    if (found === undefined) throw new Error(name);
    const { spec: its } = found;
    const parsed = parseArguments(its, words);
    expect(parsed.given).toMatchObject(given);
    expect(parsed.global.renamed).toEqual([notice]);
  });
});

describe('help', () => {
  const visible = commands
    .map(({ spec }) => spec)
    .filter(({ hidden, name }) => hidden !== true && !name.includes(' --'));
  /** What these words show on so many columns. */
  const linesAt = async (width: number, ...words: readonly string[]): Promise<string[]> => {
    const { code, stdout } = await startCommand('.', words, { env: { COLUMNS: String(width) } }).ended;
    expect(code).toBe(0);
    return stdout.trimEnd().split('\n');
  };

  test('R1631 the overview names every command and fits on one screen', async () => {
    const lines = await linesAt(80, '--help');
    expect(lines.length).toBeLessThanOrEqual(24);
    const text = lines.join('\n');
    for (const { name } of visible)
      for (const word of name.split(' ')) expect(text).toMatch(new RegExp(`\\b${word}\\b`));
  });

  test.each([60, 100, 200])(
    'R1631 the line of each command stands behind --all, at most 100 columns wide (%i)',
    async (width) => {
      const lines = await linesAt(width, '--help', '--all');
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(Math.min(width, 100));
      expect(lines.filter((line) => /^ {2}(ability|task) /.test(line))).toHaveLength(2);
    },
  );

  test.each(commands.map(({ spec }) => spec.name))(
    'R1631 the help of %s has no line over 100 columns',
    async (name) => {
      const lines = await linesAt(200, ...name.split(' '), '--help');
      expect(lines[0]).toContain(name.replace(/^_+/, ''));
      expect(lines.filter(({ length }) => length > 100)).toEqual([]);
    },
  );

  test.each(commands.filter(({ spec }) => spec.hidden !== true).map(({ spec }) => [spec.name, spec] as const))(
    'R1743 the help of %s names things and people, and says “what” in a question only',
    (_name, { summary, description = [], arguments: words = [], flags = {}, examples, exit }) => {
      const texts = [
        ...[summary, ...description, exit.ok, exit.findings ?? ''],
        ...[...words, ...Object.values(flags)].map((one) => one.summary),
        ...examples.map(({ does }) => does),
      ];
      const vague = /\b(?:who|whose|whoever|nobody|somebody|anybody|everybody)\b|\bwhat\b(?!.*\?$)/i;
      expect(texts.filter((text) => vague.test(text))).toEqual([]);
    },
  );
});
