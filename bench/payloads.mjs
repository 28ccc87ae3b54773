// The tool calls that hooks are asked about, and what their hooks answer.

const sentence = 'The quick brown fox jumps over the lazy dog while the agent waits for its hooks to answer. ';

const toolInput = {
  file_path: 'src/runners/hook-runner.ts',
  content: sentence.repeat(8),
  options: { encoding: 'utf8', create: true },
};

/** A few tools in turn, as in a session: the same name each time would flatter every cache. */
const tools = ['write_file', 'read_file', 'run_shell_command', 'list_directory', 'glob', 'grep', 'web_fetch', 'todo'];

export const payloads = tools.map((tool_name) => ({ tool_name, tool_input: toolInput }));

/** About a kilobyte, as it goes to a hook's stdin. */
export const hookInput = {
  ...payloads[0],
  session_id: 'bench',
  transcript_path: '',
  cwd: process.cwd(),
  hook_event_name: 'BeforeTool',
  timestamp: '2026-01-01T00:00:00.000Z',
};

export const payloadAt = (index) => payloads[index & 7];
