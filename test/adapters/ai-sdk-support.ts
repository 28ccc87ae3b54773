import { hookedModel, hookedTools } from '../../src/adapters/ai-sdk/index.ts';
import type { Hooks } from '../../src/index.ts';
import type { AiSdk } from './ai-sdk-versions.ts';

const usage = {
  inputTokens: { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 3, text: 3, reasoning: 0 },
};

const finishOf = (content: readonly object[]) => ({
  unified: content.some((part) => 'toolCallId' in part) ? 'tool-calls' : 'stop',
  raw: undefined,
});

/** An answer of a model at once. */
export const result = (...content: object[]) => ({ content, finishReason: finishOf(content), usage, warnings: [] });

export const text = (words: string) => ({ type: 'text', text: words });

export const toolCall = (input: object, toolCallId = 'call_1', toolName = 'ls') => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

const partsOf = (part: object): object[] => {
  const { type, text: delta, toolCallId: id, toolName, input }: Readonly<Record<string, unknown>> = { ...part };
  if (type === 'text')
    return [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta },
      { type: 'text-end', id: 't' },
    ];
  return [
    { type: 'tool-input-start', id, toolName },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    part,
  ];
};

/** The same answer in pieces. */
export const streamed = ({ content, finishReason }: ReturnType<typeof result>) => ({
  stream: ReadableStream.from([
    { type: 'stream-start', warnings: [] },
    ...content.flatMap(partsOf),
    { type: 'finish', finishReason, usage },
  ]),
});

interface Asked {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly [key: string]: unknown;
}

/** A model that gives these answers one after the other, at once or in pieces, and remembers what it was sent. */
export const modelOf = ({ mock }: AiSdk, ...answers: ReturnType<typeof result>[]) => {
  const asked: Asked[] = [];
  const next = (options: Asked) => {
    const answer = answers[asked.length];
    asked.push(options);
    if (answer === undefined) throw new Error('the model was asked once too often');
    return answer;
  };
  const doGenerate = async (options: Asked) => next(options);
  const doStream = async (options: Asked) => streamed(next(options));
  return { asked, model: mock({ modelId: 'mock', doGenerate, doStream }) };
};

/** What the model was last told of its calls. */
export const toldOf = (asked: readonly Asked[]): unknown => {
  const { content } = asked.at(-1)?.prompt.findLast(({ role }) => role === 'tool') ?? {};
  return Array.isArray(content) ? content.map(({ output }) => output) : undefined;
};

export const stop = ({ ai }: AiSdk, steps: number) => (ai.stepCountIs ?? ai.isStepCount)(steps);

/** An agent of the SDK whose model and tools are hooked. */
export const agentOf = (sdk: AiSdk, hooks: Hooks, tools: object, ...answers: ReturnType<typeof result>[]) => {
  const { asked, model } = modelOf(sdk, ...answers);
  const hooked = { model: hookedModel(hooks, model), tools: hookedTools(hooks, { ...tools }), stopWhen: stop(sdk, 5) };
  return {
    asked,
    hooked,
    run: (given: object = { prompt: 'Go.' }) => sdk.ai.generateText({ ...hooked, ...given }),
    stream: (given: object = { prompt: 'Go.' }) => sdk.ai.streamText({ ...hooked, ...given }),
  };
};
