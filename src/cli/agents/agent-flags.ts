import { existsSync } from 'node:fs';
import { homeDirectory } from '../../kit/node.ts';
import type { FlagSpec } from '../arguments/spec.ts';
import { UsageError } from '../usage-error.ts';

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
  agent: {
    kind: 'text',
    formerly: 'dialect',
    value: 'name',
    summary: 'act as this agent, with its files, events and tools; detected if only its hooks are here',
    choices: dialectChoices,
  },
  'agent-version': {
    kind: 'text',
    formerly: 'dialect-version',
    value: 'number',
    summary: 'apply the rules of this version of the agent; default: the newest known',
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

/** The same for commands that run or judge hooks: how much of that agent's leniency counts. */
export const rehearsalFlags = {
  ...agentFlags,
  mode: {
    kind: 'text',
    value: 'mode',
    summary: 'strict: an explicit block always counts; faithful: only if it counts in that agent; default: strict',
    choices: ['strict', 'faithful'],
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

/** Whose settings of another agent are changed. */
export const agentScopeFlag = {
  scope: {
    kind: 'text',
    formerly: { name: 'user', means: 'user' },
    value: 'scope',
    summary: 'project: its settings here; user: those in your home directory, for all projects; default: project',
    choices: ['project', 'user'],
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

/** The home directory, where the record for undo and the approvals are kept: nothing is changed without one. */
export const existingHome = (): string => {
  const home = homeDirectory();
  if (existsSync(home)) return home;
  throw new UsageError(`the home directory ${home} does not exist`, 'set HOME to the home directory of your user');
};

export interface AgentGiven {
  readonly agent: string | undefined;
  readonly 'agent-version': string | undefined;
  readonly mode?: string | undefined;
}

/** The member that alone makes an input of `run --as-hook` a check: it is answered, and no hook is run. */
export const CHECK = 'hookwright_check';
/** Beside it: the canaries of guards are run, as this line runs guards. */
export const CANARIES = 'canaries';
