import { invalidArgument } from '../errors.ts';
import { suggestion } from '../kit/index.ts';
import type { Dialect } from './dialect.ts';
import { antigravity } from './packs/antigravity/index.ts';
import { claudeCode } from './packs/claude-code/index.ts';
import { codex } from './packs/codex/index.ts';
import { copilot } from './packs/copilot/index.ts';
import { cursor } from './packs/cursor/index.ts';
import { gemini } from './packs/gemini/index.ts';
import { llxprt } from './packs/llxprt/index.ts';
import { qwenCode } from './packs/qwen-code/index.ts';
import { vscode } from './packs/vscode/index.ts';

/** Every dialect there is. A further one is a folder under `packs/` and a line here. */
export const dialects: readonly Dialect[] = [
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

export const dialectNamed = (name: string): Dialect | undefined => dialects.find((dialect) => dialect.name === name);

/** Names the nearest agent, and all that are known. */
export const noSuchAgent = (name: string): string =>
  `no agent is called "${name}"${suggestion(name, dialectNames)}; known are ${dialectNames.join(', ')}`;

/** For names that a caller gave. */
export const needDialect = (name: string): Dialect => {
  const dialect = dialectNamed(name);
  if (dialect !== undefined) return dialect;
  throw invalidArgument(noSuchAgent(name));
};
