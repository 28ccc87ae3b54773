/** Hooks for the `query()` of the Claude Agent SDK. */
export { type ClaudeHookAnswer, type ClaudeHookInput, type ClaudeHooks, hooksOption } from './sdk-callbacks.ts';
