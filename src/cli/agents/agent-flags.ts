/** Flags with which a command works on the hooks of another agent. */
import { existsSync } from 'node:fs';
import { defineFlags } from '../arguments/spec.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../usage-error.ts';

/** A copy of the agents' names, because loading the agent table would make `--help` slow. A test compares the names. */
export const agentNameChoices = [
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

export const agentFlags = defineFlags({
  agent: {
    kind: 'text',
    formerly: 'dialect',
    value: 'name',
    summary: 'act as this agent, with its files, events and tools; detected if only its hooks are here',
    choices: agentNameChoices,
  },
  'agent-version': {
    kind: 'text',
    formerly: 'dialect-version',
    value: 'number',
    summary: 'apply the rules of this version of the agent; default: the newest known',
  },
});

export const agentAndModeFlags = defineFlags({
  ...agentFlags,
  mode: {
    kind: 'text',
    value: 'mode',
    summary: 'strict: an explicit block always counts; faithful: only if it counts in that agent; default: strict',
    choices: ['strict', 'faithful'],
  },
});

export const agentScopeFlag = defineFlags({
  scope: {
    kind: 'text',
    formerly: { name: 'user', means: 'user' },
    value: 'scope',
    summary: 'project: its settings here; user: those in your home directory, for all projects; default: project',
    choices: ['project', 'user'],
  },
});

export const expectHomeDirectory = ({ home }: Context): void => {
  if (existsSync(home)) return;
  throw new UsageError(`the home directory ${home} does not exist`, 'set HOME to the home directory of your user');
};

export interface AgentFlagValues {
  readonly agent: string | undefined;
  readonly 'agent-version': string | undefined;
  readonly mode?: string | undefined;
}

/** If stdin has this member, `run --as-hook` only checks the settings and runs no hooks. */
export const START_CHECK_MEMBER = 'hookwright_check';
export const CANARIES_MEMBER = 'canaries';
