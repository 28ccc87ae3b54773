import { describe, expect, test } from 'vitest';
import type { HookConfig } from '../../src/index.ts';
import { commands, group, keepLines } from '../support/host.ts';
import { revokedProxy, untyped, withHostileMember } from '../support/untyped.ts';
import { namesOf, registryOfJson, rowsOf } from './support.ts';

describe('R067 R068 R069 R070 R071 F40 what cannot be used is skipped alone, with a warning and a row', () => {
  const good = { command: 'good' };
  test.each<[title: string, definitions: unknown, path: string, rows: number]>([
    ['definitions that are no list', { hooks: [good] }, 'hooks.BeforeTool', 1],
    ['definitions that are null', null, 'hooks.BeforeTool', 1],
    ['a definition that is null', [null, group([good])], 'hooks.BeforeTool[0]', 2],
    ['a definition that is a string', ['good', group([good])], 'hooks.BeforeTool[0]', 2],
    ['a definition without hooks', [{ matcher: 'x' }, group([good])], 'hooks.BeforeTool[0].hooks', 2],
    ['a hook in place of its definition', [good, group([good])], 'hooks.BeforeTool[0].hooks', 2],
    ['hooks that are no list', [{ hooks: good }, group([good])], 'hooks.BeforeTool[0].hooks', 2],
    ['a hook that is null', [{ hooks: [null, good] }], 'hooks.BeforeTool[0].hooks[0]', 2],
    ['a hook of an unknown type', [{ hooks: [{ type: 'comand' }, good] }], 'hooks.BeforeTool[0].hooks[0].type', 2],
    ['a command without a command', [{ hooks: [{ name: 'x' }, good] }], 'hooks.BeforeTool[0].hooks[0].command', 2],
    ['an empty command', [{ hooks: [{ command: '' }, good] }], 'hooks.BeforeTool[0].hooks[0].command', 2],
    ['a matcher that is no string', [{ matcher: 7, hooks: [good, good] }], 'hooks.BeforeTool[0].matcher', 2],
    ['a hostile hook', [{ hooks: [withHostileMember({}, 'command'), good] }], 'hooks.BeforeTool[0].hooks[0]', 2],
    ['a hostile policy', [{ hooks: [withHostileMember({}, 'onFault'), good] }], 'hooks.BeforeTool[0].hooks[0]', 2],
    ['a revoked proxy', [{ hooks: [revokedProxy(), good] }], 'hooks.BeforeTool[0].hooks[0]', 2],
    ['a hostile definition', [withHostileMember({}, 'hooks'), group([good])], 'hooks.BeforeTool[0]', 2],
    ['a revoked definition', [revokedProxy(), group([good])], 'hooks.BeforeTool[0]', 2],
  ])('%s', async (_title, definitions, path, rows) => {
    const { logger, warn } = keepLines();
    const registry = await registryOfJson({ BeforeTool: definitions, AfterTool: [group([good])] }, { logger });
    const [problem, ...others] = registry.getProblems();
    expect(problem).toMatchObject({ path, source: 'project', severity: 'warning', skipped: true });
    expect(others).toEqual([]);
    expect(warn).toEqual([`[hookwright:registry] project hooks: ${problem?.message}`]);
    expect(problem?.message).toContain('BeforeTool');
    const usable = registry.getHooksForEvent('BeforeTool').length;
    expect(usable).toBe(rows === 1 || path.endsWith('matcher') ? 0 : 1);
    expect(registry.getHooksForEvent('AfterTool')).toHaveLength(1);
    const placed = registry.getConfiguredHooks().filter((hook) => hook.eventName === 'BeforeTool');
    expect(placed).toHaveLength(rows);
    expect(placed.filter((hook) => hook.skipReasons.includes('invalid-config'))).toHaveLength(rows - usable);
  });

  test('a hook in place of its definition is told how to wrap it', async () => {
    const [problem] = (await registryOfJson({ BeforeTool: [{ command: 'c' }] })).getProblems();
    expect(problem?.hint).toBe('wrap it: {"hooks": [ … ]}');
  });

  const refuseKeys = (): string[] => {
    throw new Error('no keys');
  };
  const secretive = new Proxy({}, { ownKeys: refuseKeys });
  test.each<[title: string, hooks: unknown]>([
    ['a list', []],
    ['a string', 'BeforeTool'],
    ['an object that keeps its keys to itself', secretive],
  ])('hooks that are %s in place of an object are one problem', async (_title, hooks) => {
    const registry = await registryOfJson(hooks);
    expect(registry.getProblems()).toMatchObject([{ path: 'hooks', skipped: true }]);
    expect(registry.getAllHooks()).toEqual([]);
  });

  test('an event that throws when it is read harms no other', async () => {
    const hooks = withHostileMember({ AfterTool: commands('a') }, 'BeforeTool');
    const registry = await registryOfJson(hooks);
    expect(namesOf(registry.getAllHooks())).toEqual(['a']);
    expect(registry.getProblems()).toMatchObject([{ path: 'hooks.BeforeTool', skipped: true }]);
    expect(rowsOf(registry)).toContain('BeforeTool unnamed entry (nothing): invalid-config');
  });

  test('an unknown event offers the nearest known one, and its entries have rows', async () => {
    const registry = await registryOfJson({ BeforeTol: [group([{ command: 'a' }, { command: 'b' }])] });
    expect(registry.getProblems()).toMatchObject([
      { path: 'hooks.BeforeTol', skipped: true, severity: 'warning', hint: 'did you mean "BeforeTool"?' },
    ]);
    expect(registry.getProblems()[0]?.expected).toMatch(/^known events: BeforeTool, AfterTool, .*SubagentStop$/);
    expect(rowsOf(registry)).toEqual(['BeforeTol a: unknown-event', 'BeforeTol b: unknown-event']);
    expect(registry.getAllHooks()).toEqual([]);
  });

  test('nothing is near toString, which no event can be called', async () => {
    const [problem] = (await registryOfJson({ toString: commands('a') })).getProblems();
    expect(problem?.hint).toContain('known events: BeforeTool, AfterTool');
  });

  test.each(['Setup', 'ConfigChange', 'BeforeDeploy'])('%s is an event that this host does not fire', async (event) => {
    const registry = await registryOfJson({ [event]: [group([{ command: 'a', onFault: 'deny' }])] });
    expect(registry.getProblems()).toMatchObject([{ code: 'event-not-fired', severity: 'warning', skipped: true }]);
    expect(rowsOf(registry)).toEqual([`${event} a: event-not-fired`]);
  });

  test('a name near an event of other agents is a mistake', async () => {
    const registry = await registryOfJson({ ConfigChnge: commands('a') });
    expect(registry.getProblems()).toMatchObject([{ code: 'unknown-event', hint: 'did you mean "ConfigChange"?' }]);
  });

  test('an event by the name it has with other agents is told ours', async () => {
    const registry = await registryOfJson({ PreToolUse: commands('a') });
    expect(registry.getProblems()).toMatchObject([
      {
        message: 'hooks.PreToolUse is not an event; other agents use that name for BeforeTool',
        hint: 'rename it to BeforeTool',
      },
    ]);
  });

  test('code is offered the types that only code can give, too', async () => {
    const [problem] = (await registryOfJson({ BeforeTool: [group([{ type: 'comand', command: 'a' }])] })).getProblems();
    expect(problem?.message).toContain('must be one of command, runtime, plugin, worker, http');
  });

  test.each(['enabled', 'disabled', 'notifications'])('the switch %s of older files is explained', async (key) => {
    const registry = await registryOfJson({ [key]: true, BeforeTool: commands('a') });
    expect(registry.getProblems()).toMatchObject([{ path: `hooks.${key}`, hint: `write it as hooksConfig.${key}` }]);
    expect(rowsOf(registry)).toEqual(['BeforeTool a:']);
  });

  test('unknown keys and a sequential that is no switch are told, and do no harm', async () => {
    const registry = await registryOfJson({
      BeforeTool: [{ machter: 'x', sequential: 'yes', hooks: [{ command: 'a', comand: 'b' }] }],
    });
    expect(registry.getProblems().map(({ path, skipped, hint }) => [path, skipped, hint])).toEqual([
      ['hooks.BeforeTool[0].machter', false, 'did you mean "matcher"?'],
      ['hooks.BeforeTool[0].sequential', false, undefined],
      ['hooks.BeforeTool[0].hooks[0].comand', false, 'did you mean "command"?'],
    ]);
    expect(registry.getAllHooks()).toMatchObject([{ sequential: false, config: { command: 'a' } }]);
  });

  const guard = { onFault: 'deny', command: 7 };
  test.each<[title: string, hooks: unknown]>([
    ['that is broken itself', { BeforeTool: [{ hooks: [guard] }] }],
    ['under an unknown event', { BeforeTol: [{ hooks: [{ ...guard, command: 'c' }] }] }],
    ['under a broken matcher', { BeforeTool: [{ matcher: 7, hooks: [{ ...guard, command: 'c' }] }] }],
    ['without its definition', { BeforeTool: [guard] }],
    ['without a list around it', { BeforeTool: { hooks: [guard] } }],
  ])('a hook with onFault deny %s is an error, not a warning: a guard is lost', async (_title, hooks) => {
    const { logger, error, warn } = keepLines();
    const registry = await registryOfJson(hooks, { logger });
    expect(registry.getProblems()).toMatchObject([{ severity: 'error', skipped: true }]);
    expect(error).toHaveLength(1);
    expect(warn).toEqual([]);
  });

  test('a warning about a guard that is kept stays a warning', async () => {
    const registry = await registryOfJson({ BeforeTool: [{ hooks: [{ command: 'c', onFault: 'deny', timeout: 5 }] }] });
    expect(registry.getProblems()).toMatchObject([{ severity: 'warning', skipped: false }]);
  });

  test('C01 a timeout that was probably meant in seconds is warned of once, and kept', async () => {
    const { logger, warn } = keepLines();
    const registry = await registryOfJson({ BeforeTool: [{ hooks: [{ command: 'c', timeout: 30 }] }] }, { logger });
    expect(warn).toHaveLength(1);
    expect(warn[0]).toContain('for seconds write 30000');
    expect(registry.getAllHooks()[0]?.config.timeout).toBe(30);
  });
});

describe('F46 names that reach a prototype', () => {
  test.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty'])('%s is no event', async (name) => {
    const hooks: unknown = JSON.parse(`{"${name}": [{"hooks": [{"command": "a"}]}], "BeforeTool": []}`);
    const registry = await registryOfJson(hooks);
    expect(registry.getProblems()).toMatchObject([{ path: `hooks.${name}`, skipped: true }]);
    expect(rowsOf(registry)).toEqual([`${name} a: unknown-event`]);
    expect(untyped<{ hooks?: unknown }>({}).hooks).toBeUndefined();
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is a hook name like any other', async (name) => {
    const registry = await registryOfJson({ BeforeTool: [group([{ name, command: 'a' }])] });
    expect(registry.getAllHooks()).toMatchObject([{ hookId: `project/BeforeTool/${name}`, enabled: true }]);
    expect(registry.setHookEnabled(name, false)).toBe(true);
    expect(registry.getAllHooks()).toMatchObject([{ enabled: false }]);
  });

  test('of keys inside an entry change nothing but a warning', async () => {
    const entry: unknown = JSON.parse('{"command": "a", "__proto__": {"type": "http", "onFault": "deny"}}');
    const registry = await registryOfJson({ BeforeTool: [{ hooks: [entry] }] });
    expect(registry.getAllHooks()).toMatchObject([{ config: { type: 'command', command: 'a' } }]);
    expect(registry.getAllHooks()[0]?.config.onFault).toBeUndefined();
  });
});

describe('R1781 a command line that loses an exit code, or a home directory, is a problem with the right line', () => {
  const hintsOf = async (hook: object, event = 'BeforeTool'): Promise<(string | undefined)[]> =>
    (await registryOfJson({ [event]: [group([untyped<HookConfig>(hook)])] })).getProblems().map(({ hint }) => hint);

  test.each(['./guard.sh 2>&1 | tee -a log', 'cd x && node guard.mjs | cat', '"$DIR/guard.sh" | jq . '])(
    'R1781 %j is told',
    async (command) => {
      const [hint] = await hintsOf({ command });
      expect(hint).toContain(JSON.stringify(`set -o pipefail; ${command}`));
    },
  );

  test.each([
    'cat | ./guard.sh',
    'jq .tool_input | node guard.mjs',
    'set -o pipefail; ./guard.sh | tee log',
    './guard.sh || exit 2',
    "./guard.sh 'a|b'",
    './log.sh | tee log; ./guard.sh',
  ])('R1781 %j is left alone', async (command) => {
    expect(await hintsOf({ command })).toEqual([]);
  });

  test('R1781 where no call waits for it, only of a guard', async () => {
    const command = './notes.sh | head -5';
    expect(await hintsOf({ command }, 'SessionStart')).toEqual([]);
    expect(await hintsOf({ command, onFault: 'deny' }, 'SessionStart')).toHaveLength(1);
  });

  test('R1781 a tilde in args', async () => {
    expect(await hintsOf({ command: 'node', args: ['~/guard.mjs'] })).toEqual(['write "$HOME/guard.mjs"']);
    expect(await hintsOf({ command: 'node ~/guard.mjs' })).toEqual([]);
  });
});
