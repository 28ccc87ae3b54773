import { describe, expect, test } from 'vitest';
import {
  type ConfirmQuestion,
  createHooks,
  type HookDefinition,
  type HookDeps,
  type Hooks,
  type HooksByEvent,
} from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';
import { hook, listening, moment, recording, throwing, tool } from '../triggers/support.ts';

const engine = (hooks: HooksByEvent, deps: HookDeps = {}): Promise<Hooks> => createHooks({ hooks, deps });

const called = async (hooks: HooksByEvent, output: unknown = 'done', deps?: HookDeps) => {
  const { calls, run } = tool(output);
  const result = await (await engine(hooks, deps)).callTool('shell', { command: 'ls' }, run);
  return { result, calls };
};

const saying = { systemMessage: 'M', hookSpecificOutput: { additionalContext: 'C' } };
const asking = hook({ decision: 'ask', reason: 'sure?' });

describe('a tool that no hook is against', () => {
  test('runs with the arguments of the call, and its output comes back', async () => {
    const { result, calls } = await called({});
    expect(result).toEqual({ output: 'done', messages: [], faults: [], input: { command: 'ls' } });
    expect(calls).toEqual([{ command: 'ls' }]);
  });

  test('gives the very object it gave', async () => {
    const output = { rows: 3 };
    const { result } = await called({ BeforeTool: [hook({ decision: 'allow' })], AfterTool: [hook({})] }, output);
    expect(result.output).toBe(output);
  });

  test('runs with the arguments that hooks changed; AfterTool hooks and the model hear of it, values excepted', async () => {
    const { seen, definition } = recording<{ tool_input: object }>();
    const { result, calls } = await called({
      BeforeTool: [hook({ hookSpecificOutput: { tool_input: { token: 'sk-1' } } })],
      AfterTool: [definition],
    });
    const changed = { command: 'ls', token: 'sk-1' };
    const note = 'A hook changed the arguments of this tool call before it ran: token';
    expect([calls, seen.map(({ tool_input }) => tool_input)]).toEqual([[changed], [changed]]);
    expect(result).toMatchObject({ input: changed, output: `done\n\n[System] ${note}`, messages: [note] });
    expect(JSON.stringify([result.output, result.messages])).not.toContain('sk-1');
  });

  test.each<[string, unknown, unknown]>([
    ['a text', 'done', 'done\n\nC\n\n[System] M\n\nC\n\n[System] M'],
    ['a result', { llmContent: 'done', x: 1 }, { llmContent: 'done\n\nC\n\n[System] M\n\nC\n\n[System] M', x: 1 }],
  ])('has what hooks say to the model in its output, where that is %s', async (_what, output, expected) => {
    const { result } = await called({ BeforeTool: [hook(saying)], AfterTool: [hook(saying)] }, output);
    expect(result).toMatchObject({ output: expected, context: 'C\n\nC', messages: ['M', 'M'] });
  });

  test('whose output has no room for words keeps them for the next request to the model', async () => {
    const hooks = await engine({ BeforeTool: [hook(saying)] });
    const { output, context, messages } = await hooks.callTool('shell', {}, () => [1, 2]);
    expect({ output, context, messages }).toEqual({ output: [1, 2], context: 'C', messages: ['M'] });
    const { request } = await hooks.beforeModel({ request: { model: 'm', contents: 'hi' } });
    expect(JSON.stringify(request)).toMatch(/\[System\] C".*\[System\] M"/);
  });

  test('is not shown where a hook says so, and the model gets all of it', async () => {
    const { result } = await called({ AfterTool: [hook({ ...saying, suppressOutput: true })] });
    expect(result).toMatchObject({ output: 'done\n\nC\n\n[System] M', suppressDisplay: true });
  });

  test('may be followed by another that a hook wants', async () => {
    const next = { name: 'lint', args: { fix: true } };
    const { result } = await called({ AfterTool: [hook({ hookSpecificOutput: { tailToolCallRequest: next } })] });
    expect(result).toMatchObject({ output: 'done', tailToolCall: next });
  });

  test('is known to hooks by the id of the call', async () => {
    const before = recording<{ tool_use_id: unknown }>();
    const after = recording<{ tool_use_id: unknown }>();
    const hooks = await engine({ BeforeTool: [before.definition], AfterTool: [after.definition] });
    await hooks.callTool('shell', {}, () => 'done', { id: 'call-7' });
    expect([...before.seen, ...after.seen].map(({ tool_use_id }) => tool_use_id)).toEqual(['call-7', 'call-7']);
  });

  describe('R1515 has an id that hooks get before and after it', () => {
    interface Ids {
      readonly call_id: unknown;
      readonly tool_use_id?: unknown;
    }

    test('the one by which its agent knows it', async () => {
      const [before, after] = [recording<Ids>(), recording<Ids>()];
      const hooks = await engine({ BeforeTool: [before.definition], AfterTool: [after.definition] });
      await hooks.callTool('shell', {}, () => 'done', { id: 'call-7' });
      await hooks.beforeTool({ tool: 'shell', input: {}, id: 'call-8' });
      await hooks.fire('AfterTool', { tool_name: 'shell', tool_input: {}, tool_response: 1, tool_use_id: 'call-9' });
      expect([...before.seen, ...after.seen].map(({ call_id }) => call_id)).toEqual([
        'call-7',
        'call-8',
        'call-7',
        'call-9',
      ]);
    });

    test('one of its own where the agent has none, for a question and for a failure, too', async () => {
      const [before, asked, failed] = [
        recording<Ids>({ decision: 'ask' }),
        recording<Ids>({ decision: 'allow' }),
        recording<Ids>(),
      ];
      const hooks = await engine({
        BeforeTool: [before.definition],
        PermissionRequest: [asked.definition],
        AfterToolFailure: [failed.definition],
      });
      const options = {};
      for (const _call of [1, 2])
        await hooks.callTool('shell', {}, () => Promise.reject(new Error('no disk')), options).catch(() => undefined);
      const ids = before.seen.map(({ call_id }) => call_id);
      expect(ids).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
      expect(new Set(ids).size).toBe(2);
      expect(asked.seen.map(({ call_id }) => call_id)).toEqual(ids);
      expect(failed.seen.map(({ call_id }) => call_id)).toEqual(ids);
      expect(before.seen[0]).not.toHaveProperty('tool_use_id');
    });

    test('another one for the tool that a hook wants next', async () => {
      const next = { name: 'lint', args: {} };
      const before = recording<Ids>();
      const after = hook(({ tool_name }: { tool_name: string }) =>
        tool_name === 'shell' ? { hookSpecificOutput: { tailToolCallRequest: next } } : {},
      );
      const hooks = await engine({ BeforeTool: [before.definition], AfterTool: [after] });
      await hooks.callTool('shell', {}, () => 'done', { id: 'call-7', runTool: () => 'linted' });
      const [first, second] = before.seen;
      expect([first?.call_id, first?.tool_use_id, second?.tool_use_id]).toEqual(['call-7', 'call-7', 'call-7']);
      expect(second?.call_id).toMatch(/./);
      expect(second?.call_id).not.toBe('call-7');
    });
  });

  test('that throws is its caller’s: the error comes back unchanged and no AfterTool hook is asked', async () => {
    const { seen, definition } = recording();
    const hooks = await engine({ AfterTool: [definition] });
    const error = new Error('no disk');
    await expect(hooks.callTool('shell', {}, () => Promise.reject(error))).rejects.toBe(error);
    expect(seen).toEqual([]);
  });

  test('runs although hooks failed, and the faults say which', async () => {
    const { result } = await called({ BeforeTool: [throwing()], AfterTool: [throwing()] });
    expect(result).toMatchObject({ output: 'done', faults: [{ code: 'threw' }, { code: 'threw' }] });
  });
});

describe('a tool that a hook is against', () => {
  test.each<[string, HookDefinition, object]>([
    ['denies', hook({ decision: 'deny', reason: 'no' }), { blocked: { verdict: 'deny', reason: 'no' } }],
    [
      'stops',
      hook({ continue: false, stopReason: 'enough' }),
      { blocked: { verdict: 'stop', reason: 'enough' }, stopped: { reason: 'enough' } },
    ],
    [
      'denies and stops',
      hook({ decision: 'deny', reason: 'no', continue: false, stopReason: 'enough' }),
      { blocked: { verdict: 'deny', reason: 'no' }, stopped: { reason: 'enough' } },
    ],
    ['breaks as a guard', throwing({ onFault: 'deny' }), { blocked: { verdict: 'deny' }, faults: [{ code: 'threw' }] }],
  ])('does not run when it %s', async (_what, definition, expected) => {
    const after = recording();
    const { result, calls } = await called({ BeforeTool: [definition], AfterTool: [after.definition] });
    expect(result).toMatchObject(expected);
    expect([calls, after.seen]).toEqual([[], []]);
    expect(result).not.toHaveProperty('output');
    expect(result).not.toHaveProperty('withheld');
  });

  test('keeps what hooks say for the next request to the model', async () => {
    const hooks = await engine({ BeforeTool: [hook({ ...saying, decision: 'deny' })] });
    expect(await hooks.callTool('shell', {}, () => 'done')).toMatchObject({ context: 'C', messages: ['M'] });
    const { request } = await hooks.beforeModel({ request: { model: 'm', contents: 'hi' } });
    expect(JSON.stringify(request)).toMatch(/\[System\] C".*\[System\] M"/);
  });

  test.each<[string, HookDefinition, object]>([
    ['denies', hook({ decision: 'deny', reason: 'secret' }), { withheld: { reason: 'secret' } }],
    [
      'stops',
      hook({ continue: false, stopReason: 'enough' }),
      { withheld: { reason: 'enough' }, stopped: { reason: 'enough' } },
    ],
  ])('has its result withheld when it %s afterwards', async (_what, definition, expected) => {
    const { result, calls } = await called({ AfterTool: [definition] }, 'sk-1');
    expect(result).toMatchObject(expected);
    expect(calls).toHaveLength(1);
    expect(result).not.toHaveProperty('output');
    expect(result).not.toHaveProperty('blocked');
    expect(JSON.stringify(result)).not.toContain('sk-1');
  });
});

describe('a tool that a hook asks about', () => {
  test('runs when a person approves, who sees the call as it would run', async () => {
    const questions: ConfirmQuestion[] = [];
    const changing = hook({ hookSpecificOutput: { tool_input: { cwd: '/safe' } } });
    const { result } = await called({ BeforeTool: [asking, changing] }, 'done', {
      confirm: (question) => questions.push(question) > 0,
    });
    expect(result).toMatchObject({ asked: { reason: 'sure?', answered: true, approved: true } });
    expect(result.output).toMatch(/^done/);
    expect(questions).toEqual([
      { eventName: 'BeforeTool', reason: 'sure?', toolName: 'shell', toolInput: { command: 'ls', cwd: '/safe' } },
    ]);
  });

  test('does not run when a person refuses', async () => {
    const { result, calls } = await called({ BeforeTool: [asking] }, 'done', { confirm: () => false });
    expect(calls).toEqual([]);
    expect(result).toMatchObject({
      blocked: { verdict: 'deny', reason: 'not approved (sure?)' },
      asked: { reason: 'sure?', answered: true, approved: false },
    });
  });

  test('does not run when asking fails', async () => {
    const confirm = () => Promise.reject(new Error('no window'));
    const { result, calls } = await called({ BeforeTool: [asking] }, 'done', { confirm });
    expect(calls).toEqual([]);
    expect(result).toMatchObject({ blocked: { verdict: 'deny' }, asked: { reason: 'sure?', answered: false } });
  });

  test('does not run where nobody can be asked, and the log says so once', async () => {
    const { warnings, logger } = listening();
    const hooks = await engine({ BeforeTool: [asking] }, { logger });
    const { calls, run } = tool('done');
    const result = await hooks.callTool('shell', {}, run);
    await hooks.callTool('shell', {}, run);
    expect(calls).toEqual([]);
    expect(result).toMatchObject({
      blocked: { verdict: 'ask', reason: 'sure?, and no person can be asked' },
      asked: { reason: 'sure?', answered: false },
    });
    expect(result.asked).not.toHaveProperty('approved');
    expect(warnings).toEqual([
      expect.stringMatching(/sure\?.*no person can be asked: the tool does not run.*deps\.confirm/),
    ]);
  });

  test('after it ran gives its result only when a person approves', async () => {
    const results = [undefined, () => false, () => true].map((confirm) =>
      called({ AfterTool: [asking] }, 'sk-1', { confirm }).then(({ result }) => result),
    );
    expect(await Promise.all(results)).toMatchObject([
      { withheld: { reason: 'sure?, and no person can be asked' }, asked: { answered: false } },
      { withheld: { reason: 'not approved (sure?)' }, asked: { approved: false } },
      { output: 'sk-1', asked: { approved: true } },
    ]);
  });
});

describe('a call whose signal aborts rejects with the reason of the signal', () => {
  const reason = new Error('the user left');
  const leaving = async (
    hooks: HooksByEvent,
    run: (input: Record<string, unknown>, context: { signal: AbortSignal }) => unknown,
  ) => {
    const controller = new AbortController();
    const leave = (): void => controller.abort(reason);
    const result = (await engine(hooks)).callTool('shell', {}, run, { signal: controller.signal });
    return { leave, result };
  };

  test('before hooks are asked', async () => {
    const { seen, definition } = recording();
    const hooks = await engine({ BeforeTool: [definition] });
    const signal = AbortSignal.abort(reason);
    await expect(hooks.callTool('shell', {}, () => 'done', { signal })).rejects.toBe(reason);
    expect(seen).toEqual([]);
  });

  test.each<[string, object]>([
    ['says nothing', {}],
    ['denies', { onFault: 'deny' }],
  ])('while hooks are asked, also when the guard that is ended %s', async (_what, extra) => {
    const asked = moment();
    const definition = hook(() => {
      asked.comes();
      return new Promise(() => {});
    }, extra);
    const { calls, run } = tool('done');
    const { leave, result } = await leaving({ BeforeTool: [definition] }, run);
    await asked.came;
    leave();
    await expect(result).rejects.toBe(reason);
    expect(calls).toEqual([]);
  });

  test('while the tool runs, which hears of it; nothing waits for a tool that does not', async () => {
    const { seen, definition } = recording();
    const running = moment();
    let heard = false;
    const { leave, result } = await leaving({ AfterTool: [definition] }, (_input, { signal }) => {
      signal.addEventListener('abort', () => {
        heard = true;
      });
      running.comes();
      return new Promise(() => {});
    });
    await running.came;
    leave();
    await expect(result).rejects.toBe(reason);
    expect([heard, seen]).toEqual([true, []]);
  });

  test('while hooks look at the result', async () => {
    const looking = moment();
    const definition = hook(() => {
      looking.comes();
      return new Promise(() => {});
    });
    const { leave, result } = await leaving({ AfterTool: [definition] }, () => 'done');
    await looking.came;
    leave();
    await expect(result).rejects.toBe(reason);
  });

  test.each<keyof Hooks>(['beforeTool', 'afterTool', 'beforeAgent', 'sessionStart', 'notify', 'beforeModel'])(
    '%s too',
    async (method) => {
      const hang = [hook(() => new Promise(() => {}))];
      const hooks = await engine({
        BeforeTool: hang,
        AfterTool: hang,
        BeforeAgent: hang,
        SessionStart: hang,
        Notification: hang,
        BeforeModel: hang,
      });
      const call = (signal: AbortSignal): unknown =>
        Reflect.apply(untyped<() => unknown>(hooks[method]), undefined, [
          {
            tool: 'shell',
            input: {},
            output: 'done',
            prompt: 'hi',
            source: 'startup',
            type: 'Idle',
            message: 'hi',
            request: { model: 'm', contents: 'hi' },
            signal,
          },
        ]);
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 5);
      await expect(call(controller.signal)).rejects.toBe(reason);
      await expect(call(AbortSignal.abort(reason))).rejects.toBe(reason);
    },
  );
});

describe('a call of a tool that is wrong is refused', () => {
  const wrong: [string, unknown[], string][] = [
    ['without a name', ['', {}, () => 'x'], 'callTool needs tool, the name of the tool; got ""'],
    ['without an input', ['shell', undefined, () => 'x'], 'callTool needs input'],
    ['without a function', ['shell', {}, 'ls'], 'callTool needs run, what runs the tool; got "ls"'],
    ['with an unknown option', ['shell', {}, () => 'x', { singal: 1 }], '"singal"; did you mean "signal"?'],
    ['with its signal as options', ['shell', {}, () => 'x', AbortSignal.abort()], 'got an AbortSignal; pass {signal}'],
    ['with a controller as options', ['shell', {}, () => 'x', new AbortController()], '{signal: controller.signal}'],
    [
      'with a map as options',
      ['shell', {}, () => 'x', new Map()],
      'needs options, an object such as {signal}; got a Map',
    ],
    ['with a signal that is none', ['shell', {}, () => 'x', { signal: {} }], 'callTool needs signal, an AbortSignal'],
  ];

  test.each(wrong)('%s', async (_what, args, message) => {
    const hooks = await createHooks();
    const answer: unknown = Reflect.apply(untyped<() => unknown>(hooks.callTool), undefined, args);
    await expect(answer).rejects.toThrow(message);
  });

  test('on hooks that are closed, and when they are closed before the tool runs', async () => {
    const { calls, run } = tool('done');
    const hooks = await engine({ BeforeTool: [hook(() => new Promise(() => {}))] });
    const answer = hooks.callTool('shell', {}, run);
    await hooks.close();
    await expect(answer).rejects.toMatchObject({ code: 'disposed' });
    await expect(answer).rejects.toThrow('callTool cannot go on: the hooks were closed meanwhile');
    await expect(hooks.callTool('shell', {}, run)).rejects.toMatchObject({ code: 'disposed' });
    expect(calls).toEqual([]);
  });
});

describe('R1820 hooks that are closed while a tool runs', () => {
  const closedDuring = async (onFault: 'allow' | 'ask' | 'deny', event = 'AfterTool') => {
    const redact = hook({}, { onFault });
    const hooks = await engine({ [event]: [redact] });
    return hooks.callTool('shell', {}, async () => {
      await hooks.close();
      return 'SECRET';
    });
  };

  test.each(['deny', 'ask'] as const)(
    'withhold its output for a guard of AfterTool with onFault %s',
    async (onFault) => {
      const answer = await closedDuring(onFault);
      expect(answer).not.toHaveProperty('output');
      expect(answer.withheld?.reason).toContain('fault "cancelled"');
      expect(answer.faults).toMatchObject([{ code: 'disposed' }, { code: 'cancelled' }]);
    },
  );

  test('let it through if no guard was to judge it', async () => {
    expect(await closedDuring('allow')).toMatchObject({ output: 'SECRET', faults: [{ code: 'disposed' }] });
    expect(await closedDuring('deny', 'SessionEnd')).toMatchObject({ output: 'SECRET' });
  });
});
