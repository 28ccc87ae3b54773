import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/events/index.ts';
import {
  type Confirm,
  type ConfirmQuestion,
  confirmOverBus,
  createHooks,
  type HookDefinition,
  type HookDeps,
  type HookEventName,
  type HookVerdict,
  MessageBus,
  MessageBusType,
  type OnFault,
} from '../../src/index.ts';
import { hook, listening, throwing } from '../triggers/support.ts';

const call = { tool: 'shell', input: { command: 'ls' } };

const asked = async (definitions: HookDefinition[], deps?: HookDeps): Promise<HookVerdict> => {
  const hooks = await createHooks({ hooks: { BeforeTool: definitions }, deps });
  return hooks.beforeTool(call);
};

/** What a caller reads, without the members that are there but empty. */
const said = async (definitions: HookDefinition[], deps?: HookDeps) =>
  JSON.parse(JSON.stringify(await asked(definitions, deps)));

describe('the verdict', () => {
  const cases: [string, HookDefinition[], object][] = [
    ['nobody is there', [], { verdict: 'none' }],
    ['a hook returns nothing', [hook(() => undefined)], { verdict: 'none' }],
    ['a hook returns an empty answer', [hook({})], { verdict: 'none' }],
    ['a hook only gives a reason', [hook({ reason: 'because' })], { verdict: 'none' }],
    ['a hook goes on', [hook({ continue: true })], { verdict: 'none' }],
    ['a hook only changes the input', [hook({ hookSpecificOutput: { tool_input: {} } })], { verdict: 'none' }],
    ['a hook allows', [hook({ decision: 'allow' })], { verdict: 'allow' }],
    [
      'a hook approves, with a reason',
      [hook({ decision: 'approve', reason: 'ok' })],
      { verdict: 'allow', reason: 'ok' },
    ],
    ['a hook asks', [hook({ decision: 'ask', reason: 'sure?' })], { verdict: 'ask', reason: 'sure?' }],
    ['a hook denies', [hook({ decision: 'deny', reason: 'no' })], { verdict: 'deny', reason: 'no' }],
    [
      'a hook blocks without a reason',
      [hook({ decision: 'block' })],
      { verdict: 'deny', reason: 'No reason provided' },
    ],
    [
      'a hook stops',
      [hook({ continue: false, stopReason: 'enough' })],
      { verdict: 'stop', reason: 'enough', stopReason: 'enough' },
    ],
    [
      'a hook denies and stops',
      [hook({ decision: 'deny', reason: 'no', continue: false, stopReason: 'enough' })],
      { verdict: 'deny', reason: 'no', stopReason: 'enough' },
    ],
    [
      'one allows and one asks',
      [hook({ decision: 'allow' }), hook({ decision: 'ask', reason: '?' })],
      { verdict: 'ask', reason: '?' },
    ],
    [
      'one denies and one allows',
      [hook({ decision: 'deny', reason: 'no' }), hook({ decision: 'allow' })],
      { verdict: 'deny', reason: 'no' },
    ],
  ];

  test.each(cases)('when %s', async (_when, definitions, verdict) => {
    expect(await said(definitions)).toEqual({ ...verdict, messages: [], faults: [], input: call.input });
  });

  test('none is not allow: a fault, plain text and a warning are no approval', async () => {
    expect((await asked([throwing()])).verdict).toBe('none');
    expect((await asked([hook(() => 'fine')])).verdict).toBe('none');
    expect((await asked([hook({ systemMessage: 'fine' })])).verdict).toBe('none');
  });
});

describe('beside the verdict', () => {
  test('there is context for the model, escaped', async () => {
    const { context } = await asked([hook({ hookSpecificOutput: { additionalContext: '<b>' } })]);
    expect(context).toBe('&lt;b&gt;');
  });

  test.each(['', ' ', '\n\t'])('%j says nothing, and adds nothing', async (blank) => {
    const said = { systemMessage: blank, hookSpecificOutput: { additionalContext: blank } };
    expect(await asked([hook(said), hook(said)])).toMatchObject({ context: undefined, messages: [] });
  });

  test('there are the messages of all hooks, in configured order', async () => {
    const slow = hook(() => new Promise((resolve) => setTimeout(resolve, 5, { systemMessage: 'first' })));
    expect((await asked([slow, hook({ systemMessage: 'second' })])).messages).toEqual(['first', 'second']);
  });

  test('nobody can write into the lists of another call', async () => {
    const { messages, faults } = await asked([]);
    expect(Object.isFrozen(messages) && Object.isFrozen(faults)).toBe(true);
  });

  test.each<[string, HookDefinition, object]>([
    ['throws', throwing({ name: 'guard' }), { hook: 'guard', code: 'threw', message: 'Hook "guard": out of order' }],
    [
      'returns a text',
      hook(() => 'deny', { name: 'guard' }),
      {
        hook: 'guard',
        code: 'malformed-output',
        message: 'Hook "guard": a hook must return an object or nothing, got "deny"',
      },
    ],
    [
      'misspells its decision',
      hook(() => ({ decision: 'alow' }), { name: 'guard' }),
      {
        hook: 'guard',
        code: 'malformed-output',
        message: expect.stringMatching(/^Hook "guard": decision: .*did you mean "allow"\?/),
      },
    ],
    [
      'takes too long',
      hook(() => new Promise(() => {}), { name: 'guard', timeout: 10 }),
      { hook: 'guard', code: 'timeout', message: 'Hook "guard": no answer within 10 ms' },
    ],
    [
      'is of a kind that needs a function and has none',
      { hooks: [{ type: 'plugin', name: 'guard' }] },
      { hook: 'guard', code: 'not-supported', message: expect.stringContaining('function') },
    ],
  ])('there is the fault of a hook that %s', async (_how, definition, fault) => {
    expect((await asked([definition])).faults).toEqual([fault]);
  });

  test('a fault that denies is both', async () => {
    const { verdict, reason, faults } = await asked([throwing({ name: 'guard', onFault: 'deny' })]);
    expect(verdict).toBe('deny');
    expect(reason).toContain('out of order');
    expect(faults).toHaveLength(1);
  });

  const withRole = { role: 'assistant', content: 'without the secret' };
  const withParts = { role: 'user', content: [{ type: 'text', text: 'without the secret' }] };
  const lostChanges: [string, HookEventName, unknown][] = [
    ['tool_input', 'BeforeTool', 'ls'],
    ['updatedInput', 'BeforeTool', 'ls'],
    ['llm_request', 'BeforeModel', { messages: [withRole] }],
    ['llm_request', 'BeforeModel', { messages: [withParts] }],
    ['llm_response', 'AfterModel', { candidates: [{ content: 'without the secret' }] }],
    ['toolConfig', 'BeforeToolSelection', { mode: 'none' }],
  ];

  test.each(lostChanges)('R2061 a guard whose %s at %s cannot be read is at fault: %j', async (field, event, value) => {
    const answers = (onFault: OnFault) => hook({ hookSpecificOutput: { [field]: value } }, { name: 'guard', onFault });
    const fire = async (onFault: OnFault) => {
      const hooks = await createHooks({ hooks: { [event]: [answers(onFault)] }, deps: { confirm: () => false } });
      return hooks.fire(event, catalogue[event].sample);
    };
    const message = expect.stringContaining(`hookSpecificOutput.${field}: expected`);
    expect(await fire('deny')).toMatchObject({
      verdict: 'deny',
      faults: [{ hook: 'guard', code: 'malformed-output', message }],
    });
    expect(await fire('ask')).toMatchObject({ verdict: 'deny', reason: expect.stringContaining('not approved') });
    expect(await fire('allow')).toMatchObject({ verdict: 'none', faults: [] });
  });

  test('R2061 a denial beside a change that cannot be read keeps its reason, and is no fault', async () => {
    const answer = { decision: 'deny' as const, reason: 'no', hookSpecificOutput: { updatedInput: 'ls' } };
    expect(await asked([hook(answer, { onFault: 'ask' })])).toMatchObject({
      verdict: 'deny',
      reason: 'no',
      faults: [],
    });
  });

  test('there is what went wrong with the event itself', async () => {
    const hooks = await createHooks({ hooks: { BeforeTool: [hook(() => new Promise(() => {}))] } });
    const { verdict, faults } = await hooks.beforeTool({ ...call, timeoutMs: 10 });
    expect(verdict).toBe('none');
    expect(faults.map(({ code }) => code)).toEqual(['deadline_exceeded', 'deadline']);
  });
});

describe('ask', () => {
  const asking = [hook({ decision: 'ask', reason: 'sure?' })];
  const faulty = [throwing({ onFault: 'ask' })];

  test.each<[string, Confirm | undefined, HookDefinition[], string]>([
    ['stays ask where nobody can be asked', undefined, asking, 'ask'],
    ['becomes allow when it is approved', () => true, asking, 'allow'],
    ['becomes deny when it is refused', async () => false, asking, 'deny'],
    [
      'becomes deny when asking fails',
      () => {
        throw new Error('no window');
      },
      asking,
      'deny',
    ],
    ['becomes deny where it stands for a fault and nobody can be asked', undefined, faulty, 'deny'],
    ['becomes allow where it stands for a fault and is approved', () => true, faulty, 'allow'],
  ])('%s', async (_what, confirm, definitions, verdict) => {
    expect((await asked(definitions, { confirm })).verdict).toBe(verdict);
  });

  test('says why it was refused', async () => {
    expect((await asked(asking, { confirm: () => false })).reason).toBe('not approved (sure?)');
  });

  test('tells the person what would be done', async () => {
    const questions: ConfirmQuestion[] = [];
    const changing = hook({ hookSpecificOutput: { tool_input: { cwd: '/safe' } } });
    await asked([...asking, changing], { confirm: (question) => questions.push(question) > 0 });
    expect(questions).toEqual([
      { eventName: 'BeforeTool', reason: 'sure?', toolName: 'shell', toolInput: { command: 'ls', cwd: '/safe' } },
    ]);
  });

  test('is put to people for every event', async () => {
    const questions: ConfirmQuestion[] = [];
    const ask = () => [hook({ decision: 'ask', reason: 'sure?' })];
    const hooks = await createHooks({
      hooks: { BeforeAgent: ask(), AfterTool: ask(), SessionStart: ask() },
      deps: { confirm: (question) => questions.push(question) < 0 },
    });
    const verdicts = [
      await hooks.beforeAgent({ prompt: 'hi' }),
      await hooks.afterTool({ ...call, output: 'secret' }),
      await hooks.sessionStart({ source: 'startup' }),
    ];
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['deny', 'deny', 'deny']);
    expect(verdicts[1]).toMatchObject({ output: expect.not.stringContaining('secret') });
    expect(questions).toMatchObject([
      { eventName: 'BeforeAgent' },
      { eventName: 'AfterTool', toolName: 'shell', toolInput: { command: 'ls' } },
      { eventName: 'SessionStart' },
    ]);
    expect(questions[0]).not.toHaveProperty('toolName');
  });

  test('goes over the bus to a UI and back', async () => {
    const bus = new MessageBus();
    bus.subscribe(MessageBusType.HOOK_CONFIRMATION_REQUEST, ({ correlationId, reason }) => {
      const approved = reason === 'sure?';
      bus.publish({ type: MessageBusType.HOOK_CONFIRMATION_RESPONSE, correlationId, approved });
    });
    const hooks = await createHooks({ bus, hooks: { BeforeTool: asking }, deps: { confirm: confirmOverBus(bus) } });
    expect((await hooks.beforeTool(call)).verdict).toBe('allow');
  });

  test('is over when the call is cancelled, or the engine is closed', async () => {
    const confirm: Confirm = () => new Promise<boolean>(() => {});
    const hooks = await createHooks({ hooks: { BeforeTool: asking }, deps: { confirm } });
    const controller = new AbortController();
    const cancelled = hooks.beforeTool({ ...call, signal: controller.signal });
    const reason = new Error('the user left');
    setTimeout(() => controller.abort(reason), 5);
    await expect(cancelled).rejects.toBe(reason);
    const closed = [hooks.beforeTool(call), hooks.beforeTool({ ...call, signal: new AbortController().signal })];
    setTimeout(() => void hooks.close(), 5);
    expect((await Promise.all(closed)).map(({ verdict }) => verdict)).toEqual(['deny', 'deny']);
  });

  test('that fails is named in the log', async () => {
    const { warnings, logger } = listening();
    const confirm: Confirm = () => {
      throw new Error('no window');
    };
    await asked(asking, { confirm, logger });
    expect(warnings).toEqual([expect.stringMatching(/shell.*no window/)]);
  });
});
