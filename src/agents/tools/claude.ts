import type { Vocabulary } from './vocabulary.ts';

/** Tools by the names that most hooks of other agents were written for. */
export const claudeTools: Vocabulary = {
  tools: [
    {
      kind: 'shell',
      names: ['Bash'],
      args: { command: 'command', description: 'description', timeout: 'timeout', background: 'run_in_background' },
    },
    { kind: 'read', names: ['Read'], args: { path: 'file_path', offset: 'offset', limit: 'limit' } },
    { kind: 'write', names: ['Write'], args: { path: 'file_path', content: 'content' } },
    {
      kind: 'edit',
      names: ['Edit'],
      args: { path: 'file_path', before: 'old_string', after: 'new_string', all: 'replace_all' },
    },
    { kind: 'glob', names: ['Glob'], args: { pattern: 'pattern', path: 'path' } },
    { kind: 'grep', names: ['Grep'], args: { pattern: 'pattern', path: 'path', glob: 'glob' } },
    { kind: 'list', names: ['LS'], args: { path: 'path' } },
    { kind: 'fetch', names: ['WebFetch'], args: { url: 'url', prompt: 'prompt' } },
    { kind: 'search', names: ['WebSearch'], args: { query: 'query' } },
    {
      kind: 'agent',
      names: ['Agent', 'Task'],
      args: { prompt: 'prompt', description: 'description', agent: 'subagent_type' },
    },
    { kind: 'todo', names: ['TodoWrite'], args: {} },
    { kind: 'ask', names: ['AskUserQuestion'], args: {} },
  ],
  mcp: 'mcp__{server}__{tool}',
};
