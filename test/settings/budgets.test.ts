import { describe, expect, test } from 'vitest';
import { ConfigSource } from '../../src/index.ts';
import { createPlace, mistakesIn, OWN, USER } from './support.ts';

const { Project, Extensions, User, System, Runtime } = ConfigSource;

describe('R848 budgets stand in settings', () => {
  test('that of the user counts more than that of the project, and one from code more than both', async () => {
    const place = createPlace();
    place.write(OWN, { budgetMs: { BeforeTool: 100, AfterTool: 300 } });
    place.write(USER, { budgetMs: { BeforeTool: 200 } });
    const { config, problems } = await place.load();
    expect(problems).toEqual([]);
    expect(['BeforeTool', 'AfterTool', 'BeforeModel', 'none'].map((name) => config.getBudgetMs(name))).toEqual([
      200,
      300,
      undefined,
      undefined,
    ]);
    const { config: coded } = await place.load({ budgetMs: { BeforeTool: 50 } });
    expect(coded.getBudgetMs('BeforeTool')).toBe(50);
  });

  test("a project's budget ends advisory hooks of its own, and nobody else's", async () => {
    const place = createPlace();
    place.write(OWN, { budgetMs: { AfterTool: 300 } });
    const { config } = await place.load();
    const of = (source: ConfigSource) => config.getBudgetMs('AfterTool', source);
    expect([Project, Extensions].map(of)).toEqual([300, 300]);
    expect([User, System, Runtime].map(of)).toEqual([undefined, undefined, undefined]);
  });

  test('and are read again', async () => {
    const place = createPlace();
    place.write(OWN, { budgetMs: { AfterTool: 300 } });
    const { config } = await place.load();
    place.write(OWN, { budgetMs: { AfterTool: 30 } });
    await config.reload();
    expect(config.getBudgetMs('AfterTool')).toBe(30);
  });

  test.each<[budgets: unknown, messages: string[]]>([
    [{ BeforeTol: 5 }, ['budgetMs.BeforeTol is not an event; did you mean "BeforeTool"?']],
    [{ BeforeTool: '2s' }, ['budgetMs.BeforeTool must be milliseconds over 0, found "2s"; write 2000']],
    [{ BeforeTool: -1, AfterTool: 9 }, ['budgetMs.BeforeTool must be milliseconds over 0, found -1']],
    [200, ['budgetMs must be an object of milliseconds by event, found 200']],
  ])('%j is told with its place', async (budgetMs, messages) => {
    const place = createPlace();
    place.write(OWN, { budgetMs });
    const { problems } = await place.load();
    expect(problems.map(({ message }) => message)).toEqual(messages);
    expect(problems[0]).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
  });
});

test('R849 advisory with onFault deny or ask is a problem at load, an error where a guard is lost', async () => {
  const place = createPlace();
  const hook = (onFault: string): object => ({ name: onFault, command: 'true', advisory: true, onFault });
  place.write(USER, { hooks: { BeforeTool: [{ hooks: [hook('deny'), hook('ask'), hook('allow')] }] } });
  const { config, problems } = await place.load();
  const told = mistakesIn(problems).map(({ message, severity }) => [severity, message]);
  const words = (index: number, onFault: string): string =>
    `hooks.BeforeTool[0].hooks[${index}].advisory must be false where onFault is "${onFault}", found true; the verdict of an advisory hook does not count; remove one of the two`;
  expect(told).toEqual([
    ['error', words(0, 'deny')],
    ['error', words(1, 'ask')],
  ]);
  const rows = await config.getHookSystem()?.explain('BeforeTool');
  expect(rows?.map(({ name, reason }) => [name, reason])).toEqual([
    ['deny', 'invalid-config'],
    ['ask', 'invalid-config'],
    ['allow', undefined],
  ]);
});
