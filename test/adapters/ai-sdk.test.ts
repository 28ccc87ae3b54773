import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { hookedModel, hookedTools } from '../../src/adapters/ai-sdk/index.ts';
import { createHooks, type Hooks } from '../../src/index.ts';
import { agentOf, modelOf, result, text, toldOf, toolCall } from './ai-sdk-support.ts';
import { describeVersions } from './ai-sdk-versions.ts';
import { answer, withHooks, withQuestions } from './support.ts';

const inputSchema = z.object({ path: z.string() });

describeVersions('a hooked model', (sdkOf) => {
  test('is asked as it was, and answers as it did, where no hook has a word', async () => {
    const sdk = sdkOf();
    const bare = modelOf(sdk, result(text('Hello.')));
    const other = modelOf(sdk, result(text('Hello.')));
    const hooks = await withHooks();
    const given = { prompt: 'Hi.', temperature: 0.5 };
    const plain = await sdk.ai.generateText({ model: bare.model, ...given });
    const hooked = await sdk.ai.generateText({ model: hookedModel(hooks, other.model), ...given });
    expect(hooked.text).toBe(plain.text);
    expect(other.asked).toEqual(bare.asked);
  });

  test('asks BeforeToolSelection and BeforeModel first, and AfterModel once', async () => {
    const sdk = sdkOf();
    const seen: string[] = [];
    const hooks = await withHooks((all) => {
      all.on('BeforeToolSelection', () => {
        seen.push('selection');
        return { hookSpecificOutput: { toolConfig: { mode: 'NONE' } } };
      });
      all.on('BeforeModel', ({ llm_request }) => {
        seen.push(`before ${llm_request.model} ${llm_request.messages.map(({ content }) => content).join()}`);
        return {
          systemMessage: 'Mind the gap.',
          hookSpecificOutput: { llm_request: { config: { temperature: 0 } } },
        };
      });
      all.on('AfterModel', ({ llm_response }) => {
        seen.push(`after ${llm_response.text}`);
        return answer('Changed.');
      });
    });
    const { asked, model } = modelOf(sdk, result(text('Hello.')));
    const tools = { ls: sdk.ai.tool({ inputSchema, execute: () => 'a b' }) };
    const { text: said } = await sdk.ai.generateText({ model: hookedModel(hooks, model), prompt: 'Hi.', tools });
    expect(seen).toEqual(['selection', 'before mock Hi.', 'after Hello.']);
    expect(said).toBe('Changed.');
    expect(asked).toMatchObject([{ temperature: 0, toolChoice: { type: 'none' } }]);
    expect(asked[0]?.prompt.at(-1)).toEqual({ role: 'user', content: [text('[System] Mind the gap.')] });
  });

  test('is not asked when a hook answers in its place', async () => {
    const sdk = sdkOf();
    const hooks = await withHooks((all) => all.on('BeforeModel', () => answer('By a hook.')));
    const { asked, model } = modelOf(sdk);
    const { text: said, finishReason } = await sdk.ai.generateText({ model: hookedModel(hooks, model), prompt: 'Hi.' });
    expect({ said, finishReason, asked }).toEqual({ said: 'By a hook.', finishReason: 'stop', asked: [] });
    const stream = sdk.ai.streamText({ model: hookedModel(hooks, model), prompt: 'Hi.' });
    expect(await stream.text).toBe('By a hook.');
  });

  test('rejects when a hook blocks the call, and nobody tries again', async () => {
    const sdk = sdkOf();
    const hooks = await withHooks((all) => all.on('BeforeModel', () => ({ decision: 'deny', reason: 'not today' })));
    const { asked, model } = modelOf(sdk);
    const call = sdk.ai.generateText({ model: hookedModel(hooks, model), prompt: 'Hi.' });
    await expect(call).rejects.toMatchObject({ code: 'blocked', message: 'Model call blocked by hook: not today' });
    const errors: unknown[] = [];
    const stream = sdk.ai.streamText({
      model: hookedModel(hooks, model),
      prompt: 'Hi.',
      onError: ({ error }: { error: unknown }) => errors.push(error),
    });
    await stream.consumeStream();
    expect(errors).toMatchObject([{ code: 'blocked' }]);
    expect(asked).toEqual([]);
  });

  test('streams on as the model does while no AfterModel hook wants to see the whole', async () => {
    const sdk = sdkOf();
    const hooks = await withHooks((all) => all.on('BeforeModel', () => undefined));
    const { model } = modelOf(sdk, result(text('One, '), text('two.')));
    const { textStream } = sdk.ai.streamText({ model: hookedModel(hooks, model), prompt: 'Count.' });
    const pieces: string[] = [];
    for await (const piece of textStream) pieces.push(piece);
    expect(pieces).toEqual(['One, ', 'two.']);
  });

  test('holds a stream back for AfterModel hooks, which see the whole of it once', async () => {
    const sdk = sdkOf();
    const seen: unknown[] = [];
    const hooks = await withHooks((all) =>
      all.on('AfterModel', ({ llm_response }) => {
        seen.push(llm_response.text);
        return answer('Kept.');
      }),
    );
    const { model } = modelOf(sdk, result(text('The key is '), text('sk-1.')));
    const stream = sdk.ai.streamText({ model: hookedModel(hooks, model), prompt: 'Which?' });
    const pieces: string[] = [];
    for await (const piece of stream.textStream) pieces.push(piece);
    expect(pieces).toEqual(['Kept.']);
    expect((await stream.response).messages).toMatchObject([{ role: 'assistant', content: [{ text: 'Kept.' }] }]);
    expect(seen).toEqual(['The key is sk-1.']);
  });

  test('passes a stream on as it comes where that is wanted, and says that a change came too late', async () => {
    const sdk = sdkOf();
    const hooks = await withHooks((all) => all.on('AfterModel', () => answer('Kept.')));
    const { model } = modelOf(sdk, result(text('The key is '), text('sk-1.')));
    const errors: unknown[] = [];
    const live = hookedModel(hooks, model, { stream: 'live' });
    const onError = ({ error }: { error: unknown }) => errors.push(error);
    const pieces: string[] = [];
    for await (const piece of sdk.ai.streamText({ model: live, prompt: 'Which?', onError }).textStream)
      pieces.push(piece);
    expect(pieces).toEqual(['The key is ', 'sk-1.']);
    expect(errors).toMatchObject([{ message: expect.stringMatching(/was passed on while it came/) }]);
  });

  test('asks another model where a hook names one and the application has it, and else says so', async () => {
    const sdk = sdkOf();
    const hooks = await withHooks((all) =>
      all.on('BeforeModel', () => ({ hookSpecificOutput: { llm_request: { model: 'small' } } })),
    );
    const [big, small] = [modelOf(sdk), modelOf(sdk, result(text('Small.')))];
    const modelFor = (id: string) => (id === 'small' ? small.model : undefined);
    const hooked = hookedModel(hooks, big.model, { modelFor });
    expect((await sdk.ai.generateText({ model: hooked, prompt: 'Hi.' })).text).toBe('Small.');
    expect(small.asked[0]).not.toHaveProperty('model');
    const call = sdk.ai.generateText({ model: hookedModel(hooks, big.model), prompt: 'Hi.' });
    await expect(call).rejects.toThrow('asks for the model "small", and hookedModel was given no `modelFor`');
  });
});

describeVersions('hooked tools', (sdkOf) => {
  const agent = (hooks: Hooks, tools: object, ...answers: ReturnType<typeof result>[]) =>
    agentOf(sdkOf(), hooks, tools, ...answers);
  const ls = (ran: unknown[], more: object = {}) =>
    sdkOf().ai.tool({
      inputSchema,
      execute: (input: unknown) => {
        ran.push(input);
        return 'a b';
      },
      ...more,
    });

  test('run with the arguments that hooks made of theirs, and give what hooks made of the result', async () => {
    const seen: unknown[] = [];
    const hooks = await withHooks((all) => {
      all.on('BeforeTool', ({ tool_name, tool_input, tool_use_id }) => {
        seen.push([tool_name, tool_input, tool_use_id]);
        return { hookSpecificOutput: { tool_input: { path: '/safe' } } };
      });
      all.on('AfterTool', ({ tool_response }) => {
        seen.push(tool_response);
        return { hookSpecificOutput: { additionalContext: 'Two files.' } };
      });
    });
    const ran: unknown[] = [];
    const { asked, run } = agent(hooks, { ls: ls(ran) }, result(toolCall({ path: '/etc' })), result(text('Done.')));
    expect((await run({ prompt: 'List.' })).text).toBe('Done.');
    expect(ran).toEqual([{ path: '/safe' }]);
    expect(seen).toEqual([['ls', { path: '/etc' }, 'call_1'], expect.objectContaining({ llmContent: 'a b' })]);
    expect(toldOf(asked)).toEqual([
      { type: 'text', value: expect.stringMatching(/^a b[\s\S]*hook changed the arguments[\s\S]*Two files\.$/) },
    ]);
  });

  test('that are refused look to the model like calls that a person denied', async () => {
    const hooks = await withHooks((all) => all.on('BeforeTool', () => ({ decision: 'deny', reason: 'not here' })));
    const ran: unknown[] = [];
    const { asked, run } = agent(hooks, { ls: ls(ran) }, result(toolCall({ path: '/' })), result(text('Sorry.')));
    expect((await run({ prompt: 'List.' })).text).toBe('Sorry.');
    expect(ran).toEqual([]);
    expect(toldOf(asked)).toEqual([{ type: 'execution-denied', reason: 'not here' }]);
  });

  test('whose result is withheld say that they ran', async () => {
    const hooks = await withHooks((all) => all.on('AfterTool', () => ({ decision: 'deny', reason: 'secret' })));
    const ran: unknown[] = [];
    const { asked, run } = agent(hooks, { ls: ls(ran) }, result(toolCall({ path: '/' })), result(text('Sorry.')));
    await run({ prompt: 'List.' });
    expect(ran).toHaveLength(1);
    expect(toldOf(asked)).toEqual([{ type: 'error-text', value: 'The tool has run; its result is withheld: secret' }]);
  });

  test('that a hook asks about wait for the SDK’s own approval, and are asked about once each time', async () => {
    const { hooks, asked: questions } = await withQuestions();
    const ran: unknown[] = [];
    const { asked, hooked, run } = agent(
      hooks,
      { ls: ls(ran) },
      result(toolCall({ path: '/' })),
      result(text('Done.')),
      result(text('Sorry.')),
    );
    const question = { role: 'user', content: 'List.' };
    const first = await run({ messages: [question] });
    const request = first.content.find(({ type }: { type: string }) => type === 'tool-approval-request');
    expect(request).toMatchObject({ toolCall: { toolCallId: 'call_1' } });
    expect({ questions, ran }).toEqual({ questions: { times: 1 }, ran: [] });

    const said = (approved: boolean) => ({
      messages: [
        question,
        ...first.response.messages,
        {
          role: 'tool',
          content: [{ type: 'tool-approval-response', approvalId: request.approvalId, approved }],
        },
      ],
    });
    expect((await run(said(true))).text).toBe('Done.');
    expect({ questions, ran }).toEqual({ questions: { times: 2 }, ran: [{ path: '/' }] });
    expect(toldOf(asked)).toEqual([{ type: 'text', value: 'a b' }]);

    expect((await run(said(false))).text).toBe('Sorry.');
    expect(ran).toHaveLength(1);
    expect(toldOf(asked)).toMatchObject([{ type: 'execution-denied' }]);
    expect(hooked.tools).toHaveProperty('ls');
  });

  test('run side by side, and one that is refused does not hold up the other', async () => {
    const hooks = await withHooks((all) =>
      all.on('BeforeTool', ({ tool_input }) =>
        tool_input.path === '/no' ? { decision: 'deny', reason: 'no' } : undefined,
      ),
    );
    const ran: unknown[] = [];
    const calls = result(toolCall({ path: '/no' }, 'call_1'), toolCall({ path: '/yes' }, 'call_2'));
    const { asked, run } = agent(hooks, { ls: ls(ran) }, calls, result(text('Done.')));
    await run({ prompt: 'List.' });
    expect(ran).toEqual([{ path: '/yes' }]);
    expect(toldOf(asked)).toEqual([
      { type: 'execution-denied', reason: 'no' },
      { type: 'text', value: 'a b' },
    ]);
  });

  test('do not run when the call is cancelled while hooks are asked', async () => {
    const leaving = new AbortController();
    const hooks = await withHooks((all) =>
      all.on('BeforeTool', () => {
        leaving.abort(new Error('gone'));
      }),
    );
    const ran: unknown[] = [];
    const { run } = agent(hooks, { ls: ls(ran) }, result(toolCall({ path: '/' })), result(text('Done.')));
    await run({ prompt: 'List.', abortSignal: leaving.signal }).catch(() => undefined);
    expect(ran).toEqual([]);
  });

  test('whose run fails tell the SDK what they threw', async () => {
    const hooks = await withHooks((all) => all.on('BeforeTool', () => undefined));
    const execute = () => Promise.reject(new Error('disk on fire'));
    const { asked, run } = agent(
      hooks,
      { ls: ls([], { execute }) },
      result(toolCall({ path: '/' })),
      result(text('Oh.')),
    );
    await run({ prompt: 'List.' });
    expect(toldOf(asked)).toEqual([{ type: 'error-text', value: expect.stringMatching(/disk on fire$/) }]);
  });

  test('with which a hook ends the work are the last: the model is not asked again', async () => {
    const hooks = await withHooks((all) => all.on('AfterTool', () => ({ continue: false, stopReason: 'enough' })));
    const { asked, run } = agent(hooks, { ls: ls([]) }, result(toolCall({ path: '/' })));
    expect((await run({ prompt: 'List.' })).text).toBe('Execution stopped by hook: enough');
    expect(asked).toHaveLength(1);
  });

  test('keep what else they are: descriptions, their own approval, and what they tell the model', async () => {
    const hooks = await withHooks((all) => all.on('BeforeTool', () => undefined));
    const ran: unknown[] = [];
    const toModelOutput = () => ({ type: 'text', value: 'told' });
    const tools = { ls: ls(ran, { description: 'Lists.', toModelOutput }), rm: ls(ran, { needsApproval: true }) };
    const { asked, hooked, run } = agent(
      hooks,
      tools,
      result(toolCall({ path: '/' }), toolCall({ path: '/' }, 'call_2', 'rm')),
    );
    expect(Object.keys(hooked.tools)).toEqual(['ls', 'rm']);
    const { content } = await run({ prompt: 'List.' });
    expect(content.filter(({ type }: { type: string }) => type === 'tool-approval-request')).toHaveLength(1);
    expect(ran).toHaveLength(1);
    expect(asked[0]?.tools).toMatchObject([{ description: 'Lists.' }, { name: 'rm' }]);
  });
});

test('what is given by mistake is refused at once, with what to do', async () => {
  const hooks = await withHooks();
  const pending = createHooks();
  onTestFinished(async () => (await pending).close());
  const wrongly =
    (fn: (...values: never[]) => unknown, ...values: unknown[]) =>
    () =>
      Reflect.apply(fn, undefined, values);
  expect(wrongly(hookedModel, pending, {})).toThrow(
    /hookedModel takes what createHooks gives.*await createHooks\(\) first/,
  );
  expect(wrongly(hookedModel, hooks, 'gpt-5')).toThrow(/takes a language model.*make one of the name, such as gateway/);
  expect(wrongly(hookedTools, hooks, undefined)).toThrow(/hookedTools takes an object of tools/);
});
