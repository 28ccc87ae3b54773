import { describe, expect, test } from 'vitest';
import {
  Config,
  executeToolWithHooks,
  type HookDefinition,
  type HookOutput,
  type ToolResult,
} from '../../src/index.ts';
import { untyped, withHostileMember } from '../support/untyped.ts';
import { configWith, hook, listening, recording, throwing, tool } from './support.ts';

const withBefore = (...definitions: HookDefinition[]) => configWith({ BeforeTool: definitions });
const withAfter = (...definitions: HookDefinition[]) => configWith({ AfterTool: definitions });

/** One call of a tool that gives `result`, with one AfterTool hook. */
const afterAnswer = (answer: HookOutput, result: ToolResult = { llmContent: 'done' }): Promise<ToolResult> =>
  executeToolWithHooks(withAfter(hook(answer)), 'shell', {}, () => result);

describe('a result nobody touches is the very object the tool gave', () => {
  const result = Object.freeze({ llmContent: [{ text: 'done' }], metadata: { lines: 1 } });

  test.each<[string, Config]>([
    ['hooks are off', configWith({ BeforeTool: [hook({ decision: 'deny' })] }, { enableHooks: false })],
    ['there are no hooks', configWith({})],
    ['no matcher matches', withBefore(hook({ decision: 'deny' }, { matcher: 'other' }))],
    ['hooks return nothing', configWith({ BeforeTool: [hook(() => undefined)], AfterTool: [hook(() => null)] })],
    ['hooks return an empty answer', configWith({ BeforeTool: [hook({})], AfterTool: [hook({})] })],
    [
      'hooks agree',
      configWith({ BeforeTool: [hook({ decision: 'allow' })], AfterTool: [hook({ decision: 'approve' })] }),
    ],
    ['hooks fail', configWith({ BeforeTool: [throwing()], AfterTool: [throwing()] })],
  ])('%s', async (_why, config) => {
    expect(await executeToolWithHooks(config, 'shell', {}, () => result)).toBe(result);
  });

  test.each(['a text', undefined, null, 5])('even %o, which is no result at all', async (returned) => {
    const config = configWith({ AfterTool: [hook({})] });
    expect(await executeToolWithHooks(config, 'shell', {}, () => untyped<ToolResult>(returned))).toBe(returned);
  });

  test('the tool gets the arguments of the call, in a copy that its hooks judged', async () => {
    const args = { command: 'ls' };
    const { calls, run } = tool(result);
    await executeToolWithHooks(withBefore(hook({ decision: 'allow' })), 'shell', args, run);
    expect(calls[0]).toEqual(args);
    expect(calls[0]).not.toBe(args);
  });
});

describe('a block before the tool', () => {
  test.each<[string, HookDefinition]>([
    ['deny', hook({ decision: 'deny', reason: 'not here' })],
    ['block', hook({ decision: 'block', reason: 'not here' })],
  ])('%s keeps it from running and tells the model why', async (_decision, definition) => {
    const { calls, run } = tool({ llmContent: 'done' });
    const result = await executeToolWithHooks(withBefore(definition), 'shell', {}, run);
    expect(calls).toEqual([]);
    expect(result).toEqual({
      llmContent: 'Tool call blocked by hook: not here',
      returnDisplay: 'Tool call blocked by hook: not here',
      error: { message: 'Tool call blocked by hook: not here', type: 'hook_blocked' },
    });
  });

  test('without a reason says so', async () => {
    const result = await executeToolWithHooks(withBefore(hook({ decision: 'deny' })), 'shell', {}, () => ({}));
    expect(result.llmContent).toBe('Tool call blocked by hook: No reason provided');
  });

  test('is not lifted by another hook, and all reasons are told', async () => {
    const config = withBefore(
      hook({ decision: 'deny', reason: 'one' }),
      hook({ decision: 'allow', reason: 'fine by me' }),
      hook({ decision: 'block', reason: 'two' }),
    );
    const result = await executeToolWithHooks(config, 'shell', {}, () => ({}));
    expect(result.error?.message).toBe('Tool call blocked by hook: one\ntwo');
  });

  test('fires no AfterTool hook', async () => {
    const { seen, definition } = recording();
    const config = configWith({ BeforeTool: [hook({ decision: 'deny' })], AfterTool: [definition] });
    await executeToolWithHooks(config, 'shell', {}, () => ({}));
    expect(seen).toEqual([]);
  });

  test('still tells the model what hooks have for it', async () => {
    const config = withBefore(
      hook({
        decision: 'deny',
        reason: 'no',
        systemMessage: 'Use the API.',
        hookSpecificOutput: { additionalContext: 'See docs/api.md' },
      }),
    );
    const result = await executeToolWithHooks(config, 'shell', {}, () => ({}));
    expect(result.llmContent).toBe('Tool call blocked by hook: no\n\nSee docs/api.md\n\n[System] Use the API.');
    expect(result.returnDisplay).toBe('Tool call blocked by hook: no');
  });
});

describe('a stop before the tool', () => {
  test('keeps it from running and says that the agent is to stop', async () => {
    const { calls, run } = tool({ llmContent: 'done' });
    const config = withBefore(hook({ continue: false, stopReason: 'budget spent' }));
    const result = await executeToolWithHooks(config, 'shell', {}, run);
    expect(calls).toEqual([]);
    expect(result).toEqual({
      llmContent: 'Execution stopped by hook: budget spent',
      returnDisplay: 'Execution stopped by hook: budget spent',
      error: { message: 'Execution stopped by hook: budget spent', type: 'hook_stopped' },
      metadata: { stopExecution: true },
      stopped: { reason: 'budget spent' },
    });
  });

  test.each<[string, HookDefinition[]]>([
    ['one hook', [hook({ decision: 'deny', reason: 'unsafe', continue: false, stopReason: 'budget spent' })]],
    [
      'two hooks',
      [hook({ continue: false, stopReason: 'budget spent' }), hook({ decision: 'deny', reason: 'unsafe' })],
    ],
  ])('beside a block, from %s: the block speaks first and both reasons are kept', async (_who, definitions) => {
    const result = await executeToolWithHooks(withBefore(...definitions), 'shell', {}, () => ({}));
    const text = 'Tool call blocked by hook: unsafe\n\nExecution stopped by hook: budget spent';
    expect(result).toMatchObject({
      llmContent: text,
      error: { message: text, type: 'hook_blocked' },
      metadata: { stopExecution: true },
      stopped: { reason: 'budget spent' },
    });
  });
});

describe('changed arguments', () => {
  test('reach the tool, merged one by one, and the AfterTool hooks', async () => {
    const { seen, definition } = recording<{ tool_input: object }>();
    const config = configWith({
      BeforeTool: [
        hook({ hookSpecificOutput: { tool_input: { timeout: 10 } } }),
        hook({ hookSpecificOutput: { tool_input: { cwd: '/safe' } } }),
      ],
      AfterTool: [definition],
    });
    const args = Object.freeze({ command: 'ls', timeout: 600 });
    const { calls, run } = tool({ llmContent: 'done' });
    await executeToolWithHooks(config, 'shell', args, run);
    expect(calls).toEqual([{ command: 'ls', timeout: 10, cwd: '/safe' }]);
    expect(seen[0]?.tool_input).toEqual({ command: 'ls', timeout: 10, cwd: '/safe' });
  });

  test('of one hook are what the next hook of a sequence sees', async () => {
    const { seen, definition } = recording<{ tool_input: object }>();
    const config = withBefore(
      hook({ hookSpecificOutput: { tool_input: { timeout: 10 } } }, { sequential: true }),
      definition,
    );
    await executeToolWithHooks(config, 'shell', { timeout: 600 }, () => ({}));
    expect(seen[0]?.tool_input).toEqual({ timeout: 10 });
  });

  test('are told to the model: which parameters, not their values', async () => {
    const config = withBefore(
      hook({ hookSpecificOutput: { tool_input: { command: 'ls', timeout: 10, token: 'sk-1' } }, systemMessage: 'M' }),
    );
    const args = { command: 'ls', timeout: 600, cwd: '/' };
    const result = await executeToolWithHooks(config, 'shell', args, () => ({ llmContent: 'done' }));
    expect(result.llmContent).toBe(
      'done\n\n[System] A hook changed the arguments of this tool call before it ran: timeout, token\n\n[System] M',
    );
  });

  test.each<[string, object]>([
    ['nothing', {}],
    ['what they are already, in another order', { paths: ['a'], where: { b: 2, a: 1 } }],
  ])('that come to %s are not told', async (_what, tool_input) => {
    const config = withBefore(hook({ hookSpecificOutput: { tool_input: { ...tool_input } } }));
    const args = { paths: ['a'], where: { a: 1, b: 2 } };
    const result = { llmContent: 'done' };
    expect(await executeToolWithHooks(config, 'shell', args, () => result)).toBe(result);
  });

  test('of a call that does not run are not told', async () => {
    const config = withBefore(hook({ decision: 'deny', reason: 'no', hookSpecificOutput: { tool_input: { a: 1 } } }));
    const result = await executeToolWithHooks(config, 'shell', {}, () => ({}));
    expect(result.llmContent).toBe('Tool call blocked by hook: no');
  });

  test('of a hook that writes into its own input change nothing', async () => {
    const config = withBefore(
      hook(({ tool_input }: { tool_input: object }) => {
        Object.assign(tool_input, { command: 'rm' });
      }),
    );
    const { calls, run } = tool({});
    await executeToolWithHooks(config, 'shell', { command: 'ls' }, run);
    expect(calls).toEqual([{ command: 'ls' }]);
  });
});

describe('what hooks tell the model with a result', () => {
  test('a system message comes after a blank line, with a marker', async () => {
    expect((await afterAnswer({ systemMessage: 'Tests are slow today.' })).llmContent).toBe(
      'done\n\n[System] Tests are slow today.',
    );
  });

  test('one from before the tool rides on its result too', async () => {
    const config = withBefore(hook({ systemMessage: 'Be brief.' }));
    expect(await executeToolWithHooks(config, 'shell', {}, () => ({ llmContent: 'done' }))).toEqual({
      llmContent: 'done\n\n[System] Be brief.',
    });
  });

  test.each(['', ' ', '\n\t'])('nothing is appended for a context or a message of %j', async (empty) => {
    const said = { systemMessage: empty, hookSpecificOutput: { additionalContext: empty } };
    const config = configWith({ BeforeTool: [hook(said)], AfterTool: [hook(said)] });
    const result = await executeToolWithHooks(config, 'shell', {}, () => ({ llmContent: 'done' }));
    expect(result.llmContent).toBe('done');
  });

  test('context is appended with its angle brackets escaped', async () => {
    const answer = { hookSpecificOutput: { additionalContext: 'see <admin>' } };
    expect((await afterAnswer(answer)).llmContent).toBe('done\n\nsee &lt;admin&gt;');
  });

  test('what was said before comes before what was said after, context before messages', async () => {
    const config = configWith({
      BeforeTool: [hook({ systemMessage: 'B', hookSpecificOutput: { additionalContext: 'b' } })],
      AfterTool: [hook({ systemMessage: 'A', hookSpecificOutput: { additionalContext: 'a' } })],
    });
    const result = await executeToolWithHooks(config, 'shell', {}, () => ({ llmContent: 'done' }));
    expect(result.llmContent).toBe('done\n\nb\n\n[System] B\n\na\n\n[System] A');
  });

  test.each<[string, unknown, unknown]>([
    ['a text', 'done', 'done\n\nnote'],
    ['nothing', undefined, 'note'],
    ['null', null, 'note'],
    ['an empty text', '', 'note'],
    ['one part', { text: 'done' }, [{ text: 'done' }, { text: '\n\nnote' }]],
    ['a list of parts', [{ text: 'a' }, { inlineData: {} }], [{ text: 'a' }, { inlineData: {} }, { text: '\n\nnote' }]],
    ['a list of texts', ['a', 'b'], ['a', 'b', '\n\nnote']],
    ['a mixed list', ['a', { text: 'b' }], ['a', { text: 'b' }, { text: '\n\nnote' }]],
    ['a number', 42, '42\n\nnote'],
  ])('is appended where the content is %s', async (_what, llmContent, expected) => {
    const result = await afterAnswer({ hookSpecificOutput: { additionalContext: 'note' } }, { llmContent });
    expect(result.llmContent).toEqual(expected);
  });

  test('leaves the list of the tool as it was', async () => {
    const llmContent = Object.freeze([Object.freeze({ text: 'done' })]);
    const result = await afterAnswer({ systemMessage: 'note' }, { llmContent });
    expect(result.llmContent).toHaveLength(2);
    expect(llmContent).toHaveLength(1);
  });

  test('is for the model: the display stays', async () => {
    const result = await afterAnswer({ systemMessage: 'note' }, { llmContent: 'done', returnDisplay: '**done**' });
    expect(result.returnDisplay).toBe('**done**');
  });

  test('can be added to a text a tool gave in place of a result', async () => {
    const config = withAfter(hook({ systemMessage: 'note' }));
    const result = await executeToolWithHooks(config, 'shell', {}, () => untyped<ToolResult>('done'));
    expect(result.llmContent).toBe('done\n\n[System] note');
  });

  test('keeps the class of the result', async () => {
    class ShellResult {
      llmContent = 'done';
      get isFine(): boolean {
        return this.llmContent !== '';
      }
    }
    const config = withAfter(hook({ systemMessage: 'note' }));
    const result = await executeToolWithHooks(config, 'shell', {}, () => new ShellResult());
    expect(result).toBeInstanceOf(ShellResult);
    expect(result.isFine).toBe(true);
  });
});

test('a result that cannot be copied comes back as it is: what hooks said is lost, not the result', async () => {
  const { warnings, logger } = listening();
  const result = withHostileMember({ llmContent: 'done' }, 'exitCode');
  const config = configWith({ AfterTool: [hook({ systemMessage: 'note' })] }, { deps: { logger } });
  expect(await executeToolWithHooks(config, 'shell', {}, () => result)).toBe(result);
  expect(warnings).toEqual([expect.stringContaining('do not look at exitCode')]);
});

describe('the metadata of a result', () => {
  test('keeps the message of each AfterTool hook, and their data', async () => {
    const config = withAfter(
      hook({ systemMessage: 'one', hookSpecificOutput: { coverage: 91 } }),
      hook({ systemMessage: 'two', hookSpecificOutput: { additionalContext: 'see log' } }),
    );
    const result = await executeToolWithHooks(config, 'shell', {}, () => ({ llmContent: 'x', metadata: { lines: 3 } }));
    expect(result.metadata).toEqual({
      lines: 3,
      hookMessages: ['one', 'two'],
      hookData: { coverage: 91, additionalContext: 'see log' },
    });
    expect(result.llmContent).toBe('x\n\nsee log\n\n[System] one\ntwo');
  });

  test('is not made up when hooks gave nothing for it', async () => {
    expect(await afterAnswer({ suppressOutput: true })).toEqual({ llmContent: 'done', suppressDisplay: true });
  });

  test('keeps the message of a hook that failed with a warning', async () => {
    const result = await executeToolWithHooks(withAfter(hook(() => 'text')), 'shell', {}, () => ({
      llmContent: 'done',
    }));
    expect(result.metadata?.hookMessages).toEqual([expect.stringContaining('must return an object')]);
  });
});

describe('suppressOutput', () => {
  test('is for the display only: the model gets the result', async () => {
    const result = await afterAnswer({ suppressOutput: true }, { llmContent: 'long', returnDisplay: 'long' });
    expect(result).toEqual({ llmContent: 'long', returnDisplay: 'long', suppressDisplay: true });
  });

  test('keeps nothing from the model, what hooks say included', async () => {
    const answer = { suppressOutput: true, systemMessage: 'M', hookSpecificOutput: { additionalContext: 'C' } };
    const result = await afterAnswer(answer, { llmContent: 'long', returnDisplay: 'long' });
    expect(result).toMatchObject({ llmContent: 'long\n\nC\n\n[System] M', suppressDisplay: true });
  });

  test('before the tool says nothing about its result', async () => {
    const config = withBefore(hook({ suppressOutput: true }));
    expect(await executeToolWithHooks(config, 'shell', {}, () => ({ llmContent: 'x' }))).toEqual({ llmContent: 'x' });
  });
});

describe('a block after the tool', () => {
  test('withholds the result, and says that the tool has run', async () => {
    const result = await afterAnswer(
      { decision: 'deny', reason: 'holds secrets' },
      { llmContent: 'sk-123', metadata: { raw: 'sk-123' } },
    );
    const text = 'Tool call blocked by hook: holds secrets\n\nThe tool has run; its result is withheld.';
    expect(result).toEqual({ llmContent: text, returnDisplay: text, error: { message: text, type: 'hook_blocked' } });
  });

  test('takes the result away, not what hooks say', async () => {
    const config = configWith({
      BeforeTool: [hook({ systemMessage: 'from before' })],
      AfterTool: [
        hook({
          decision: 'deny',
          reason: 'no',
          systemMessage: 'from after',
          suppressOutput: true,
          hookSpecificOutput: { additionalContext: 'context' },
        }),
      ],
    });
    const result = await executeToolWithHooks(config, 'shell', {}, () => ({ llmContent: 'secret' }));
    expect(result.llmContent).toMatch(
      /^Tool call blocked by hook: no\n\n.*\n\n\[System] from before\n\ncontext\n\n\[System] from after$/,
    );
    expect(result.metadata).toEqual({ hookMessages: ['from after'], hookData: { additionalContext: 'context' } });
    expect(result.suppressDisplay).toBe(true);
  });

  test('a stop replaces the result with a stop', async () => {
    expect(await afterAnswer({ continue: false, stopReason: 'enough' })).toEqual({
      llmContent: 'Execution stopped by hook: enough',
      returnDisplay: 'Execution stopped by hook: enough',
      error: { message: 'Execution stopped by hook: enough', type: 'hook_stopped' },
      metadata: { stopExecution: true },
      stopped: { reason: 'enough' },
    });
  });

  test('beside a stop keeps both reasons', async () => {
    const result = await afterAnswer({ decision: 'block', reason: 'secret', continue: false, stopReason: 'enough' });
    expect(result.llmContent).toMatch(/blocked by hook: secret\n\n.*withheld\.\n\nExecution stopped by hook: enough$/);
    expect(result.metadata).toEqual({ stopExecution: true });
  });
});

describe('a tool that throws', () => {
  const problem = Object.freeze(new TypeError('the disk is full'));

  test.each<[string, () => ToolResult | Promise<ToolResult>]>([
    [
      'at once',
      () => {
        throw problem;
      },
    ],
    [
      'later',
      async () => {
        throw problem;
      },
    ],
  ])('%s: its error reaches the caller unchanged, and AfterTool does not fire', async (_when, run) => {
    const { seen, definition } = recording();
    const config = configWith({ BeforeTool: [hook({ systemMessage: 'note' })], AfterTool: [definition] });
    await expect(executeToolWithHooks(config, 'shell', {}, run)).rejects.toBe(problem);
    expect(seen).toEqual([]);
  });

  test('with hooks off: the same', async () => {
    const run = (): ToolResult => {
      throw problem;
    };
    await expect(executeToolWithHooks(new Config(), 'shell', {}, run)).rejects.toBe(problem);
  });

  test('something that is no error is handed on as well', async () => {
    const run = (): Promise<ToolResult> => Promise.reject('a text');
    await expect(executeToolWithHooks(withBefore(hook({})), 'shell', {}, run)).rejects.toBe('a text');
  });
});

describe('a fault', () => {
  test('before the tool is no verdict', async () => {
    const { calls, run } = tool({ llmContent: 'done' });
    await executeToolWithHooks(withBefore(throwing()), 'shell', {}, run);
    expect(calls).toHaveLength(1);
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('out of order');
      },
    ],
    ['returns a text', () => 'deny'],
    ['returns a decision nobody knows', () => ({ decision: 'denied' })],
  ])('of a guard that %s and says onFault: deny blocks', async (_how, action) => {
    const { calls, run } = tool({ llmContent: 'done' });
    const result = await executeToolWithHooks(withBefore(hook(action, { onFault: 'deny' })), 'shell', {}, run);
    expect(calls).toEqual([]);
    expect(result.error?.type).toBe('hook_blocked');
    expect(result.llmContent).toMatch(/^Tool call blocked by hook: Hook "hook-\d+".*onFault: "deny"/);
  });

  test('of an AfterTool guard that says onFault: deny withholds the result', async () => {
    const result = await executeToolWithHooks(withAfter(throwing({ onFault: 'deny' })), 'shell', {}, () => ({
      llmContent: 'secret',
    }));
    expect(result.llmContent).not.toContain('secret');
  });

  test('of the engine is told to the log, and the tool runs', async () => {
    const { warnings, logger } = listening();
    const config = new Config({ enableHooks: true, deps: { logger } });
    await config.getHookSystem()?.dispose();
    expect(await executeToolWithHooks(config, 'shell', {}, () => ({ llmContent: 'done' }))).toEqual({
      llmContent: 'done',
    });
    expect(warnings.join('\n')).toContain('disposed');
  });
});
