import { createHooks, defineHook } from 'hookwright';

const protectSecrets = defineHook({
  event: 'BeforeTool',
  name: 'protect-secrets',
  matcher: 'read_file|write_file',
  onFault: 'deny', // blocks when the guard itself fails
  run: ({ tool_input }) => {
    if (tool_input.path.endsWith('.env')) return { decision: 'deny', reason: '.env holds secrets' };
    // No answer is no opinion. It is not an approval.
  },
});

const hooks = await createHooks({ hooks: [protectSecrets] });
const { verdict, reason } = await hooks.beforeTool({ tool: 'read_file', input: { path: '.env' } });
console.log(verdict, reason);
