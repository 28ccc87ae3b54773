/** Hooks around the tools and models of other people's SDKs: a folder each, over one core. The core's door. */

export { expectHooks } from './core/hooks-given.ts';
export { afterModelCall, beforeModelCall, type ModelCall, type Prepared } from './core/model-call.ts';
export { expectAllowed, refused } from './core/refusal.ts';
export { forgetStopped, keepStopped, stoppedText, takeStopped } from './core/stopped-calls.ts';
export { BegunCall, BegunCalls, callAtOnce, type RunTool, type Said, type ToolCallOf } from './core/tool-call.ts';
export { type McpCall, type McpResult, McpTools } from './mcp/mcp-tools.ts';
