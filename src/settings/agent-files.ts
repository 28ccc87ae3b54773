/** Finds hook files of other agents in a project without loading the agents' rules, which would slow the start. */
import { basename, dirname, join } from 'node:path';
import { listNames, readRegularFile } from '../kit/node.ts';

/** Gemini CLI is missing here: its files are read as settings of hookwright. */
export const agentProjectFiles: Readonly<Record<string, Readonly<{ title: string; files: readonly string[] }>>> = {
  'claude-code': { title: 'Claude Code', files: ['.claude/settings.local.json', '.claude/settings.json'] },
  codex: { title: 'Codex', files: ['.codex/hooks.json', '.codex/config.toml'] },
  cursor: { title: 'Cursor', files: ['.cursor/hooks.json'] },
  copilot: {
    title: 'Copilot CLI',
    files: ['.github/hooks/*.json', '.github/copilot/settings.json', '.github/copilot/settings.local.json'],
  },
  'qwen-code': { title: 'Qwen Code', files: ['.qwen/settings.local.json', '.qwen/settings.json'] },
  llxprt: { title: 'LLxprt Code', files: ['.llxprt/settings.json'] },
  antigravity: {
    title: 'Antigravity',
    files: ['.agents/hooks.json', '.agent/hooks.json', '_agents/hooks.json', '_agent/hooks.json'],
  },
};

const HOOKS_SECTION_PATTERN = /"hooks"\s*:\s*\{(?!\s*\})|^\s*\[\[?hooks\b/m;

const MAX_HOOK_FILE_BYTES = 1_048_576;

const hasHooks = (path: string): boolean => {
  const found = readRegularFile(path, { maxBytes: MAX_HOOK_FILE_BYTES });
  if (!('bytes' in found)) return false;
  // In files of Antigravity the hooks are at the top level.
  return HOOKS_SECTION_PATTERN.test(found.bytes.toString('utf8')) || /agents?[\\/]hooks\.json$/.test(path);
};

const expandFilePattern = (path: string): string[] => {
  if (basename(path) !== '*.json') return [path];
  const names = listNames(dirname(path)).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => join(dirname(path), name));
};

export const findAgentsInProject = (projectDir: string) =>
  Object.entries(agentProjectFiles).flatMap(([name, { title, files }]) => {
    const file = files.flatMap((path) => expandFilePattern(join(projectDir, path))).find(hasHooks);
    return file === undefined ? [] : [{ name, title, file }];
  });
