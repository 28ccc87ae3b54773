// Hooks that were written for another agent run in this one, unchanged.
import { join } from 'node:path';
import { createHooks } from 'hookwright';

const cwd = join(import.meta.dirname, 'dialects');
const hooks = await createHooks({
  cwd,
  home: join(cwd, 'no-home'),
  agents: { 'claude-code': true },
  // How this agent calls its tools: as Gemini CLI does.
  tools: 'gemini',
  // Hooks of a project wait for its user, who approves them with `hookwright trust`. This example trusts its own.
  deps: { trustCheck: () => true },
});

for (const command of ['git status', 'git push']) {
  const { verdict, reason } = await hooks.beforeTool({ tool: 'run_shell_command', input: { command } });
  console.log(`${command}: ${verdict}${reason === undefined ? '' : `, ${reason}`}`);
}
const [row] = await hooks.explain('BeforeTool', { toolName: 'write_file' });
console.log(`write_file: ${row.planned}, ${row.reason} (${row.dialect}, matcher ${row.matcher})`);
await hooks.close();
