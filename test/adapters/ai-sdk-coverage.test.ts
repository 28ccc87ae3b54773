import { generateText, jsonSchema, stepCountIs, type ToolSet, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { onTestFinished, test } from 'vitest';
import { hookedModel, hookedTools } from '../../src/adapters/ai-sdk/index.ts';
import { createHooks, HookwrightError } from '../../src/index.ts';
import { aiSdkTranslator, type GenerateResult, type SdkCallOptions } from '../../src/models/translators.ts';
import { type HostDriver, hostCoverage } from '../../src/testing/index.ts';
import { untyped } from '../support/untyped.ts';
import { expectCovered, ofSubAgents, ofTheApplication } from './support.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** What a tool is beside its name: one of the application, one of a provider that runs here, one that a page runs. */
type Kind = 'function' | 'provider' | 'elsewhere';

type Call = {
  readonly kind?: Kind;
  readonly name: string;
  readonly input: object;
  readonly run: (input: Record<string, unknown>) => unknown;
};

test('an agent of the AI SDK with hooked model and tools passes for every path that the SDK has', async () => {
  const hooks = await createHooks();
  onTestFinished(() => hooks.close());

  const done = (_request: SdkCallOptions): Promise<GenerateResult> =>
    Promise.resolve(
      aiSdkTranslator.fromHookLLMResponse({
        text: 'Done.',
        candidates: [{ content: { role: 'model', parts: ['Done.'] } }],
      }),
    );

  /** The SDK's own loop: its model wants these tools called, and is told what they gave. */
  const callTools = async (calls: readonly Call[], abortSignal: AbortSignal, answer = done) => {
    const tools = untyped<ToolSet>(
      Object.fromEntries(
        calls.map(({ name, run, kind = 'function' }) => {
          const inputSchema = jsonSchema<Record<string, unknown>>({ type: 'object' });
          const made =
            kind === 'elsewhere' ? tool({ inputSchema }) : tool({ inputSchema, execute: (input) => run(input) });
          return [
            name,
            kind === 'provider' ? Object.assign(made, { type: 'provider', id: 'acme.shell', args: {} }) : made,
          ];
        }),
      ),
    );
    const wanted = calls.map(({ name, input }, index) => ({
      type: 'tool-call' as const,
      toolCallId: `call_${index}`,
      toolName: name,
      input: JSON.stringify(input),
    }));
    let told: unknown;
    const model = new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        const last = prompt.at(-1);
        const warnings: [] = [];
        if (last?.role !== 'tool') {
          return { content: wanted, finishReason: { unified: 'tool-calls', raw: undefined }, usage, warnings };
        }
        told = last.content;
        const words = aiSdkTranslator.toHookLLMResponse(await answer({ prompt })).text ?? '';
        const content = [{ type: 'text' as const, text: words }];
        return { content, finishReason: { unified: 'stop', raw: undefined }, usage, warnings };
      },
    });
    const { steps, toolCalls } = await generateText({
      model: hookedModel(hooks, model),
      tools: hookedTools(hooks, tools),
      stopWhen: stepCountIs(3),
      prompt: 'Go on.',
      abortSignal,
    });
    // What a page does with the calls that it is sent.
    const sent = toolCalls.filter(({ invalid }) => invalid !== true);
    for (const { kind, run } of told === undefined ? calls : []) {
      if (kind === 'elsewhere' && sent.length > 0) await run({});
    }
    if (told !== undefined) return told;
    return steps.flatMap(({ content }) =>
      content.flatMap((part) =>
        part.type === 'tool-error' ? [String(part.error)] : part.type === 'tool-result' ? [part.output] : [],
      ),
    );
  };

  /** An application shows its user what a blocked call was blocked for. */
  const shown = (error: unknown): object => {
    if (HookwrightError.is(error) && error.code === 'blocked') return { blocked: error.message };
    throw error;
  };

  const ask = (request: SdkCallOptions, model: (request: SdkCallOptions) => Promise<GenerateResult>) => {
    const bare = { specificationVersion: 'v3', modelId: 'coverage', doGenerate: model, doStream: model };
    return hookedModel(hooks, bare).doGenerate(request);
  };

  const driver: HostDriver<SdkCallOptions, GenerateResult> = {
    hooks,
    callTool: (name, input, { run, signal }) => callTools([{ name, input, run }], signal),
    toolTurn: (name, input, { run, signal, model }) => callTools([{ name, input, run }], signal, model),
    callOwnTool: (name, input, { run, signal }) => callTools([{ name, input, run, kind: 'provider' }], signal),
    callElsewhere: (name, input, { run, signal }) => callTools([{ name, input, run, kind: 'elsewhere' }], signal),
    parallelTools: (calls) => {
      const [first] = calls;
      return callTools(calls, first?.signal ?? new AbortController().signal);
    },
    callModel: (request, { model }) => ask(request, model).catch(shown),
    streamModel: async (request, { stream }) => {
      const doStream = async (asked: SdkCallOptions) => ({ stream: ReadableStream.from(pieces(stream(asked))) });
      const bare = { specificationVersion: 'v3', modelId: 'coverage', doGenerate: doStream, doStream };
      try {
        const result = await hookedModel(hooks, bare).doStream(request);
        const parts = [];
        for await (const part of result.stream) parts.push(part);
        return aiSdkTranslator.joinStream(parts);
      } catch (error) {
        return shown(error);
      }
    },
  };
  const report = await hostCoverage(driver, { translator: aiSdkTranslator, skip: ['result that is not shown'] });
  // Sessions, prompts and notices are the application's: the SDK has no place where they happen. Nor does it keep what a
  // tool gave from whoever it shows it to.
  expectCovered(report, { moreThan: 20, uncovered: [...ofTheApplication, ...ofSubAgents] });
});

async function* pieces(results: AsyncIterable<GenerateResult>) {
  let last: GenerateResult | undefined;
  yield { type: 'stream-start', warnings: [] };
  for await (const result of results) {
    for (const part of result.content) {
      yield { type: 'text-start', id: 't' };
      yield { type: 'text-delta', id: 't', delta: String(Reflect.get(part, 'text')) };
      yield { type: 'text-end', id: 't' };
    }
    last = result;
  }
  yield { type: 'finish', finishReason: last?.finishReason, usage: last?.usage };
}
