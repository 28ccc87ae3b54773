import { describe, expect, test } from 'vitest';
import { createHooks, defineHook, type HookDefinitionOf, type Hooks, HookwrightError } from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';
import { hook } from '../triggers/support.ts';

const tool = { tool: 'shell', input: {} };

describe('a call that lacks something says what', () => {
  const cases: [keyof Hooks, unknown, string][] = [
    ['beforeTool', undefined, 'beforeTool takes an object; got nothing'],
    ['beforeTool', 'shell', 'beforeTool takes an object; got "shell"'],
    ['beforeTool', { input: {} }, 'beforeTool needs tool, the name of the tool; got nothing'],
    ['beforeTool', { tool: '', input: {} }, 'beforeTool needs tool, the name of the tool; got ""'],
    ['beforeTool', { tool: 'shell' }, 'beforeTool needs input, the arguments of the tool as an object; got nothing'],
    [
      'beforeTool',
      { tool: 'shell', input: 'ls' },
      'beforeTool needs input, the arguments of the tool as an object; got "ls"',
    ],
    ['beforeTool', { tool: 'shell', input: ['ls'] }, 'got an array of 1'],
    ['beforeTool', { ...tool, timeoutMs: '5s' }, 'beforeTool needs timeoutMs, milliseconds over 0; got "5s"'],
    ['beforeTool', { ...tool, timeoutMs: 0 }, 'beforeTool needs timeoutMs, milliseconds over 0; got 0'],
    ['beforeTool', { ...tool, timeoutMs: Number.NaN }, 'got NaN'],
    [
      'beforeTool',
      { ...tool, signal: new AbortController() },
      'beforeTool needs signal, an AbortSignal; got an object',
    ],
    ['afterTool', { output: 'done' }, 'afterTool needs tool'],
    ['beforeAgent', {}, 'beforeAgent needs prompt, what the user wrote; got nothing'],
    ['beforeAgent', { prompt: ['hi'] }, 'beforeAgent needs prompt'],
    ['afterAgent', { prompt: 'hi' }, 'afterAgent needs response, what the agent answered; got nothing'],
    ['afterAgent', { response: 'ho' }, 'afterAgent needs prompt'],
    ['beforeModel', {}, 'beforeModel needs request, the model request; got nothing'],
    ['beforeModel', { request: 'hi' }, 'beforeModel needs request, the model request; got "hi"'],
    [
      'afterModel',
      { request: { model: 'm', contents: 'hi' } },
      'afterModel needs response, the complete model response',
    ],
    ['afterModel', { response: {} }, 'afterModel needs request'],
    ['beforeToolSelection', {}, 'beforeToolSelection needs request'],
    ['sessionStart', {}, 'sessionStart needs source, one of startup, resume, clear, compress; got nothing'],
    ['sessionStart', { source: 'startupp' }, 'got "startupp"; did you mean "startup"?'],
    ['sessionEnd', { reason: 'quit' }, 'sessionEnd needs reason, one of exit, clear, logout'],
    ['preCompress', { trigger: 'manually' }, 'did you mean "manual"?'],
    ['notify', { message: 'hi' }, 'notify needs type'],
    ['notify', { type: 'Idle' }, 'notify needs message, the text for the user; got nothing'],
  ];

  test.each(cases)('%s(%j): %s', async (method, call, message) => {
    const hooks = await createHooks();
    const answer: unknown = Reflect.apply(untyped<() => unknown>(hooks[method]), undefined, [call]);
    await expect(answer).rejects.toThrow(message);
    await expect(answer).rejects.toMatchObject({ code: 'invalid_argument', details: { method } });
  });

  test('words of a closed set may be written in any case', async () => {
    const hooks = await createHooks();
    await hooks.sessionStart({ source: untyped('Startup') });
    await hooks.sessionEnd({ reason: untyped('EXIT') });
  });
});

describe('a hook that answers wrongly says so where its author looks', () => {
  test.each<[string, () => unknown, string]>([
    ['a text', () => 'deny', 'a hook must return an object or nothing, got "deny"'],
    ['a boolean', () => false, 'a hook must return an object or nothing, got false'],
    ['a list', async () => ['deny'], 'a hook must return an object or nothing, got an array of 1'],
    [
      'a generator',
      async function* () {
        yield { decision: 'deny' };
      },
      'a hook must return an object or nothing, got an iterable ([object AsyncGenerator])',
    ],
    ['a map', () => new Map([['decision', 'deny']]), 'got an iterable ([object Map])'],
    ['R2017 an error', () => new Error('deny'), 'a hook must return an object or nothing, got an error (deny)'],
    ['a misspelt field', () => ({ decison: 'deny' }), 'decison'],
    ['a decision nobody knows', () => ({ decision: 'denied' }), 'decision: expected "allow"'],
  ])('%s', async (_what, action, message) => {
    const hooks = await createHooks({ hooks: { BeforeTool: [hook(action)] } });
    const { verdict, faults } = await hooks.beforeTool(tool);
    expect(verdict).toBe('none');
    expect(faults).toMatchObject([{ code: 'malformed-output', message: expect.stringContaining(message) }]);
    expect(faults[0]?.message).toMatch(/^Hook "hook-\d+": /);
  });
});

describe('a hook that cannot be defined says why', () => {
  const fine = { event: 'BeforeTool', name: 'guard', run: () => undefined };

  test.each<[string, unknown, string, string]>([
    ['nothing', undefined, 'invalid_argument', 'defineHook needs an object with event, name and run; got nothing'],
    ['no event', { ...fine, event: undefined }, 'unsupported_event', 'nothing is not an event'],
    [
      'an event nobody knows',
      { ...fine, event: 'beforetool' },
      'unsupported_event',
      '"beforetool" is not an event; did you mean "BeforeTool"?',
    ],
    [
      'no name',
      { ...fine, name: undefined },
      'invalid_argument',
      'defineHook needs name, by which people find the hook; got nothing',
    ],
    ['a blank name', { ...fine, name: ' ' }, 'invalid_argument', 'defineHook needs name'],
    ['no function', { ...fine, run: 'exit 2' }, 'invalid_argument', 'defineHook needs run, a function; got "exit 2"'],
    [
      'an expression as its matcher',
      { ...fine, matcher: /shell/ },
      'invalid_argument',
      'write the source of the expression',
    ],
    [
      'a text for sequential',
      { ...fine, sequential: 'yes' },
      'invalid_argument',
      'sequential as true or false; got "yes"',
    ],
    [
      'no time at all',
      { ...fine, timeout: 0 },
      'invalid_argument',
      'timeout in milliseconds over 0, or a text such as "5s"; got 0',
    ],
    [
      'a text for a time',
      { ...fine, timeoutMs: '5s' },
      'invalid_argument',
      'timeout in milliseconds over 0, or a text such as "5s"; got "5s"',
    ],
    ['a policy nobody knows', { ...fine, onFault: 'denyy' }, 'invalid_argument', 'did you mean "deny"?'],
  ])('%s', (_what, definition, code, message) => {
    const define = (): unknown => defineHook(untyped<HookDefinitionOf<'BeforeTool'>>(definition));
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code }));
  });

  test('the same goes for on', async () => {
    const hooks = await createHooks();
    expect(() => hooks.on(untyped<'BeforeTool'>('BeforeTol'), () => undefined)).toThrow('did you mean "BeforeTool"?');
    expect(() => hooks.on('BeforeTool', untyped<() => undefined>('exit 2'))).toThrow(
      'on needs run, a function; got "exit 2"',
    );
    expect(() => hooks.on('BeforeTool', () => undefined, untyped<object>({ macher: 'a' }))).toThrow(
      'on does not take "macher"; did you mean "matcher"?',
    );
    expect(() => hooks.on('BeforeTool', () => undefined, untyped<object>('Bash'))).toThrow(
      'on needs its options as an object; got "Bash"',
    );
    expect(() => hooks.on('BeforeTool', () => undefined, { matcher: untyped<string>(/x/) })).toThrow(
      'matcher as a string',
    );
    expect(await hooks.explain()).toEqual([]);
  });
});

describe('hooks that are closed', () => {
  test.each<[string, (hooks: Hooks) => unknown]>([
    ['beforeTool', ({ beforeTool }) => beforeTool(tool)],
    ['notify', ({ notify }) => notify({ type: 'Idle', message: 'hi' })],
    ['explain', ({ explain }) => explain()],
    ['on', async ({ on }) => on('BeforeTool', () => undefined)],
    ['tap', async ({ tap }) => tap()],
  ])('refuse %s, by its name', async (method, use) => {
    const hooks = await createHooks();
    await hooks.close();
    await expect(use(hooks)).rejects.toThrow(`${method} was called on hooks that are closed; create new ones`);
    await expect(use(hooks)).rejects.toSatisfy((error) => HookwrightError.is(error) && error.code === 'disposed');
  });

  test('may be closed again', async () => {
    const hooks = await createHooks();
    await Promise.all([hooks.close(), hooks.close()]);
    await hooks.close();
  });

  test('let what runs go: the caller gets an answer', async () => {
    const hooks = await createHooks({ hooks: { BeforeTool: [hook(() => new Promise(() => {}))] } });
    const answer = hooks.beforeTool({ ...tool, signal: new AbortController().signal });
    await hooks.close();
    const { verdict, faults } = await answer;
    expect(verdict).toBe('none');
    expect(faults.map(({ code }) => code)).toContain('disposed');
  });

  test('close the door of a guard that was still deciding', async () => {
    const hooks = await createHooks({
      hooks: { BeforeTool: [hook(() => new Promise(() => {}), { onFault: 'deny' })] },
    });
    const answer = hooks.beforeTool(tool);
    await hooks.close();
    expect((await answer).verdict).toBe('deny');
  });
});

describe('a member that nobody would read', () => {
  test('of a hook is refused, with the name that was probably meant', () => {
    const define = (member: object) => () =>
      defineHook(untyped<HookDefinitionOf<'BeforeTool'>>({ event: 'BeforeTool', name: 'a', run: () => {}, ...member }));
    expect(define({ onfault: 'deny' })).toThrow('defineHook does not take "onfault"; did you mean "onFault"?');
    expect(define({ timout: 5 })).toThrow('did you mean "timeout"?');
    expect(define({ priority: 5 })).toThrow(
      'it takes event, run, name, matcher, tool, if, sequential, timeout, timeoutMs, onFault',
    );
  });

  test('of an engine is refused too', async () => {
    await expect(createHooks(untyped({ hoks: [] }))).rejects.toThrow(
      'createHooks does not take "hoks"; did you mean "hooks"?',
    );
    const hooks = await createHooks();
    expect(() => hooks.on('BeforeTool', () => undefined, untyped({ onfault: 'deny' }))).toThrow('"onFault"');
  });

  test.each([
    [{ onFault: 'deny' }, 'onFault'],
    [{ run: () => ({ decision: 'deny' }) }, 'run'],
    [{ tool: 'shell' }, 'tool'],
  ])('R1821 of %j that is spread onto a made hook is refused', async (added, key) => {
    const made = defineHook({ event: 'BeforeTool', name: 'guard', run: () => undefined });
    await expect(createHooks({ hooks: [made, untyped({ ...made, ...added })] })).rejects.toThrow(
      `createHooks does not read "${key}" of hooks[1], which defineHook made: its options are those that it was made with; write defineHook({…}) again, with ${key}`,
    );
    const hooks = await createHooks({ hooks: [{ ...made, matcher: 'shell', sequential: true }] });
    expect(hooks.problems).toEqual([]);
    await hooks.close();
  });

  test.each<[string, object, string]>([
    ['a dep among the options', { confirm: () => true }, 'createHooks takes confirm in deps; write deps: {confirm: …}'],
    [
      'a confirm that is no function',
      { deps: { confirm: true } },
      'createHooks needs deps.confirm, what answers a hook that asks; got true',
    ],
    [
      'one hook in place of a list',
      { hooks: defineHook({ event: 'BeforeTool', name: 'guard', run: () => undefined }) },
      'createHooks needs hooks as a list; write hooks: [ … ] around the hook',
    ],
  ])('R1824 %s is refused with what to write', async (_what, options, message) => {
    await expect(createHooks(options)).rejects.toThrow(message);
  });

  test('of the deps is a problem where it is nearly one that would have been used', async () => {
    const { problems } = await createHooks({ deps: untyped({ confrim: () => true, database: {} }) });
    expect(problems).toEqual([
      expect.objectContaining({ path: 'deps.confrim', message: expect.stringContaining('did you mean "confirm"?') }),
    ]);
  });
});

test.each([
  [{ timeout: 5_000 }, []],
  [{ timeout: '5s' }, []],
  [{ timeoutMs: 5_000 }, [expect.objectContaining({ code: 'renamed', path: 'slow', severity: 'warning' })]],
] as const)('a hook may take as long as %j says, and the older name is read with a notice', async (time, problems) => {
  const slow = defineHook({ event: 'BeforeTool', name: 'slow', ...time, run: () => undefined });
  expect(slow.hook.timeout).toBe(5_000);
  const hooks = await createHooks({ hooks: [slow] });
  expect(hooks.problems).toEqual(problems);
  await hooks.close();

  const written = await createHooks({
    hooks: { BeforeTool: [{ hooks: [{ name: 'slow', command: 'true', ...time }] }] },
  });
  expect(written.problems).toEqual(
    problems.map(() => expect.objectContaining({ code: 'renamed', path: 'hooks.BeforeTool[0].hooks[0].timeoutMs' })),
  );
  expect(written.system.getAllHooks().map(({ config }) => config?.timeout)).toEqual([5_000]);
  await written.close();
});

test.each([
  ['a signal as options', AbortSignal.abort(), 'got an AbortSignal; pass {signal}'],
  ['a controller as options', new AbortController(), 'got an AbortController; pass {signal: controller.signal}'],
  ['an unknown option', { timeout: 5 }, 'fire does not take "timeout"'],
  ['a misspelt option', { timeoutMS: 5 }, 'did you mean "timeoutMs"?'],
  ['a timeout that is none', { timeoutMs: 0 }, 'fire needs timeoutMs, milliseconds over 0; got 0'],
  ['text as options', '5s', 'fire needs options, an object; got "5s"'],
])('R1937 fire refuses %s', async (_what, options, message) => {
  const hooks = await createHooks({ hooks: {} });
  await expect(hooks.fire('SessionEnd', { reason: 'exit' }, untyped(options))).rejects.toThrow(message);
});
