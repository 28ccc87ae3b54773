import { existsSync } from 'node:fs';
import { homeDirectory } from '../../kit/node.ts';
import type { FlagSpec } from '../arguments/spec.ts';
import { UsageError } from '../arguments/usage-error.ts';

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

/** The home directory, where the record for undo and the approvals are kept: nothing is changed without one. */
export const existingHome = (): string => {
  const home = homeDirectory();
  if (existsSync(home)) return home;
  throw new UsageError(`the home directory ${home} does not exist`, 'set HOME to the home directory of your user');
};

export interface AgentGiven {
  readonly dialect: string | undefined;
  readonly 'dialect-version': string | undefined;
}
