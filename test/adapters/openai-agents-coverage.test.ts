import {
  Agent,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  type StreamEvent,
  shellTool,
  tool,
  Usage,
} from '@openai/agents';
import { onTestFinished, test } from 'vitest';
import { hookedAgent } from '../../src/adapters/openai-agents/index.ts';
import { createHooks, HookwrightError } from '../../src/index.ts';
import { type AgentsRequest, type AgentsResponse, openaiAgentsTranslatorOf } from '../../src/models/translators.ts';
import { type HostDriver, hostCoverage } from '../../src/testing/index.ts';
import { elsewhere, expectCovered, ofTheApplication } from './support.ts';

type Item = Extract<StreamEvent, { type: 'response_done' }>['response']['output'][number];
type Call = {
  readonly name: string;
  readonly input: object;
  readonly run: (input: Record<string, unknown>) => unknown;
};

const translator = openaiAgentsTranslatorOf('coverage');
const runner = new Runner({ tracingDisabled: true });

const message = (text: string): Item => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});

const textOf = (response: AgentsResponse): string => translator.toHookLLMResponse(response).text ?? '';

/** A request as the paths know it. */
const viewed = ({ input, tools, modelSettings }: ModelRequest): AgentsRequest => {
  const { temperature, toolChoice } = modelSettings;
  return {
    input,
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(temperature === undefined ? {} : { temperature }),
  };
};

class StubModel implements Model {
  readonly #answer: (request: ModelRequest) => Promise<Item[]>;
  readonly #pieces: ((request: AgentsRequest) => AsyncIterable<AgentsResponse>) | undefined;

  constructor(
    answer: (request: ModelRequest) => Promise<Item[]>,
    pieces?: (request: AgentsRequest) => AsyncIterable<AgentsResponse>,
  ) {
    this.#answer = answer;
    this.#pieces = pieces;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    return { output: await this.#answer(request), usage: new Usage() };
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    let whole = '';
    for await (const piece of this.#pieces?.(viewed(request)) ?? []) {
      whole += textOf(piece);
      yield { type: 'output_text_delta', delta: textOf(piece) };
    }
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    yield { type: 'response_done', response: { id: 'r', usage, output: [message(whole)] } };
  }
}

const shown = (error: unknown): object => {
  if (HookwrightError.is(error) && error.code === 'blocked') return { blocked: error.message };
  throw error;
};

test('a hooked agent of OpenAI Agents passes for every path that the SDK has', async () => {
  const hooks = await createHooks();
  onTestFinished(() => hooks.close());
  const done = async (_request: AgentsRequest): Promise<AgentsResponse> => ({ output: [message('Done.')], usage: {} });

  const callTools = async (calls: readonly Call[], signal: AbortSignal, answer = done) => {
    const tools = calls.map(({ name, run }) =>
      tool({
        name,
        description: name,
        strict: false,
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
        execute: (input) => run({ ...Object(input) }),
        errorFunction: null,
      }),
    );
    const wanted = calls.map(
      ({ name, input }, index): Item => ({
        type: 'function_call',
        callId: `call_${index}`,
        name,
        status: 'completed',
        arguments: JSON.stringify(input),
      }),
    );
    let told: unknown;
    const model = new StubModel(async (request) => {
      const { input } = request;
      const results = typeof input === 'string' ? [] : input.filter(({ type }) => type === 'function_call_result');
      if (results.length === 0) return wanted;
      told = results;
      return [message(textOf(await answer(viewed(request))))];
    });
    const agent = hookedAgent(hooks, new Agent({ name: 'coverage', model, tools }));
    const { newItems } = await runner.run(agent, 'Go on.', { signal });
    return told ?? newItems.map(({ rawItem }) => rawItem);
  };

  /** A shell of the SDK under a name. */
  const callShell = async (name: string, run: Call['run']) => {
    const shell = {
      run: async () => {
        const { llmContent } = Object(await run({}));
        return {
          output: [{ stdout: String(llmContent), stderr: '', outcome: { type: 'exit' as const, exitCode: 0 } }],
        };
      },
    };
    let told: unknown;
    const model = new StubModel(async ({ input }) => {
      const results = typeof input === 'string' ? [] : input.filter(({ type }) => type === 'shell_call_output');
      if (results.length > 0) {
        told = results;
        return [message('Done.')];
      }
      return [{ type: 'shell_call', callId: 'call_0', status: 'completed', action: { commands: ['ls'] } }];
    });
    await runner.run(
      hookedAgent(hooks, new Agent({ name: 'coverage', model, tools: [shellTool({ name, shell })] })),
      'Go.',
    );
    return told;
  };

  const handOver = async (agentType: string, run: Call['run']) => {
    const model = new StubModel(async () => [message(String(Object(await run({})).llmContent))]);
    const other = new Agent({ name: agentType, model });
    const wanted: Item = {
      type: 'function_call',
      callId: 'call_0',
      name: `transfer_to_${agentType}`,
      status: 'completed',
      arguments: '{}',
    };
    const first = new StubModel(async ({ input }) =>
      typeof input !== 'string' && input.length > 1 ? [message('Alone.')] : [wanted],
    );
    await runner.run(hookedAgent(hooks, new Agent({ name: 'first', model: first, handoffs: [other] })), 'Go.');
  };

  const ask = (request: AgentsRequest, model: Model) => {
    const { input, temperature, toolChoice }: AgentsRequest & { temperature?: number } = request;
    const modelSettings = {
      ...(temperature === undefined ? {} : { temperature }),
      ...(toolChoice === undefined ? {} : { toolChoice }),
    };
    return {
      agent: hookedAgent(hooks, new Agent({ name: 'coverage', model, modelSettings })),
      input: translator.toHookLLMRequest({ input }).messages.map(({ content }) => ({ role: 'user' as const, content })),
    };
  };

  const driver: HostDriver<AgentsRequest, AgentsResponse> = {
    hooks,
    callTool: (name, input, { run, signal }) => callTools([{ name, input, run }], signal),
    toolTurn: (name, input, { run, signal, model }) => callTools([{ name, input, run }], signal, model),
    callOwnTool: (name, _input, { run }) => callShell(name, run),
    startAgent: (agentType, { run }) => handOver(agentType, run),
    parallelTools: (calls) => callTools(calls, calls[0]?.signal ?? new AbortController().signal),
    callModel: async (request, { model }) => {
      const stub = new StubModel(async (asked) => [message(textOf(await model(viewed(asked))))]);
      const { agent, input } = ask(request, stub);
      return runner.run(agent, input).then(({ finalOutput }) => finalOutput, shown);
    },
    streamModel: async (request, { stream }) => {
      const { agent, input } = ask(request, new StubModel(() => Promise.resolve([]), stream));
      try {
        const run = await runner.run(agent, input, { stream: true });
        for await (const _event of run) {
          // Whoever watches sees it; what is kept is asked for below.
        }
        await run.completed;
        return run.finalOutput;
      } catch (error) {
        return shown(error);
      }
    },
  };
  const report = await hostCoverage(driver, { translator, skip: ['result that is not shown'] });
  expectCovered(report, { moreThan: 20, uncovered: [...ofTheApplication, ...elsewhere] });
});
