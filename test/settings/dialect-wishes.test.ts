import { describe, expect, test } from 'vitest';
import { createPlace, OWN, USER } from './support.ts';

const guard = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } });
const CLAUDE = 'project/.claude/settings.json';

const namesOf = (all: readonly { readonly source: { readonly file?: string | undefined } }[]): (string | undefined)[] =>
  all.map(({ source }) => source.file?.split('/').slice(-3).join('/'));

describe('the settings of the user say whose hooks are read besides', () => {
  const loadWith = async (said: unknown, options = {}) => {
    const { write, load } = createPlace();
    write(CLAUDE, guard);
    write(USER, JSON.stringify({ dialects: said }));
    const { config, problems } = await load({ deps: { trustCheck: () => true }, ...options });
    const rows = (await config.getHookSystem()?.explain('BeforeTool', { toolName: 'Bash' })) ?? [];
    return { rows: namesOf(rows), problems };
  };

  test.each([[true], [{}], [{ mode: 'faithful', version: '2.1.190' }]])('R824 %j: they are read', async (wish) => {
    expect(await loadWith({ 'claude-code': wish })).toMatchObject({ rows: [CLAUDE], problems: [] });
  });

  test('of an agent that is not named, or said to be left out, nothing is read', async () => {
    expect((await loadWith({})).rows).toEqual([]);
    expect((await loadWith({ 'claude-code': false })).rows).toEqual([]);
  });

  test('what code says of an agent counts more', async () => {
    const dialects = { 'claude-code': false };
    expect((await loadWith({ 'claude-code': true }, { dialects })).rows).toEqual([]);
    expect((await loadWith({ 'claude-code': true }, { dialects: { codex: true } })).rows).toEqual([CLAUDE]);
  });

  test.each([
    [{ claude: true }, 'unknown-name', 'did you mean "claude-code"?'],
    [{ 'claude-code': 'yes' }, 'invalid-value', 'must be true, false or {version?, mode?}; got "yes"'],
    [{ 'claude-code': { mode: 'lax' } }, 'invalid-value', 'must be "strict" or "faithful"; got "lax"'],
    [['claude-code'], 'invalid-value', 'must be an object such as {"claude-code": true}'],
  ])('%j is a problem with its line, and the rest of the file counts', async (said, code, message) => {
    const { rows, problems } = await loadWith(said);
    expect(rows).toEqual([]);
    expect(problems).toMatchObject([{ code, line: 1, message: expect.stringContaining(message) }]);
  });

  test('a project has no say in it, and is told so', async () => {
    const { write, load } = createPlace();
    write(CLAUDE, guard);
    write(OWN, JSON.stringify({ dialects: { 'claude-code': true } }));
    const { config, problems } = await load({ deps: { trustCheck: () => true } });
    expect(config.getHookSystem()).toBeUndefined();
    expect(problems).toMatchObject([{ code: 'no-effect', path: 'dialects', line: 1 }]);
  });

  test('settings that change are followed', async () => {
    const { write, load } = createPlace();
    write(CLAUDE, guard);
    write(USER, JSON.stringify({ dialects: { 'claude-code': true } }));
    const { config } = await load({ deps: { trustCheck: () => true } });
    expect(config.getHookSystem()).toBeDefined();
    write(USER, '{}');
    await config.reload();
    expect(await config.getHookSystem()?.explain('BeforeTool', { toolName: 'Bash' })).toEqual([]);
  });
});
