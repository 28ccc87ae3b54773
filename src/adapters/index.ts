/** Exports the parts that all adapters share. Each SDK has a folder with the hooks around its tools and models. */

export {
  type AdapterToolCall,
  BegunCall,
  BegunCalls,
  callAtOnce,
  type RunTool,
  type ToolClearance,
} from './core/begun-calls.ts';
export { type AdapterModelCall, finishModelCall, type PreparedModelCall, prepareModelCall } from './core/model-call.ts';
export {
  createBlockedError,
  expectAllowed,
  forgetStoppedCall,
  formatStop,
  rememberStoppedCall,
  takeStopReason,
} from './core/stopped-calls.ts';
export { expectHooks } from './core/wrapping.ts';
export { type McpCall, type McpResult, McpTools } from './mcp/mcp-tools.ts';
