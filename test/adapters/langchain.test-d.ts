import { type AgentMiddleware, createAgent, initChatModel } from 'langchain';
import { hooksMiddleware } from '../../src/adapters/langchain/index.ts';
import { createHooks } from '../../src/index.ts';

// Checked by the compiler and never run. A line that stops compiling means that an SDK release changed what we rely on.

const hooks = await createHooks();

hooksMiddleware(hooks) satisfies AgentMiddleware;
const model = await initChatModel('openai:gpt-5');
const agent = createAgent({ model, tools: [], middleware: [hooksMiddleware(hooks, { modelFor: () => model })] });
const { messages } = await agent.invoke({ messages: 'Hi.' });
messages satisfies readonly object[];

// @ts-expect-error: hooks come first
hooksMiddleware({ stream: 'live' });
// @ts-expect-error: no such way to stream
hooksMiddleware(hooks, { stream: 'later' });
// @ts-expect-error: no such option
hooksMiddleware(hooks, { confirm: () => true });
