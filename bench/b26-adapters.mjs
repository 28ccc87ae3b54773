// B26: what does an adapter add to a call of the SDK when no hook matches it?
import { createHooks } from 'hookwright';
import { hookedModel, hookedTools } from 'hookwright/ai-sdk';
import { hookInput } from './payloads.mjs';
import { addedRow, alternate, manyCalls } from './support.mjs';

const prompt = Array.from({ length: 20 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: [{ type: 'text', text: `message ${index} of the conversation` }],
}));

const result = {
  content: [{ type: 'text', text: 'Done.' }],
  finishReason: { unified: 'stop' },
  usage: {},
  warnings: [],
};

const model = {
  specificationVersion: 'v3',
  modelId: 'stub',
  doGenerate: async () => result,
  doStream: async () => ({ stream: new ReadableStream() }),
};

const tools = { ls: { execute: async ({ path }) => `the contents of ${path}` } };

/** Hooks for other tools, and for no model. */
const engineWith = (count) =>
  createHooks({
    hooks: {
      BeforeTool: Array.from({ length: count }, (_, index) => ({
        matcher: `tool_${index}`,
        hooks: [{ type: 'runtime', name: `hook-${index}`, action: () => ({ decision: 'deny' }) }],
      })),
    },
  });

const asking = (hooked) => manyCalls(() => hooked.doGenerate({ prompt }));

/** As the SDK does: it asks whether the call needs an approval, and makes it then. */
const calling = (tool) =>
  manyCalls(async (index) => {
    const options = { toolCallId: `call_${index}`, messages: prompt };
    const input = { path: 'notes.txt' };
    if ((await tool.needsApproval?.(input, options)) === true) throw new Error('nobody is asked');
    return tool.execute(input, options);
  });

export const variants = {
  bare: () => manyCalls(() => JSON.stringify(hookInput)),
  'model, bare': () => asking(model),
  'model, hooked': async () => asking(hookedModel(await engineWith(0), model)),
  'tool, bare': () => calling(tools.ls),
  'tool, no hooks': async () => calling(hookedTools(await engineWith(0), tools).ls),
  'tool, 100 for others': async () => calling(hookedTools(await engineWith(100), tools).ls),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 15 });
  const added = (what, ours, without) =>
    addedRow({
      id: 'B26',
      what,
      ours: figures[ours],
      without: figures[without],
      bare: figures.bare,
      bareInDocument: 1.4,
      budget: 5,
    });
  return [
    added('hooked model of the AI SDK, no hook matches', 'model, hooked', 'model, bare'),
    added('hooked tool of the AI SDK, no hooks', 'tool, no hooks', 'tool, bare'),
    added('hooked tool of the AI SDK, 100 hooks for others', 'tool, 100 for others', 'tool, bare'),
  ];
};
