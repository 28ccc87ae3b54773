/** Hooks around the tools and models of other people's SDKs: a folder each, over one core. The core's door. */

export {
  type AdapterToolCall,
  BegunCall,
  BegunCalls,
  callAtOnce,
  type RunTool,
  type ToolClearance,
} from './core/begun-calls.ts';
export { expectHooks } from './core/hooks-given.ts';
export { type AdapterModelCall, afterModelCall, beforeModelCall, type PreparedModelCall } from './core/model-call.ts';
export { expectAllowed, refused } from './core/refusal.ts';
export { forgetStopped, keepStopped, stoppedText, takeStopped } from './core/stopped-calls.ts';
export { type McpCall, type McpResult, McpTools } from './mcp/mcp-tools.ts';
