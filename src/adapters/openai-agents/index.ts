/** Hooks around an agent of `@openai/agents`: its model, its tools, and the agents it hands over to. */
export { type HookedAgentOptions, hookedAgent } from './agent.ts';
export { fromLanguageModel } from './hooked-model.ts';
