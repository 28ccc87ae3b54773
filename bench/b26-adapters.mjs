// B26: what does an adapter add to a call of the SDK when no hook matches it?

import { Agent, RunContext, tool, Usage } from '@openai/agents';
import { wrapLanguageModel } from 'ai';
import { createHooks } from 'hookwright';
import { hookedModel, hookedTools } from 'hookwright/ai-sdk';
import { hooksOption } from 'hookwright/claude-agent-sdk';
import { hooksMiddleware } from 'hookwright/langchain';
import { hookedClient } from 'hookwright/mcp';
import { hookedAgent } from 'hookwright/openai-agents';
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from 'langchain';
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

const streamed = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: 't' },
  ...Array.from({ length: 46 }, (_, index) => ({ type: 'text-delta', id: 't', delta: `word ${index} ` })),
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: { unified: 'stop' }, usage: {} },
];

const model = {
  specificationVersion: 'v3',
  modelId: 'stub',
  doGenerate: async () => result,
  doStream: async () => ({ stream: ReadableStream.from(streamed) }),
};

/** A middleware as the SDK shows it, for one that looks at the parts and leaves them as they are. */
const passing = wrapLanguageModel({
  model,
  middleware: {
    specificationVersion: 'v3',
    wrapStream: async ({ doStream }) => {
      const { stream, ...rest } = await doStream();
      const transform = (part, controller) => controller.enqueue(part);
      return { stream: stream.pipeThrough(new TransformStream({ transform })), ...rest };
    },
  },
});

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
const streaming = (hooked) =>
  manyCalls(async () => {
    const { stream } = await hooked.doStream({ prompt });
    for await (const _part of stream);
  });

/** That of an agent's turn, under which its calls are made. */
const { signal } = new AbortController();

/** As the SDK does: it asks whether the call needs an approval, and makes it then. */
const calling = (tool, abortSignal) =>
  manyCalls(async (index) => {
    const options = { toolCallId: `call_${index}`, messages: prompt, abortSignal };
    const input = { path: 'notes.txt' };
    if ((await tool.needsApproval?.(input, options)) === true) throw new Error('nobody is asked');
    return tool.execute(input, options);
  });

const context = new RunContext();
const listing = tool({
  name: 'ls',
  description: 'Lists.',
  strict: false,
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
  execute: ({ path }) => `the contents of ${path}`,
});
const agentsModel = { getResponse: async () => ({ output: [], usage: new Usage() }) };
const agentsRequest = {
  input: prompt.map(({ role, content }) => ({ type: 'message', role, content: content[0].text })),
  modelSettings: {},
  tools: [],
  handoffs: [],
};
const lister = new Agent({ name: 'lister', model: agentsModel, tools: [listing] });

const callingAgents = ({ tools: [one] }) =>
  manyCalls((index) => one.invoke(context, '{"path":"notes.txt"}', { toolCall: { callId: `call_${index}` } }));
const askingAgents = ({ model: one }) => manyCalls(() => one.getResponse(agentsRequest));

/** As the SDK does for a middleware: it hands over the call, and what makes it. */
const toolRequest = { tool: undefined, state: {} };
const toldBy = ({ toolCall }) => new ToolMessage({ content: 'a b', tool_call_id: toolCall.id });
const modelRequest = {
  model: { model: 'stub' },
  systemMessage: new SystemMessage('Be brief.'),
  messages: prompt.map(({ role, content }) =>
    role === 'user' ? new HumanMessage(content[0].text) : new AIMessage(content[0].text),
  ),
  tools: [],
  runtime: {},
};
const answer = new AIMessage('Done.');
const callingChain = (wrap, signal) =>
  manyCalls(async (index) => {
    const toolCall = { id: `call_${index}`, name: 'ls', args: { path: 'notes.txt' } };
    return wrap({ ...toolRequest, toolCall, runtime: { configurable: {}, signal } }, async (request) =>
      toldBy(request),
    );
  });
const askingChain = (wrap) => manyCalls(() => wrap(modelRequest, async () => answer));
const bareWrap = async (request, handler) => handler(request);

const client = { callTool: async () => ({ content: [{ type: 'text', text: 'a b' }] }) };
const callingServer = (one, options) =>
  manyCalls(() => one.callTool({ name: 'ls', arguments: { path: 'notes.txt' } }, undefined, options));

const before = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } };
const told = (callback) => manyCalls((index) => callback(before, `toolu_${index}`, { signal }));

export const variants = {
  bare: () => manyCalls(() => JSON.stringify(hookInput)),
  'model, bare': () => asking(model),
  'model, hooked': async () => asking(hookedModel(await engineWith(0), model)),
  'stream, passing': () => streaming(passing),
  'stream, hooked': async () => streaming(hookedModel(await engineWith(0), model)),
  'tool, bare': () => calling(tools.ls),
  'tool, no hooks': async () => calling(hookedTools(await engineWith(0), tools).ls),
  'tool, 100 for others': async () => calling(hookedTools(await engineWith(100), tools).ls),
  'tool, cancellable': async () => calling(hookedTools(await engineWith(100), tools).ls, signal),
  'agents tool, bare': () => callingAgents(lister),
  'agents tool, 100 for others': async () => callingAgents(hookedAgent(await engineWith(100), lister)),
  'agents model, bare': () => askingAgents(lister),
  'agents model, hooked': async () => askingAgents(hookedAgent(await engineWith(0), lister)),
  'chain tool, bare': () => callingChain(bareWrap),
  'chain tool, 100 for others': async () => callingChain(hooksMiddleware(await engineWith(100)).wrapToolCall),
  'chain tool, cancellable': async () => callingChain(hooksMiddleware(await engineWith(100)).wrapToolCall, signal),
  'chain model, bare': () => askingChain(bareWrap),
  'chain model, hooked': async () => askingChain(hooksMiddleware(await engineWith(0)).wrapModelCall),
  'mcp, bare': () => callingServer(client),
  'mcp, 100 for others': async () => callingServer(hookedClient(await engineWith(100), client, { server: 'files' })),
  'mcp, cancellable': async () =>
    callingServer(hookedClient(await engineWith(100), client, { server: 'files' }), { signal }),
  'claude, bare': () => told(async () => ({})),
  'claude, 100 for others': async () => told(hooksOption(await engineWith(100)).PreToolUse[0].hooks[0]),
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
    added('a streamed answer of 50 parts, over a middleware of the SDK', 'stream, hooked', 'stream, passing'),
    added('hooked tool of the AI SDK, no hooks', 'tool, no hooks', 'tool, bare'),
    added('hooked tool of the AI SDK, 100 hooks for others', 'tool, 100 for others', 'tool, bare'),
    added('the same in a call that can be cancelled', 'tool, cancellable', 'tool, bare'),
    added('hooked tool of OpenAI Agents, 100 hooks for others', 'agents tool, 100 for others', 'agents tool, bare'),
    added('hooked model of OpenAI Agents, no hook matches', 'agents model, hooked', 'agents model, bare'),
    added(
      'tool behind the middleware of LangChain, 100 hooks for others',
      'chain tool, 100 for others',
      'chain tool, bare',
    ),
    added('the same in a call that can be cancelled', 'chain tool, cancellable', 'chain tool, bare'),
    added('model behind the middleware of LangChain, no hook matches', 'chain model, hooked', 'chain model, bare'),
    added('hooked client of MCP, 100 hooks for others', 'mcp, 100 for others', 'mcp, bare'),
    added('the same in a call that can be cancelled', 'mcp, cancellable', 'mcp, bare'),
    added('callback of the Claude Agent SDK, 100 hooks for others', 'claude, 100 for others', 'claude, bare'),
  ];
};
