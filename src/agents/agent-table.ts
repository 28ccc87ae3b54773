// The table of all agents, and lookups by name and version with errors for unknown names and versions.
import { createInvalidArgument } from '../errors.ts';
import { formatSuggestion } from '../kit/index.ts';
import { isAtLeast } from './agent-version.ts';
import { antigravity } from './packs/antigravity.ts';
import { claudeCode } from './packs/claude-code/index.ts';
import { codex } from './packs/codex/index.ts';
import { copilot } from './packs/copilot/index.ts';
import { cursor } from './packs/cursor/index.ts';
import { gemini } from './packs/gemini.ts';
import { llxprt } from './packs/llxprt.ts';
import { qwenCode } from './packs/qwen-code/index.ts';
import { vscode } from './packs/vscode.ts';
import type { AgentRules } from './rules.ts';

export const dialects: readonly AgentRules[] = [
  claudeCode,
  codex,
  gemini,
  cursor,
  copilot,
  qwenCode,
  vscode,
  llxprt,
  antigravity,
];

export const dialectNames: readonly string[] = dialects.map(({ name }) => name);

export const dialectNamed = (name: string): AgentRules | undefined => dialects.find((dialect) => dialect.name === name);

export const explainUnknownAgent = (name: string): string =>
  `no agent is called "${name}"${formatSuggestion(name, dialectNames)}; known are ${dialectNames.join(', ')}`;

export const requireDialect = (name: string): AgentRules => {
  const dialect = dialectNamed(name);
  if (dialect !== undefined) return dialect;
  throw createInvalidArgument(explainUnknownAgent(name));
};

export const requireVersion = ({ title, oldest, latest }: AgentRules, version: string | undefined): string => {
  if (version === undefined) return latest;
  if (!isAtLeast(version, oldest))
    throw createInvalidArgument(`Rules of ${title} ${version} are not known; the oldest are those of ${oldest}`);
  if (!isAtLeast(latest, version))
    throw createInvalidArgument(`Rules of ${title} ${version} are not known; the newest are those of ${latest}`);
  return version;
};
