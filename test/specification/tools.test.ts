import { describe, expect, test } from 'vitest';
import {
  Config,
  confirmOverBus,
  type ExecuteToolOptions,
  executeToolWithHooks,
  fireAfterToolHook,
  fireBeforeToolHook,
  type HooksByEvent,
  MessageBus,
  MessageBusType,
  type ToolResult,
} from '../../src/index.ts';
import { all, answering, keeping, keepingLogger } from './engine.ts';

const configWith = (hooks: HooksByEvent): Config => new Config({ enableHooks: true, hooks });

const saidBefore = (answer: object): Config => configWith({ BeforeTool: all(answering('a', answer)) });
const saidAfter = (answer: object): Config => configWith({ AfterTool: all(answering('a', answer)) });

/** One call of a tool, and what the tool was called with, if it was. */
const callTool = async (config: Config, result: ToolResult = { llmContent: 'text' }, options?: ExecuteToolOptions) => {
  const ran: Record<string, unknown>[] = [];
  const execute = (input: Record<string, unknown>): ToolResult => {
    ran.push(input);
    return result;
  };
  const answer = await executeToolWithHooks(config, 'read_file', { path: 'a' }, execute, options);
  return { answer, ran };
};

describe('the triggers of a tool', () => {
  test('R240 R244 give the merged output of the event', async () => {
    const config = configWith({
      BeforeTool: all(answering('a', { decision: 'allow' }), answering('b', { decision: 'deny', reason: 'no' })),
      AfterTool: all(answering('c', { suppressOutput: true })),
    });
    expect((await fireBeforeToolHook(config, 'read_file', {}))?.getBlockingError()).toEqual({
      blocked: true,
      reason: 'no',
    });
    expect(await fireAfterToolHook(config, 'read_file', {}, { llmContent: '' })).toMatchObject({
      suppressOutput: true,
    });
  });

  test('R176 R240 C51 give nothing where nothing runs', async () => {
    expect(await fireBeforeToolHook(configWith({}), 'read_file', {})).toBeUndefined();
    expect(await fireAfterToolHook(configWith({}), 'read_file', {}, { llmContent: '' })).toBeUndefined();
  });

  test('R241 R247 R310 give nothing with hooks off, and the tool runs as if there were none', async () => {
    const hooks = { BeforeTool: all(answering('a', { decision: 'deny' })) };
    const config = new Config({ enableHooks: false, hooks });
    expect(await fireBeforeToolHook(config, 'read_file', {})).toBeUndefined();
    const result = { llmContent: 'text' };
    const { answer, ran } = await callTool(config, result);
    expect(answer).toBe(result);
    expect(ran).toEqual([{ path: 'a' }]);
  });

  test('R243 R320 R321 R325 give nothing when the engine fails, warn, and the tool runs', async () => {
    const { logger, lines } = keepingLogger();
    class Unlucky extends Config {
      override getHooks(): never {
        throw new Error('the disk is gone');
      }
    }
    const config = new Unlucky({ enableHooks: true, deps: { logger } });
    expect(await fireBeforeToolHook(config, 'read_file', {})).toBeUndefined();
    const { answer, ran } = await callTool(config);
    expect({ answer, ran }).toEqual({ answer: { llmContent: 'text' }, ran: [{ path: 'a' }] });
    expect(lines[0]).toMatch(/^warn: BeforeTool .*the disk is gone/);
  });

  test('R245 C06 show hooks the four documented members of a result, the last two where they are', async () => {
    const kept: unknown[] = [];
    const config = configWith({ AfterTool: all(keeping(kept)) });
    await fireAfterToolHook(config, 'read_file', {}, { llmContent: 'text', returnDisplay: 'shown' });
    const full = { llmContent: 'text', returnDisplay: '', metadata: { a: 1 }, error: { message: 'half of it' } };
    await fireAfterToolHook(config, 'read_file', {}, { ...full, suppressDisplay: true });
    expect(kept).toMatchObject([{ tool_response: {} }, { tool_response: {} }]);
    const responses = kept.map((input) => JSON.parse(JSON.stringify(input)).tool_response);
    expect(responses).toEqual([{ llmContent: 'text', returnDisplay: 'shown' }, full]);
  });
});

describe('before a tool runs', () => {
  test.each(['block', 'deny'])(
    'R166 R248 R261 R300 C28 %s keeps it from running and tells the model why',
    async (decision) => {
      const { answer, ran } = await callTool(saidBefore({ decision, reason: 'not on Fridays' }));
      expect(ran).toEqual([]);
      expect(answer.llmContent).toBe('Tool call blocked by hook: not on Fridays');
      expect(answer.error?.message).toContain('not on Fridays');
    },
  );

  test('R249 R298 a stop keeps it from running and says that the agent is to stop', async () => {
    const { answer, ran } = await callTool(saidBefore({ continue: false, stopReason: 'enough' }));
    expect(ran).toEqual([]);
    expect(answer.llmContent).toBe('Execution stopped by hook: enough');
    expect(answer.metadata).toMatchObject({ stopExecution: true });
  });

  test('R250 C33 a block speaks before a stop, and both reasons are kept', async () => {
    const output = { decision: 'block', reason: 'not this', continue: false, stopReason: 'and no more' };
    const { answer } = await callTool(saidBefore(output));
    expect(answer.llmContent).toMatch(/^Tool call blocked by hook: not this/);
    expect(answer.llmContent).toContain('and no more');
    expect(answer.metadata).toMatchObject({ stopExecution: true });
  });

  test.each([{ decision: 'allow' }, { decision: 'approve' }, {}, { continue: true }])(
    'R166 R300 with %j it runs, and gives its own result',
    async (output) => {
      const result = { llmContent: 'text' };
      const { answer, ran } = await callTool(saidBefore(output), result);
      expect(answer).toBe(result);
      expect(ran).toEqual([{ path: 'a' }]);
    },
  );

  test('C32 it is called with the arguments that hooks changed', async () => {
    const { ran } = await callTool(saidBefore({ hookSpecificOutput: { tool_input: { path: 'b' } } }));
    expect(ran).toEqual([{ path: 'b' }]);
  });

  test.each([
    [true, 1],
    [false, 0],
  ])('R167 R262 C05 an ask is put to whoever confirms; the answer %j runs it %d times', async (approved, times) => {
    const questions: unknown[] = [];
    const { answer, ran } = await callTool(saidBefore({ decision: 'ask', reason: 'sure?' }), undefined, {
      confirm: (question) => {
        questions.push(question);
        return approved;
      },
    });
    expect(ran).toHaveLength(times);
    expect(questions).toEqual([
      { eventName: 'BeforeTool', reason: 'sure?', toolName: 'read_file', toolInput: { path: 'a' } },
    ]);
    expect(answer.error === undefined).toBe(approved);
  });

  test('C05 an ask over the bus is answered by whoever listens there', async () => {
    const bus = new MessageBus();
    bus.subscribe(MessageBusType.HOOK_CONFIRMATION_REQUEST, ({ correlationId }) =>
      bus.publish({ type: MessageBusType.HOOK_CONFIRMATION_RESPONSE, correlationId, approved: false }),
    );
    const { answer, ran } = await callTool(saidBefore({ decision: 'ask', reason: 'sure?' }), undefined, {
      confirm: confirmOverBus(bus),
    });
    expect(ran).toEqual([]);
    expect(answer.error?.message).toContain('sure?');
  });

  test('C05 an ask with nobody to confirm does not block and stays visible', async () => {
    const config = saidBefore({ decision: 'ask', reason: 'sure?' });
    expect((await callTool(config)).ran).toHaveLength(1);
    expect((await fireBeforeToolHook(config, 'read_file', {}))?.isAskDecision()).toBe(true);
  });
});

describe('after a tool has run', () => {
  test('R246 R251 its hooks are shown the arguments it was called with and what it gave', async () => {
    const kept: unknown[] = [];
    const config = configWith({
      BeforeTool: all(answering('a', { hookSpecificOutput: { tool_input: { path: 'b' } } })),
      AfterTool: all(keeping(kept)),
    });
    await callTool(config);
    expect(kept).toMatchObject([
      { tool_name: 'read_file', tool_input: { path: 'b' }, tool_response: { llmContent: 'text' } },
    ]);
  });

  test('R252 a stop replaces its result', async () => {
    const { answer } = await callTool(saidAfter({ continue: false, stopReason: 'enough' }));
    expect(answer.llmContent).toMatch(/^Execution stopped by hook: enough/);
    expect(answer.metadata).toMatchObject({ stopExecution: true });
  });

  test('R253 R299 C30 context is appended for the model, its angle brackets escaped', async () => {
    const { answer } = await callTool(saidAfter({ hookSpecificOutput: { additionalContext: 'see <b>' } }));
    expect(answer.llmContent).toBe('text\n\nsee &lt;b&gt;');
  });

  test('R254 R255 suppressOutput keeps it from the display, and only from there', async () => {
    const { answer } = await callTool(saidAfter({ suppressOutput: true }));
    expect(answer).toEqual({ llmContent: 'text', suppressDisplay: true });
  });

  test('R172 R263 R264 C29 messages and data of hooks are kept in the metadata', async () => {
    const output = { systemMessage: 'look', hookSpecificOutput: { lines: 3 } };
    const { answer } = await callTool(saidAfter(output), { llmContent: 'text', metadata: { own: true } });
    expect(answer.metadata).toEqual({ own: true, hookMessages: ['look'], hookData: { lines: 3 } });
  });
});

describe('a system message', () => {
  test('R292 R293 C28b of a tool hook is appended to its result, after a blank line and with a marker', async () => {
    expect((await callTool(saidBefore({ systemMessage: 'mind the gap' }))).answer.llmContent).toBe(
      'text\n\n[System] mind the gap',
    );
    expect((await callTool(saidAfter({ systemMessage: 'mind the gap' }))).answer.llmContent).toBe(
      'text\n\n[System] mind the gap',
    );
  });

  test('R290 R292 of a hook that blocks is not lost', async () => {
    const { answer } = await callTool(saidBefore({ decision: 'deny', reason: 'no', systemMessage: 'ask me' }));
    expect(answer.llmContent).toBe('Tool call blocked by hook: no\n\n[System] ask me');
  });

  test('R291 R297 C28b is published for whoever wants to show it, and not put on the display', async () => {
    const bus = new MessageBus();
    const told: string[] = [];
    bus.subscribe(MessageBusType.HOOK_SYSTEM_MESSAGE, ({ message }) => told.push(message));
    const hooks = { AfterTool: all(answering('a', { systemMessage: 'mind the gap' })) };
    const { answer } = await callTool(new Config({ enableHooks: true, hooks, bus }), {
      llmContent: 'text',
      returnDisplay: 'shown',
    });
    expect(told).toEqual(['mind the gap']);
    expect(answer.returnDisplay).toBe('shown');
  });
});
