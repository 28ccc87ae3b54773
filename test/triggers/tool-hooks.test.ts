import { describe, expect, test } from 'vitest';
import { BeforeToolHookOutput, fireAfterToolHook, fireBeforeToolHook, type ToolResult } from '../../src/index.ts';
import { untyped, withHostileMember } from '../support/untyped.ts';
import { configWith, hook, listening, recording } from './support.ts';

describe('fireBeforeToolHook', () => {
  test('gives the merged answer as the class of its event', async () => {
    const config = configWith({
      BeforeTool: [hook({ decision: 'allow' }), hook({ decision: 'deny', reason: 'not today' })],
    });
    const output = await fireBeforeToolHook(config, 'shell', { command: 'ls' });
    expect(output).toBeInstanceOf(BeforeToolHookOutput);
    expect(output?.getBlockingError()).toEqual({ blocked: true, reason: 'not today' });
  });

  test('shows hooks the call under its wire names, with the fields every input has', async () => {
    const { seen, definition } = recording();
    const config = configWith({ BeforeTool: [definition] }, { workingDir: '/work', transcriptPath: '/t.jsonl' });
    await fireBeforeToolHook(
      config,
      'shell',
      { command: 'ls' },
      { mcpContext: { server_name: 'files' }, originalName: 'list' },
    );
    expect(seen).toEqual([
      {
        session_id: 'session-1',
        transcript_path: '/t.jsonl',
        cwd: '/work',
        hook_event_name: 'BeforeTool',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        tool_name: 'shell',
        tool_input: { command: 'ls' },
        mcp_context: { server_name: 'files' },
        original_request_name: 'list',
      },
    ]);
  });

  test('leaves out what the call does not have', async () => {
    const { seen, definition } = recording();
    await fireBeforeToolHook(configWith({ BeforeTool: [definition] }), 'shell', {});
    expect(seen[0]).not.toHaveProperty('mcp_context');
    expect(seen[0]).not.toHaveProperty('original_request_name');
  });

  test('hands out an ask as it is: whoever fires by hand also asks by hand', async () => {
    const config = configWith({ BeforeTool: [hook({ decision: 'ask' })] }, { deps: { confirm: () => true } });
    expect((await fireBeforeToolHook(config, 'shell', {}))?.isAskDecision()).toBe(true);
  });

  test('asks a hook whose matcher matches the name of the tool, and no other', async () => {
    const config = configWith({ BeforeTool: [hook({ decision: 'deny' }, { matcher: 'write_.*' })] });
    expect(await fireBeforeToolHook(config, 'write_file', {})).toMatchObject({ decision: 'deny' });
    expect(await fireBeforeToolHook(config, 'read_file', {})).toBeUndefined();
  });

  test('loads the hooks before it fires, once', async () => {
    let loads = 0;
    const config = {
      getSessionId: () => 'duck',
      getHooks: () => {
        loads += 1;
        return { BeforeTool: [hook({ decision: 'deny' })] };
      },
    };
    const outputs = await Promise.all([1, 2, 3].map(() => fireBeforeToolHook(config, 'shell', {})));
    expect(outputs.map((output) => output?.decision)).toEqual(['deny', 'deny', 'deny']);
    await fireBeforeToolHook(config, 'shell', {});
    expect(loads).toBe(1);
  });

  test.each<[string, unknown, object]>([
    ['without arguments', undefined, {}],
    ['with null', null, {}],
    ['with a text', 'ls -l', { input: 'ls -l' }],
    ['with a list', ['ls'], { input: ['ls'] }],
  ])('asks the guard of a tool that is called %s', async (_what, args, shown) => {
    const { seen, definition } = recording({ decision: 'deny' });
    const config = configWith({ BeforeTool: [definition] });
    const output = await fireBeforeToolHook(config, 'wipe_disk', untyped<Record<string, unknown>>(args));
    expect(output?.decision).toBe('deny');
    expect(seen).toMatchObject([{ tool_input: shown }]);
  });
});

const responseFor = async (result: unknown): Promise<unknown> => {
  const { seen, definition } = recording<{ tool_response: unknown }>();
  await fireAfterToolHook(configWith({ AfterTool: [definition] }), 'shell', {}, untyped<ToolResult>(result));
  return seen[0]?.tool_response;
};

class NetworkError extends Error {
  override name = 'NetworkError';
}

describe('what AfterTool hooks see of a result', () => {
  const cyclic: Record<string, unknown> = { name: 'loop' };
  cyclic.self = cyclic;

  test.each<[string, unknown, unknown]>([
    ['content alone', { llmContent: 'done' }, { llmContent: 'done' }],
    [
      'content and display',
      { llmContent: 'done', returnDisplay: '**done**' },
      { llmContent: 'done', returnDisplay: '**done**' },
    ],
    ['metadata', { llmContent: '', metadata: { lines: 3 } }, { llmContent: '', metadata: { lines: 3 } }],
    [
      'an error',
      { llmContent: 'no', error: { message: 'no such file', type: 'ENOENT' } },
      { llmContent: 'no', error: { message: 'no such file', type: 'ENOENT' } },
    ],
    ['an Error', { llmContent: 'no', error: new Error('boom') }, { llmContent: 'no', error: { message: 'boom' } }],
    [
      'an Error of a class of its own, with members of its own',
      { llmContent: 'no', error: Object.assign(new NetworkError('gone'), { status: 410 }) },
      { llmContent: 'no', error: { message: 'gone', type: 'NetworkError', status: 410, name: 'NetworkError' } },
    ],
    [
      'an error that is only a text',
      { llmContent: 'no', error: 'boom' },
      { llmContent: 'no', error: { message: 'boom' } },
    ],
    ['metadata and an error that are null', { llmContent: 'x', metadata: null, error: null }, { llmContent: 'x' }],
    ['members a host adds for itself', { llmContent: 'x', summary: 'mine' }, { llmContent: 'x' }],
    ['a list of parts', { llmContent: [{ text: 'a' }, 'b'] }, { llmContent: [{ text: 'a' }, 'b'] }],
    ['a text instead of a result', 'done', { llmContent: 'done' }],
    ['nothing at all', undefined, {}],
    [
      'a date, an error and a big number inside',
      {
        llmContent: 'x',
        metadata: { at: new Date(0), why: new Error('inner'), size: 2n ** 60n, of: ['a', new Date(1)] },
      },
      {
        llmContent: 'x',
        metadata: {
          at: '1970-01-01T00:00:00.000Z',
          why: { message: 'inner' },
          size: '1152921504606846976',
          of: ['a', '1970-01-01T00:00:00.001Z'],
        },
      },
    ],
    ['bytes', { llmContent: new Uint8Array(5) }, { llmContent: '[5 bytes]' }],
    ['a function', { llmContent: 'x', returnDisplay: () => 'rendered' }, { llmContent: 'x' }],
    [
      'a cycle',
      { llmContent: 'x', metadata: cyclic },
      { llmContent: 'x', metadata: { name: 'loop', self: '[refers to itself]' } },
    ],
    [
      'a getter that throws',
      { llmContent: 'x', metadata: withHostileMember({ fine: 1 }, 'odd') },
      { llmContent: 'x', metadata: { fine: 1, odd: '[cannot be read]' } },
    ],
  ])('%s', async (_what, result, shown) => {
    expect(await responseFor(result)).toEqual(shown);
  });

  test('metadata and error are no keys at all when they are absent', async () => {
    expect(Object.keys(Object(await responseFor({ llmContent: 'x' })))).toEqual(['llmContent', 'returnDisplay']);
  });

  test('what nests deeper than hooks can be shown is cut where it is too deep', async () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 200; level += 1) deep = [deep];
    expect(JSON.stringify(await responseFor({ llmContent: deep }))).toContain('[nested too deeply]');
  });

  test('the input a tool ran with may hold anything too', async () => {
    const { seen, definition } = recording();
    const config = configWith({ BeforeTool: [definition] });
    await fireBeforeToolHook(config, 'remind', { at: new Date(0), ring: () => 'ring' });
    expect(seen).toMatchObject([{ tool_input: { at: '1970-01-01T00:00:00.000Z' } }]);
  });

  test('a key that would reach a prototype stays an ordinary key', async () => {
    const { seen, definition } = recording<{ tool_input: object }>();
    const input = JSON.parse('{"__proto__": {"admin": true}}');
    await fireBeforeToolHook(configWith({ BeforeTool: [definition] }), 'shell', { ...input, at: new Date(0) });
    const shown = seen[0]?.tool_input ?? {};
    expect(Object.hasOwn(shown, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
  });
});

describe('a call that cannot be shown to hooks', () => {
  test.each<[string, unknown]>([
    ['without a name', ''],
    ['with a name that is no text', 5],
  ])('%s is told to the log and not to the caller', async (_what, name) => {
    const { warnings, logger } = listening();
    const config = configWith({ BeforeTool: [hook({ decision: 'deny' })] }, { deps: { logger } });
    await expect(fireBeforeToolHook(config, untyped<string>(name), {})).resolves.toBeUndefined();
    expect(warnings.join('\n')).toMatch(/BeforeTool.*tool_name/);
  });
});
