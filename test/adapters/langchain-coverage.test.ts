import { AIMessage, createAgent, HumanMessage, SystemMessage, ToolMessage, tool } from 'langchain';
import { onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { hooksMiddleware } from '../../src/adapters/langchain/index.ts';
import { createHooks, HookwrightError } from '../../src/index.ts';
import { type LangChainRequest, type LangChainResponse, langchainTranslator } from '../../src/models/translators.ts';
import { type HostDriver, hostCoverage } from '../../src/testing/index.ts';
import { type Asked, calling, StubModel } from './langchain-model.ts';
import { expectCovered, ofOtherTools, ofSubAgents } from './support.ts';

type Call = {
  readonly name: string;
  readonly input: object;
  readonly run: (input: Record<string, unknown>) => unknown;
};

const textOf = (response: LangChainResponse): string => langchainTranslator.toHookLLMResponse(response).text ?? '';

const toolChoiceSchema = z.looseObject({ tool_choice: z.unknown(), temperature: z.number().optional() });

/** A request as the paths know it. */
const viewed = ({ messages, options }: Asked): LangChainRequest => {
  const { tool_choice: toolChoice, temperature } = toolChoiceSchema.parse(options);
  return {
    messages: messages.map(({ type, content }) => ({ type, content })),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(temperature === undefined ? {} : { temperature }),
  };
};

const classes = { user: HumanMessage, model: AIMessage, system: SystemMessage };

const isBlocked = (error: unknown): boolean => HookwrightError.is(error) && error.code === 'blocked';

const shown = (error: unknown): object => {
  if (error instanceof Error && isBlocked(error.cause)) return { blocked: error.message };
  throw error;
};

const notOfTheSdk = ['session start', 'result that is not shown', 'notification', 'compression', 'session end'];

test('an agent of LangChain with the middleware passes for every path that the SDK has', async () => {
  const hooks = await createHooks();
  onTestFinished(() => hooks.close());
  const middleware = [hooksMiddleware(hooks)];
  const done = async (_request: LangChainRequest): Promise<LangChainResponse> => ({ content: 'Done.', usage: {} });

  const callTools = async (calls: readonly Call[], signal: AbortSignal, answer = done) => {
    const tools = calls.map(({ name, run }) =>
      tool(async (input) => run(input), { name, description: name, schema: z.looseObject({}) }),
    );
    const wanted = calling(...calls.map(({ name, input }) => ({ name, args: { ...input } })));
    let told: unknown;
    const model = new StubModel({
      answer: async (asked) => {
        const results = asked.messages.filter((message) => ToolMessage.isInstance(message));
        if (results.length === 0) return wanted;
        told = results.map(({ content, status }) => ({ content, status }));
        return new AIMessage(textOf(await answer(viewed(asked))));
      },
    });
    // The graph listens to a signal for as long as that lives.
    const own = { signal: AbortSignal.any([signal]) };
    const { messages } = await createAgent({ model, tools, middleware }).invoke({ messages: 'Go on.' }, own);
    return told ?? messages.map(({ content }) => content);
  };

  const agentFor = (request: LangChainRequest, model: StubModel) => {
    const { toolChoice: _choice, messages: _messages, tools: _tools, model: _model, ...settings } = request;
    const bound = Object.keys(settings).length === 0 ? model : model.withConfig(settings);
    return createAgent({ model: bound, tools: [], middleware });
  };
  const messagesOf = (request: LangChainRequest) =>
    langchainTranslator.toHookLLMRequest(request).messages.map(({ role, content }) => new classes[role](content));

  const driver: HostDriver<LangChainRequest, LangChainResponse> = {
    hooks,
    callTool: (name, input, { run, signal }) => callTools([{ name, input, run }], signal),
    toolTurn: (name, input, { run, signal, model }) => callTools([{ name, input, run }], signal, model),
    parallelTools: (calls) => callTools(calls, calls[0]?.signal ?? new AbortController().signal),
    callModel: async (request, { model }) => {
      const stub = new StubModel({ answer: async (asked) => new AIMessage(textOf(await model(viewed(asked)))) });
      return agentFor(request, stub)
        .invoke({ messages: messagesOf(request) })
        .then(({ messages }) => messages.at(-1)?.text, shown);
    },
    streamModel: async (request, { stream }) => {
      const pieces = async function* (asked: Asked) {
        for await (const piece of stream(viewed(asked))) yield textOf(piece);
      };
      const agent = agentFor(request, new StubModel({ answer: () => new AIMessage(''), pieces }));
      const seen: string[] = [];
      try {
        const run = await agent.stream({ messages: messagesOf(request) }, { streamMode: 'messages' });
        for await (const [message] of run) seen.push(message.text);
        return seen.join('');
      } catch (error) {
        return shown(error);
      }
    },
    sendPrompt: async (prompt, { model }) => {
      const stub = new StubModel({ answer: async (asked) => new AIMessage(textOf(await model(viewed(asked)))) });
      const { messages } = await createAgent({ model: stub, tools: [], middleware }).invoke({ messages: prompt });
      return messages.at(-1)?.text;
    },
  };
  const report = await hostCoverage(driver, { translator: langchainTranslator, skip: ['result that is not shown'] });
  expectCovered(report, { moreThan: 20, uncovered: [...notOfTheSdk, ...ofOtherTools, ...ofSubAgents] });
});
