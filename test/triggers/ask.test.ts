import { describe, expect, test } from 'vitest';
import {
  type Confirm,
  type ConfirmQuestion,
  confirmOverBus,
  createHooks,
  executeToolWithHooks,
  fireAfterAgentHook,
  fireAfterModelHook,
  fireBeforeAgentHook,
  fireBeforeModelHook,
  type HookDefinition,
  MessageBus,
  MessageBusType,
} from '../../src/index.ts';
import { processWarningsOf } from '../support/process-warnings.ts';
import { untyped } from '../support/untyped.ts';
import { configWith, hook, listening, throwing, tool } from './support.ts';

const asking = hook({ decision: 'ask', reason: 'it deletes files' });
const faulty = throwing({ onFault: 'ask' });

const run = async (definitions: HookDefinition[], confirm?: Confirm, args = { command: 'rm' }) => {
  const { calls, run: execute } = tool({ llmContent: 'done' });
  const options = confirm === undefined ? {} : { confirm };
  const result = await executeToolWithHooks(configWith({ BeforeTool: definitions }), 'shell', args, execute, options);
  return { ran: calls.length === 1, calls, result };
};

describe('a hook that asks', () => {
  test('is answered by confirm: yes lets the tool run, and its result is untouched', async () => {
    const { ran, result } = await run([asking], () => true);
    expect(ran).toBe(true);
    expect(result).toEqual({ llmContent: 'done' });
  });

  test('is answered by confirm: no keeps the tool from running', async () => {
    const { ran, result } = await run([asking], async () => false);
    expect(ran).toBe(false);
    expect(result).toEqual({
      llmContent: 'Tool call blocked by hook: not approved (it deletes files)',
      returnDisplay: 'Tool call blocked by hook: not approved (it deletes files)',
      error: { message: 'Tool call blocked by hook: not approved (it deletes files)', type: 'hook_refused' },
    });
  });

  test('does not block where nobody can be asked, and the result says so', async () => {
    const { ran, result } = await run([asking]);
    expect(ran).toBe(true);
    expect(result).toEqual({ llmContent: 'done', asked: { reason: 'it deletes files', answered: false } });
  });

  test('R1975 and that no person can answer is a warning of the process without a logger, once per engine', async () => {
    const warnings = await processWarningsOf(async () => {
      const config = configWith({ BeforeAgent: [asking], BeforeTool: [asking] });
      await fireBeforeAgentHook(config, 'hi');
      await executeToolWithHooks(config, 'shell', {}, () => ({}));
      await fireBeforeAgentHook(configWith({ BeforeAgent: [asking] }, { deps: { warnings: false } }), 'hi');
    });
    expect(warnings).toEqual([
      {
        code: 'HOOKWRIGHT_NOT_ASKED',
        message: expect.stringMatching(/it deletes files.*no person can be asked: the agent goes on.*deps\.confirm/),
      },
    ]);
  });

  test('and that nobody hears is in the log, once per engine', async () => {
    const { warnings, logger } = listening();
    const config = configWith({ BeforeTool: [asking], AfterTool: [asking] }, { deps: { logger } });
    for (let count = 0; count < 3; count += 1) await executeToolWithHooks(config, 'shell', {}, () => ({}));
    expect(warnings).toEqual([
      expect.stringMatching(/it deletes files.*no person can be asked.*deps\.confirm.*confirmOverBus/),
    ]);
    const another = listening();
    const second = configWith({ BeforeAgent: [asking] }, { deps: { logger: another.logger } });
    await fireBeforeAgentHook(second, 'hi');
    expect(another.warnings).toHaveLength(1);
  });

  test('is not asked about when another hook denies or stops', async () => {
    const never: Confirm = () => {
      throw new Error('nobody must be asked');
    };
    expect((await run([asking, hook({ decision: 'deny' })], never)).result.error?.type).toBe('hook_blocked');
    expect((await run([asking, hook({ continue: false })], never)).result.error?.type).toBe('hook_stopped');
  });

  test('is asked about although another hook allows', async () => {
    expect((await run([hook({ decision: 'allow' }), asking], () => false)).ran).toBe(false);
  });

  test('is answered by the confirm of the deps, unless the call brings its own', async () => {
    const config = configWith({ BeforeTool: [asking] }, { deps: { confirm: () => false } });
    const call = (confirm?: Confirm) =>
      executeToolWithHooks(config, 'shell', {}, () => ({ llmContent: 'done' }), { confirm });
    expect((await call()).error?.type).toBe('hook_refused');
    expect((await call(() => true)).error).toBeUndefined();
  });
});

describe('whoever is asked', () => {
  test('is told the event, the reason, the tool and the arguments it would run with', async () => {
    const questions: ConfirmQuestion[] = [];
    const changing = hook({ hookSpecificOutput: { tool_input: { force: false } } });
    await run([asking, changing], (question) => questions.push(question) > 0);
    expect(questions).toEqual([
      {
        eventName: 'BeforeTool',
        reason: 'it deletes files',
        toolName: 'shell',
        toolInput: { command: 'rm', force: false },
      },
    ]);
  });

  test('cannot approve one thing and have another done', async () => {
    const { calls } = await run([asking], ({ toolInput }) => {
      Object.assign(toolInput ?? {}, { command: 'rm -rf /' });
      return true;
    });
    expect(calls).toEqual([{ command: 'rm' }]);
  });

  test.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('the window was closed');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('the window was closed');
      },
    ],
    ['answers "yes"', () => 'yes'],
    ['answers 1', () => 1],
    ['answers nothing', () => undefined],
    ['answers an object', () => ({ approved: true })],
  ])('and %s has refused', async (_how, confirm) => {
    expect((await run([asking], untyped<Confirm>(confirm))).result.error?.type).toBe('hook_refused');
  });

  test('and fails is named in the log', async () => {
    const { warnings, logger } = listening();
    const confirm = () => {
      throw new Error('the window was closed');
    };
    const config = configWith({ BeforeTool: [asking] }, { deps: { logger, confirm } });
    await executeToolWithHooks(config, 'shell', {}, () => ({}));
    expect(warnings).toEqual([expect.stringMatching(/confirmation of shell.*the window was closed/)]);
  });

  test('and never answers has refused as soon as the call is cancelled', async () => {
    const controller = new AbortController();
    const signals: (AbortSignal | undefined)[] = [];
    const { calls, run: execute } = tool({});
    const result = await executeToolWithHooks(configWith({ BeforeTool: [asking] }), 'shell', {}, execute, {
      signal: controller.signal,
      confirm: (_question, context) => {
        signals.push(context?.signal);
        setTimeout(() => controller.abort(), 5);
        return new Promise<boolean>(() => {});
      },
    });
    expect(calls).toEqual([]);
    expect(result.error?.type).toBe('hook_refused');
    expect(signals).toEqual([controller.signal]);
  });
});

describe('an ask that stands for a fault', () => {
  test('denies where nobody can be asked', async () => {
    const { ran, result } = await run([faulty]);
    expect(ran).toBe(false);
    expect(result.error?.type).toBe('hook_refused');
    expect(result.llmContent).toMatch(/out of order.*onFault: "ask".*no person can be asked/);
  });

  test.each([true, false])('is put to whoever can be: %s', async (approved) => {
    expect((await run([faulty], () => approved)).ran).toBe(approved);
  });

  test('still denies when a hook beside it asks for itself, or pretends that all is well', async () => {
    expect((await run([asking, faulty])).ran).toBe(false);
    expect((await run([faulty, hook({ hookSpecificOutput: { onFault: false } })])).ran).toBe(false);
    expect((await run([faulty, hook({ decision: 'allow' })])).ran).toBe(false);
  });
});

describe('confirmOverBus', () => {
  const onBus = (approved: boolean | undefined) => {
    const bus = new MessageBus();
    const config = configWith(
      { BeforeTool: [asking] },
      { bus, deps: { confirm: confirmOverBus(bus, { timeoutMs: 30 }) } },
    );
    if (approved !== undefined) {
      bus.subscribe(MessageBusType.HOOK_CONFIRMATION_REQUEST, ({ correlationId }) =>
        bus.publish({ type: MessageBusType.HOOK_CONFIRMATION_RESPONSE, correlationId, approved, by: 'a person' }),
      );
    }
    return { bus, config };
  };

  test.each([true, false])('a person on the bus answers %s', async (approved) => {
    const { config } = onBus(approved);
    const result = await executeToolWithHooks(config, 'shell', {}, () => ({ llmContent: 'done' }));
    expect(result.error === undefined).toBe(approved);
  });

  test('R1219 a call says whether a person answered, the time ran out, or there was no listener', async () => {
    const { bus, config } = onBus(undefined);
    const hooks = await createHooks({ config });
    const ask = async () => (await hooks.callTool('shell', {}, () => 'ran')).asked;
    expect(await ask()).toMatchObject({ answered: false, unanswered: 'no-listener' });
    const answers: boolean[] = [];
    bus.subscribe(MessageBusType.HOOK_CONFIRMATION_REQUEST, ({ correlationId }) => {
      const approved = answers.shift();
      if (approved === undefined) return;
      bus.publish({ type: MessageBusType.HOOK_CONFIRMATION_RESPONSE, correlationId, approved });
    });
    expect(await ask()).toMatchObject({ answered: false, unanswered: 'timeout' });
    answers.push(false);
    expect(await ask()).toMatchObject({ answered: true, approved: false });
    const { blocked } = await hooks.callTool('shell', {}, () => 'ran');
    expect(blocked?.reason).toContain('not approved, because no answer came in time');
    await hooks.close();
  });

  test('nobody on the bus is a no', async () => {
    const result = await executeToolWithHooks(onBus(undefined).config, 'shell', {}, () => ({}));
    expect(result.error?.type).toBe('hook_refused');
  });

  test('a person who says nothing in time is a no', async () => {
    const { bus, config } = onBus(undefined);
    const asked: string[] = [];
    bus.subscribe(MessageBusType.HOOK_CONFIRMATION_REQUEST, ({ toolName = '' }) => void asked.push(toolName));
    const result = await executeToolWithHooks(config, 'shell', {}, () => ({}));
    expect(asked).toEqual(['shell']);
    expect(result.error?.type).toBe('hook_refused');
  });
});

describe('every other moment', () => {
  const request = { model: 'm', contents: 'hi' };
  const response = { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] } }] };

  test('after the tool, a refusal withholds the result', async () => {
    const config = configWith({ AfterTool: [hook({ decision: 'ask', reason: 'looks secret' })] });
    const call = (confirm?: Confirm) =>
      executeToolWithHooks(config, 'shell', {}, () => ({ llmContent: 'sk-1' }), { confirm });
    expect((await call(() => false)).llmContent).toMatch(/not approved \(looks secret\)\n\n.*withheld/);
    expect(await call(() => true)).toEqual({ llmContent: 'sk-1' });
    expect(await call()).toEqual({ llmContent: 'sk-1', asked: { reason: 'looks secret', answered: false } });
  });

  test.each<[string, (confirm: Confirm | undefined, definition: HookDefinition) => Promise<boolean | undefined>]>([
    [
      'before the agent works on a prompt',
      async (confirm, definition) =>
        (await fireBeforeAgentHook(configWith({ BeforeAgent: [definition] }), 'hi', { confirm })).blocked,
    ],
    [
      'before the model is called',
      async (confirm, definition) =>
        (await fireBeforeModelHook(configWith({ BeforeModel: [definition] }), request, { confirm })).blocked,
    ],
    [
      'after the model has answered',
      async (confirm, definition) =>
        (await fireAfterModelHook(configWith({ AfterModel: [definition] }), request, response, { confirm })).blocked,
    ],
    [
      'after the agent has answered',
      async (confirm, definition) =>
        (await fireAfterAgentHook(configWith({ AfterAgent: [definition] }), 'hi', 'ho', false, { confirm })).retry,
    ],
  ])('%s, a refusal is a block, and so is a fault nobody can be asked about', async (_when, fire) => {
    expect(await fire(() => false, asking)).toBe(true);
    expect(await fire(undefined, faulty)).toBe(true);
    expect((await fire(() => true, asking)) ?? false).toBe(false);
    expect((await fire(undefined, asking)) ?? false).toBe(false);
  });

  test('a question that is about no tool names none', async () => {
    const questions: ConfirmQuestion[] = [];
    const confirm: Confirm = (question) => questions.push(question) > 0;
    await fireBeforeModelHook(configWith({ BeforeModel: [asking] }), request, { confirm });
    expect(questions).toEqual([{ eventName: 'BeforeModel', reason: 'it deletes files' }]);
  });

  test('the trace of an ask that nobody could answer still says ask', async () => {
    const decisions: unknown[] = [];
    const config = configWith(
      { BeforeTool: [asking] },
      { deps: { onTrace: ({ rows }) => void decisions.push(...rows.map(({ output }) => output?.decision)) } },
    );
    await executeToolWithHooks(config, 'shell', {}, () => ({}));
    expect(decisions).toEqual(['ask']);
  });
});
