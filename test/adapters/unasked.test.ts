import { Agent, type Model, type ModelRequest, Usage } from '@openai/agents';
import { AIMessage, HumanMessage, SystemMessage } from 'langchain';
import { describe, expect, test } from 'vitest';
import { hookedModel, hookedTools } from '../../src/adapters/ai-sdk/index.ts';
import { hooksMiddleware } from '../../src/adapters/langchain/index.ts';
import { hookedAgent } from '../../src/adapters/openai-agents/index.ts';
import { createHooks, type Hooks, HookwrightError, MessageBusType } from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';
import { withHooks } from './support.ts';

/** One call of a model behind hooks. */
interface Call {
  readonly request: object;
  /** What the SDK's own function was handed. */
  readonly asked: object[];
  readonly make: () => Promise<unknown>;
}

interface Given {
  readonly signal?: AbortSignal | undefined;
  /** Done while the model works. */
  readonly meanwhile?: (() => void) | undefined;
}

const ofAiSdk = (hooks: Hooks, { signal, meanwhile }: Given): Call => {
  const asked: object[] = [];
  const model = hookedModel(hooks, {
    specificationVersion: 'v3',
    modelId: 'stub',
    doGenerate: async (options: object) => {
      asked.push(options);
      meanwhile?.();
      const content = [{ type: 'text', text: 'Done.' }];
      return { content, finishReason: { unified: 'stop' }, usage: {}, warnings: [] };
    },
    doStream: () => Promise.reject(new Error('nothing is streamed here')),
  });
  const request = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], abortSignal: signal };
  return { request, asked, make: () => model.doGenerate(request) };
};

const isModel = (model: string | Model): model is Model => typeof model !== 'string';

const ofOpenAiAgents = (hooks: Hooks, { signal, meanwhile }: Given): Call => {
  const asked: object[] = [];
  const { model } = hookedAgent(
    hooks,
    new Agent({
      name: 'one',
      model: {
        getResponse: async (options) => {
          asked.push(options);
          meanwhile?.();
          return { output: [], usage: new Usage() };
        },
        getStreamedResponse: () => {
          throw new Error('nothing is streamed here');
        },
      },
    }),
  );
  if (!isModel(model)) throw new Error('unreachable: it has a model and not the name of one');
  const given = {
    input: 'hi',
    modelSettings: {},
    tools: [],
    handoffs: [],
    outputType: 'text',
    tracing: false,
  } as const;
  const request: ModelRequest = { ...untyped<ModelRequest>(given), ...(signal === undefined ? {} : { signal }) };
  return { request, asked, make: () => model.getResponse(request) };
};

const ofLangChain = (hooks: Hooks, { signal, meanwhile }: Given): Call => {
  const asked: object[] = [];
  const { wrapModelCall } = hooksMiddleware(hooks);
  if (wrapModelCall === undefined) throw new Error('unreachable: it has one');
  const request = {
    model: { model: 'stub' },
    systemMessage: new SystemMessage('Be brief.'),
    messages: [new HumanMessage('hi')],
    tools: [],
    runtime: { signal },
  };
  const handler = async (options: object) => {
    asked.push(options);
    meanwhile?.();
    return new AIMessage('Done.');
  };
  return { request, asked, make: async () => wrapModelCall(untyped(request), handler) };
};

describe.each([
  ['the AI SDK', ofAiSdk],
  ['OpenAI Agents', ofOpenAiAgents],
  ['LangChain', ofLangChain],
])('R925 a model of %s that nobody has to be asked about', (_sdk, callOf) => {
  test('is handed the very request, and hooks that come later are asked at its next call', async () => {
    const hooks = await withHooks();
    const { request, asked, make } = callOf(hooks, {});
    await make();
    expect(asked[0]).toBe(request);
    const remove = hooks.on('BeforeModel', () => ({ decision: 'deny', reason: 'not now' }));
    await expect(make()).rejects.toThrow('not now');
    remove();
    hooks.on('BeforeToolSelection', () => ({ decision: 'deny', reason: 'no tools' }));
    await expect(make()).rejects.toThrow('no tools');
    expect(asked).toHaveLength(1);
  });

  test('is told to whoever watches', async () => {
    const hooks = await withHooks();
    const { make } = callOf(hooks, {});
    const told: string[] = [];
    hooks.bus.subscribe(MessageBusType.HOOK_EXECUTION_REQUEST, ({ eventName }) => told.push(eventName));
    await make();
    expect(told).toEqual(['BeforeToolSelection', 'BeforeModel', 'AfterModel']);
  });

  test('has its answer shown to a hook that came while it worked', async () => {
    const hooks = await withHooks();
    const meanwhile = (): void => void hooks.on('AfterModel', () => ({ decision: 'deny', reason: 'kept back' }));
    await expect(callOf(hooks, { meanwhile }).make()).rejects.toThrow('kept back');
  });

  test('takes along what hooks said before', async () => {
    const hooks = await withHooks();
    const remove = hooks.on('Notification', () => ({ systemMessage: 'Mind the gap.' }));
    await hooks.notify({ type: 'ToolPermission', message: 'm' });
    remove();
    const { request, asked, make } = callOf(hooks, {});
    await make();
    await make();
    expect(JSON.stringify(asked[0])).toContain('Mind the gap.');
    expect(asked[1]).toBe(request);
  });

  test('is not asked by whoever has left, or left in the turn of the call, or closed the hooks', async () => {
    const hooks = await withHooks();
    const before = callOf(hooks, { signal: AbortSignal.abort(new Error('left')) });
    await expect(before.make()).rejects.toThrow('left');
    const leaves = new AbortController();
    const meanwhile = callOf(hooks, { signal: leaves.signal });
    const made = meanwhile.make();
    leaves.abort(new Error('left'));
    await expect(made).rejects.toThrow('left');
    const after = callOf(hooks, {});
    await hooks.close();
    await expect(after.make()).rejects.toSatisfy((error) => HookwrightError.is(error) && error.code === 'disposed');
    expect([...before.asked, ...meanwhile.asked, ...after.asked]).toEqual([]);
  });

  test('has no answer for whoever left while it worked', async () => {
    const hooks = await withHooks();
    const leaves = new AbortController();
    const meanwhile = (): void => leaves.abort(new Error('left'));
    await expect(callOf(hooks, { signal: leaves.signal, meanwhile }).make()).rejects.toThrow('left');
  });

  test.each(['BeforeToolSelection', 'BeforeModel', 'AfterModel'] as const)(
    'R1976 is refused when a hook of %s asks and no person can answer, and called when a person agrees',
    async (event) => {
      const hooks = await withHooks((all) => all.on(event, () => ({ decision: 'ask', reason: 'really?' })));
      await expect(callOf(hooks, {}).make()).rejects.toThrow('really?, and no person can be asked');
      const answered = await createHooks({ deps: { confirm: () => true } });
      answered.on(event, () => ({ decision: 'ask', reason: 'really?' }));
      await callOf(answered, {}).make();
      await answered.close();
    },
  );

  test('is asked about where somebody put something of their own around the hooks', async () => {
    const hooks = await withHooks();
    const called: string[] = [];
    const around: Hooks = {
      ...hooks,
      problems: hooks.problems,
      afterTool: hooks.afterTool,
      beforeToolSelection: (call) => {
        called.push('beforeToolSelection');
        return hooks.beforeToolSelection(call);
      },
      beforeModel: (call) => {
        called.push('beforeModel');
        return hooks.beforeModel(call);
      },
      afterModel: (call) => {
        called.push('afterModel');
        return hooks.afterModel(call);
      },
    };
    await callOf(around, {}).make();
    expect(called).toEqual(['beforeToolSelection', 'beforeModel', 'afterModel']);
  });
});

test('R1977 hooks that judged a call judge no call of another tool with its id', async () => {
  const hooks = await withHooks((all) => {
    all.on('BeforeTool', ({ tool_name }) => ({ decision: tool_name === 'rm' ? 'deny' : 'allow', reason: 'no rm' }));
  });
  const ran: string[] = [];
  const toolOf = (name: string) => ({
    inputSchema: undefined,
    execute: async (_input: object, _options: object) => void ran.push(name),
  });
  const tools = hookedTools(hooks, { ls: toolOf('ls'), rm: toolOf('rm') });
  const model = hookedModel(hooks, {
    specificationVersion: 'v3',
    modelId: 'stub',
    doGenerate: async () => {
      const content = [{ type: 'tool-call', toolName: 'ls', toolCallId: 'call_1', input: '{}' }];
      return { content, finishReason: { unified: 'tool-calls' }, usage: {}, warnings: [] };
    },
    doStream: () => Promise.reject(new Error('nothing is streamed here')),
  });
  await Reflect.apply(model.doGenerate, model, [{ prompt: [] }]);
  const call = tools.rm.execute({}, { toolCallId: 'call_1', messages: [] });
  await expect(call).rejects.toThrow('no rm');
  expect(ran).toEqual([]);
});

test('R1976 a tool call and a result that no person could be asked about do not read as refused by one', async () => {
  const hooks = await withHooks((all) => {
    all.on('BeforeTool', () => ({ decision: 'ask', reason: 'really?' }), { matcher: 'rm' });
    all.on('AfterTool', () => ({ decision: 'ask', reason: 'show it?' }), { matcher: 'ls' });
  });
  const tool = { inputSchema: undefined, execute: async (_input: object, _options: object) => 'a b' };
  const { ls, rm } = hookedTools(hooks, { ls: tool, rm: tool });
  const options = { toolCallId: 'call_1', messages: [] };
  await expect(rm.execute({}, options)).rejects.toThrow('because there was no listener to ask (really?)');
  await expect(ls.execute({}, options)).rejects.toThrow('because there was no listener to ask (show it?)');
  const content = [{ type: 'tool-call', toolCallId: 'call_2', toolName: 'rm', input: '{}' }];
  const model = hookedModel(hooks, {
    specificationVersion: 'v4',
    modelId: 'stub',
    doGenerate: async (_options: object) => ({ content, finishReason: { unified: 'tool-calls' }, usage: {} }),
    doStream: () => Promise.reject(new Error('nothing is streamed here')),
  });
  await model.doGenerate({ prompt: [] });
  const called = rm.execute({}, { ...options, toolCallId: 'call_2' });
  await expect(called).rejects.toThrow('because there was no listener to ask (really?)');
});
