import type { Vocabulary } from '../../tools/vocabulary.ts';

export const tools: Vocabulary = {
  tools: [
    {
      kind: 'shell',
      names: ['run_shell_command', 'Shell', 'ShellTool'],
      args: {
        command: 'command',
        description: 'description',
        cwd: 'directory',
        background: 'is_background',
        timeout: 'timeout',
      },
    },
    {
      kind: 'read',
      names: ['read_file', 'ReadFile', 'ReadFileTool'],
      args: { path: 'file_path', offset: 'offset', limit: 'limit' },
    },
    {
      kind: 'write',
      names: ['write_file', 'WriteFile', 'WriteFileTool'],
      args: { path: 'file_path', content: 'content' },
    },
    {
      kind: 'edit',
      names: ['edit', 'Edit', 'EditTool', 'replace'],
      args: { path: 'file_path', before: 'old_string', after: 'new_string', all: 'replace_all' },
    },
    { kind: 'glob', names: ['glob', 'Glob', 'FindFiles'], args: { pattern: 'pattern', path: 'path' } },
    {
      kind: 'grep',
      names: ['grep_search', 'Grep', 'search_file_content', 'SearchFiles'],
      args: { pattern: 'pattern', path: 'path', glob: 'glob' },
    },
    { kind: 'list', names: ['list_directory', 'ListFiles', 'ReadFolder'], args: { path: 'path' } },
    { kind: 'fetch', names: ['web_fetch', 'WebFetch'], args: { url: 'url', prompt: 'prompt' } },
    { kind: 'search', names: ['web_search', 'WebSearch'], args: { query: 'query' } },
    {
      kind: 'agent',
      names: ['agent', 'Agent', 'Task', 'task'],
      args: { prompt: 'prompt', description: 'description', agent: 'subagent_type' },
    },
    { kind: 'todo', names: ['todo_write', 'TodoList', 'TodoWrite'], args: {} },
    { kind: 'ask', names: ['ask_user_question', 'AskUserQuestion'], args: {} },
  ],
  mcp: 'mcp__{server}__{tool}',
};

/** Names that Claude Code's users write; they match since the rules were aligned. */
const claudeNames: Readonly<Partial<Record<string, string>>> = { shell: 'Bash', read: 'Read', write: 'Write' };

export const alignedTools: Vocabulary = {
  ...tools,
  tools: tools.tools.map((tool) => ({
    ...tool,
    names: [...tool.names, ...(claudeNames[tool.kind] ?? '').split(' ').filter(Boolean)],
  })),
};
