import type { FlagSpec } from '../arguments/spec.ts';

/** Names of dialects, written out: the table itself would load every pack for the help alone. A test holds the two together. */
export const dialectChoices = [
  'claude-code',
  'codex',
  'gemini',
  'cursor',
  'copilot',
  'qwen-code',
  'vscode',
  'llxprt',
  'antigravity',
] as const;

/** Flags of commands that can speak of the hooks of another agent as that agent would. */
export const agentFlags = {
  dialect: {
    kind: 'text',
    value: 'agent',
    summary: 'act as this agent, with its files, events and tools; detected if only its hooks are here',
    choices: dialectChoices,
  },
  'dialect-version': {
    kind: 'text',
    value: 'number',
    summary: 'the version of the agent whose rules apply; default: the newest known',
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

export interface AgentGiven {
  readonly dialect: string | undefined;
  readonly 'dialect-version': string | undefined;
}
