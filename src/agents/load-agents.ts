// Loads the rules of one agent without those of the others: a process that runs as a hook must start fast.
import type { AgentRules } from './rules.ts';

const packLoaders: Readonly<Record<string, () => Promise<AgentRules>>> = {
  'claude-code': async () => (await import('./packs/claude-code/index.ts')).claudeCode,
  codex: async () => (await import('./packs/codex/index.ts')).codex,
  gemini: async () => (await import('./packs/gemini.ts')).gemini,
  cursor: async () => (await import('./packs/cursor/index.ts')).cursor,
  copilot: async () => (await import('./packs/copilot/index.ts')).copilot,
  'qwen-code': async () => (await import('./packs/qwen-code/index.ts')).qwenCode,
  vscode: async () => (await import('./packs/vscode.ts')).vscode,
  llxprt: async () => (await import('./packs/llxprt.ts')).llxprt,
  antigravity: async () => (await import('./packs/antigravity.ts')).antigravity,
};

export const loadAgentRules = async (name: string | undefined): Promise<AgentRules | readonly AgentRules[]> => {
  const load = name !== undefined && Object.hasOwn(packLoaders, name) ? packLoaders[name] : undefined;
  if (load !== undefined) return load();
  const table = await import('./agent-table.ts');
  return name === undefined ? table.dialects : table.requireDialect(name);
};
