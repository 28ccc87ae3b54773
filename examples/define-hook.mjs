// Hooks written as functions. `defineHook` gives input and answer the types of the event.
import { createHooks, defineHook } from 'hookwright';

const protectSecrets = defineHook({
  event: 'BeforeTool',
  name: 'protect-secrets',
  matcher: 'read_file|write_file',
  onFault: 'deny', // blocks when the guard itself fails
  run: ({ tool_input: { path } }) => {
    if (typeof path !== 'string') throw new TypeError('path is not a text'); // a fault: `onFault` counts
    if (path.endsWith('.env')) return { decision: 'deny', reason: '.env holds secrets' };
    // No answer is no opinion. It is not an approval.
  },
});

const limitTime = defineHook({
  event: 'BeforeTool',
  name: 'limit-time',
  matcher: 'run_shell',
  run: ({ tool_input }) =>
    tool_input.timeout_seconds > 10 ? { hookSpecificOutput: { tool_input: { timeout_seconds: 10 } } } : undefined,
});

const askTheWiki = defineHook({
  event: 'BeforeAgent',
  name: 'ask-the-wiki',
  timeout: '1s',
  // `signal` aborts at the timeout, at the deadline of the request and when the request is cancelled.
  run: async ({ prompt }, { signal }) => {
    const page = await searchWiki(prompt, signal);
    return { hookSpecificOutput: { additionalContext: page } };
  },
});

// The faults are printed below; without `warnings: false` a guard that fails is a warning of the process, too.
const hooks = await createHooks({ hooks: [protectSecrets, limitTime, askTheWiki], warnings: false });
for (const call of [
  { tool: 'read_file', input: { path: 'README.md' } },
  { tool: 'read_file', input: { path: '.env' } },
  { tool: 'read_file', input: { file: 'README.md' } },
  { tool: 'run_shell', input: { command: 'npm test', timeout_seconds: 600 } },
]) {
  const { verdict, reason, input, faults } = await hooks.beforeTool(call);
  console.log(call.tool, JSON.stringify(call.input));
  console.log('  verdict:', verdict, reason === undefined ? '' : `(${reason})`);
  console.log('  input:  ', JSON.stringify(input));
  for (const { hook, code, message } of faults) console.log('  fault:  ', hook, code, `(${message})`);
}
const { prompt } = await hooks.beforeAgent({ prompt: 'Which Node do we support?' });
console.log(prompt);

function searchWiki(_question, signal) {
  signal.throwIfAborted();
  return Promise.resolve('From the wiki: Node 20.19 and later.');
}
