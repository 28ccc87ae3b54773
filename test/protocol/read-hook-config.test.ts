import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { getHookKey, type HookConfig, readHookConfig, type SettingsFinding } from '../../src/protocol/index.ts';

const path = 'hooks.BeforeTool[0].hooks[1]';

const read = (entry: unknown, isFile = false): { config: HookConfig | undefined; findings: SettingsFinding[] } => {
  const findings: SettingsFinding[] = [];
  const config = readHookConfig(entry, path, (finding) => findings.push(finding), { isFile });
  return { config, findings };
};

const noop = (): void => {};

describe('a hook as people write it', () => {
  test.each([
    [{ url: 'https://example.com' }, 'http'],
    [{ prompt: 'Is it safe?' }, 'prompt'],
    [{ server: 'policy', tool: 'check' }, 'mcp'],
    [{ action: noop }, 'runtime'],
  ])('R2019 %j without its type is told which one to add', (entry, type) => {
    expect(read(entry)).toMatchObject({ config: undefined, findings: [{ hint: `add "type": "${type}"` }] });
  });

  test.each<[title: string, entry: object, config: object]>([
    ['a bare command is a command hook', { command: './check.sh' }, { type: 'command', command: './check.sh' }],
    [
      'every key of a command',
      {
        type: 'command',
        name: 'guard',
        description: 'guards',
        statusMessage: 'checking',
        command: 'check',
        args: ['--all'],
        shell: 'zsh',
        timeout: 5_000,
        env: { A: 'b', EMPTY: '' },
        cwd: '/tmp',
        onFault: 'deny',
        leaveBackground: true,
      },
      { name: 'guard', args: ['--all'], timeout: 5_000, onFault: 'deny', env: { A: 'b', EMPTY: '' } },
    ],
    ['a function', { type: 'runtime', action: noop }, { type: 'runtime', action: noop }],
    ['a plugin without an action, which faults when it runs', { type: 'plugin', name: 'p' }, { type: 'plugin' }],
    ['a worker', { type: 'worker', command: 'serve' }, { type: 'worker', command: 'serve' }],
    [
      'an HTTP hook',
      { type: 'http', url: 'https://example.com', headers: { A: 'b' }, allowedEnvVars: ['TOKEN'] },
      { type: 'http', url: 'https://example.com' },
    ],
    ['members that are undefined', { command: 'c', name: undefined, timeout: undefined }, { command: 'c' }],
  ])('%s', (_title, entry, config) => {
    const result = read(entry);
    expect(result.findings).toEqual([]);
    expect(result.config).toMatchObject(config);
  });

  test('is not changed by being read', () => {
    const entry = Object.freeze({ command: 'c', env: Object.freeze({ A: 'b' }) });
    expect(read(entry).config).toEqual({ type: 'command', command: 'c', env: { A: 'b' } });
  });
});

describe('a value of the wrong type is named with its place, what was expected, what was found and a way out', () => {
  test.each<[key: string, value: unknown, expected: string, found: string, hint?: string]>([
    [
      'type',
      'comand',
      'one of command, runtime, plugin, worker, http, rule, prompt, mcp',
      '"comand"',
      'did you mean "command"?',
    ],
    [
      'type',
      'shell',
      'one of command, runtime, plugin, worker, http, rule, prompt, mcp',
      '"shell"',
      'did you mean "command"?',
    ],
    ['type', 7, 'one of command, runtime, plugin, worker, http, rule, prompt, mcp', '7'],
    ['name', '', 'a non-empty string', '""'],
    ['name', ['a'], 'a non-empty string', 'an array of 1'],
    ['name', null, 'a non-empty string', 'null'],
    ['description', 7, 'a string', '7'],
    ['statusMessage', {}, 'a string', 'an object'],
    ['command', '', 'a command line, e.g. "./check.sh"', '""'],
    ['command', ' \t\n', 'a command line, e.g. "./check.sh"', '" \\t\\n"'],
    [
      'command',
      ['a', 'b'],
      'a command line, e.g. "./check.sh"',
      'an array of 2',
      'write "command": "a", "args": ["b"]',
    ],
    ['args', '--all', 'an array of strings', '"--all"'],
    ['args', ['a', 1], 'an array of strings', 'an array of 2'],
    ['shell', true, 'the name of a shell, e.g. "bash"', 'true'],
    ['action', 'check()', 'a function', '"check()"'],
    ['url', 7, 'a URL', '7'],
    ['headers', { A: 1 }, 'an object of strings', 'an object'],
    ['allowedEnvVars', 'TOKEN', 'an array of variable names', '"TOKEN"'],
    ['timeout', '30s', 'milliseconds', '"30s"', 'write 30000'],
    ['timeout', '1.5S', 'milliseconds', '"1.5S"', 'write 1500'],
    ['timeout', ' 1500 ', 'milliseconds', '" 1500 "', 'write 1500'],
    ['timeout', '5', 'milliseconds', '"5"', 'write 5000'],
    ['timeout', '500ms', 'milliseconds', '"500ms"', 'write 500'],
    ['timeout', '5 seconds', 'milliseconds', '"5 seconds"', 'write 5000'],
    ['timeout', '0', 'milliseconds', '"0"', 'write a number of milliseconds, such as 5000'],
    ['timeout', 'soon', 'milliseconds', '"soon"', 'write a number of milliseconds, such as 5000'],
    ['timeout', null, 'milliseconds', 'null', 'write a number of milliseconds, such as 5000'],
    ['timeout', {}, 'milliseconds', 'an object', 'write a number of milliseconds, such as 5000'],
    ['env', ['A=b'], 'an object of strings, whose names have no "="', 'an array of 1'],
    ['env', { A: 1 }, 'an object of strings, whose names have no "="', 'an object'],
    ['env', { A: 'b\0c' }, 'an object of strings, whose names have no "="', 'an object'],
    ['env', { 'PATH=./bin:': '' }, 'an object of strings, whose names have no "="', 'an object'],
    ['env', { '': 'x' }, 'an object of strings, whose names have no "="', 'an object'],
    ['cwd', '', 'a directory', '""'],
    ['onFault', 'block', 'one of allow, deny, ask', '"block"', 'did you mean "deny"?'],
    ['onFault', 'Deny', 'one of allow, deny, ask', '"Deny"', 'did you mean "deny"?'],
    ['leaveBackground', 'yes', 'true or false', '"yes"'],
  ])('%s: %j', (key, value, expected, found, hint) => {
    // A text with a unit is read in code, and in files whose format has units.
    const { config, findings } = read({ command: 'c', [key]: value }, key === 'timeout');
    expect(config).toBeUndefined();
    const at = `${path}.${key}`;
    const message = `${at} must be ${expected}, found ${found}${hint === undefined ? '' : `; ${hint}`}`;
    const finding = { skipped: true, path: at, message, expected, found };
    expect(findings).toEqual([{ code: 'invalid-value', ...finding, ...(hint === undefined ? {} : { hint }) }]);
  });

  test('all mistakes of an entry are told at once', () => {
    const { config, findings } = read({ command: 7, timeout: 'x', colour: 'red' });
    expect(config).toBeUndefined();
    expect(findings.map((finding) => finding.path)).toEqual([`${path}.command`, `${path}.timeout`, `${path}.colour`]);
  });

  test.each([null, undefined, 'check.sh', 7, ['check.sh'], noop])('%o is no hook at all', (entry) => {
    const { config, findings } = read(entry);
    expect(config).toBeUndefined();
    expect(findings).toMatchObject([{ skipped: true, path, expected: expect.stringContaining('a hook, e.g. ') }]);
  });

  test.each<[entry: object, missing: string]>([
    [{}, 'command'],
    [{ type: 'command', name: 'n' }, 'command'],
    [{ type: 'worker' }, 'command'],
    [{ type: 'http' }, 'url'],
  ])('%j lacks its %s', (entry, missing) => {
    const { config, findings } = read(entry);
    expect(config).toBeUndefined();
    expect(findings).toMatchObject([{ skipped: true, path: `${path}.${missing}`, found: 'nothing' }]);
  });
});

describe('an unknown key is named and does no harm', () => {
  test.each([
    ['comand', 'did you mean "command"?'],
    ['time_out', 'did you mean "timeout"?'],
    ['environment', 'did you mean "env"?'],
    ['surroundings', expect.stringContaining('known keys: type, name, description')],
    ['__proto__', expect.stringContaining('known keys: ')],
    ['constructor', expect.stringContaining('known keys: ')],
  ])('%s', (key, hint) => {
    const entry: unknown = JSON.parse(`{"command": "c", "${key}": {"type": "http"}}`);
    const { config, findings } = read(entry);
    expect(config).toEqual({ type: 'command', command: 'c' });
    expect(findings).toEqual([
      { code: 'unknown-key', skipped: false, path: `${path}.${key}`, message: expect.any(String), hint },
    ]);
  });
});

test('R1936 a misspelt onFault makes an entry unusable', () => {
  const { config, findings } = read({ command: 'c', onfault: { type: 'http' } });
  expect(config).toBeUndefined();
  const hint = 'did you mean "onFault"?';
  const finding = { code: 'unknown-key', skipped: true, path: `${path}.onfault`, message: expect.any(String), hint };
  expect(findings).toEqual([finding]);
});

describe('F16 C01 timeouts', () => {
  test.each<[given: number, used: number, message?: string]>([
    [60_000, 60_000],
    [1_000, 1_000],
    [1_500.5, 1_500.5],
    [2_147_483_647, 2_147_483_647],
    [2_147_483_648, 2_147_483_647, 'is longer than a timer allows'],
    [Number.MAX_VALUE, 2_147_483_647, 'is longer than a timer allows'],
    [Number.POSITIVE_INFINITY, 2_147_483_647, 'is longer than a timer allows (Infinity)'],
    [0, 60_000, 'must be more than 0 milliseconds, found 0; the default of 60000 is used'],
    [-0, 60_000, 'must be more than 0 milliseconds'],
    [-5, 60_000, 'must be more than 0 milliseconds, found -5'],
    [Number.NEGATIVE_INFINITY, 60_000, 'must be more than 0 milliseconds'],
    [Number.NaN, 60_000, 'must be more than 0 milliseconds, found NaN'],
    [999, 999, 'is only 999 milliseconds'],
    [30, 30, 'timeouts are milliseconds; for seconds write 30000'],
  ])('%d becomes %d', (given, used, message) => {
    const { config, findings } = read({ command: 'c', timeout: given });
    expect(config?.timeout).toBe(used);
    expect(findings.map((finding) => finding.path)).toEqual(message === undefined ? [] : [`${path}.timeout`]);
    expect(findings[0]?.message ?? '').toContain(message ?? '');
    expect(findings[0]?.skipped ?? false).toBe(false);
  });

  test('of any number at all are something a timer can wait', () => {
    fc.assert(
      fc.property(fc.double(), (given) => {
        const timeout = read({ command: 'c', timeout: given }).config?.timeout ?? 0;
        expect(timeout).toBeGreaterThan(0);
        expect(timeout).toBeLessThanOrEqual(2_147_483_647);
      }),
    );
  });
});

describe('the key by which a hook is switched', () => {
  function checkPaths(): void {}
  test.each<[hook: HookConfig, key: string]>([
    [{ name: 'guard', command: './guard.sh' }, 'guard'],
    [{ command: './guard.sh' }, './guard.sh'],
    [{ type: 'http', url: 'https://a' }, 'https://a'],
    [{ type: 'runtime', action: checkPaths }, 'checkPaths'],
    [
      {
        type: 'runtime',
        action: (
          () => () =>
            1
        )(),
      },
      'unnamed runtime hook',
    ],
    [{}, 'unnamed command hook'],
  ])('of %o is %s', (hook, key) => {
    expect(getHookKey(hook)).toBe(key);
  });
});

test('whatever stands in a settings file is read without a throw, and refused only with a reason', () => {
  const keys = fc.constantFrom('type', 'name', 'command', 'args', 'timeout', 'env', 'onFault', '__proto__', 'x');
  const entry = fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue({ maxDepth: 2 })));
  fc.assert(
    fc.property(entry, (written) => {
      const { config, findings } = read(written);
      if (config === undefined) expect(findings.some((finding) => finding.skipped)).toBe(true);
      else expect(config.command === undefined && config.type === 'command').toBe(false);
    }),
  );
});
