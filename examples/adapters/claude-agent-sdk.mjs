// Hooks for query() of the Claude Agent SDK. The SDK starts an agent of its own; here a stand-in asks the hooks as that does.
import { createHooks } from 'hookwright';
import { hooksOption } from 'hookwright/claude-agent-sdk';

const query = standIn();
const prompt = 'What do these two files say?';

const hooks = await createHooks();
hooks.on('BeforeTool', ({ tool_name, tool_input }) =>
  tool_name === 'Read' && String(tool_input.file_path).startsWith('/etc')
    ? { decision: 'deny', reason: 'system files are not for agents' }
    : undefined,
);

for await (const message of query({ prompt, options: { hooks: hooksOption(hooks) } })) {
  console.log(message);
}
await hooks.close();

function standIn() {
  return async function* ({ options }) {
    const [{ hooks: callbacks }] = options.hooks.PreToolUse;
    for (const file_path of ['notes.txt', '/etc/passwd']) {
      const input = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path } };
      const { signal } = new AbortController();
      const { hookSpecificOutput: said = {} } = await callbacks[0](input, 'toolu_1', { signal });
      const { permissionDecision = 'no opinion', permissionDecisionReason = '' } = said;
      yield `Read ${file_path}: ${permissionDecision} ${permissionDecisionReason}`.trimEnd();
    }
  };
}
