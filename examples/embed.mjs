import { createHooks } from 'hookwright';

const guard = { matcher: 'run_shell', hooks: [{ command: './hooks/no-rm.sh' }] };
const hooks = await createHooks({ cwd: import.meta.dirname, hooks: { BeforeTool: [guard] } });

async function callTool(tool, input, run) {
  const before = await hooks.beforeTool({ tool, input });
  if (!['none', 'allow'].includes(before.verdict)) return `Not run: ${before.reason}`;
  const output = await run(before.input);
  const after = await hooks.afterTool({ tool, input: before.input, output });
  return after.output;
}

console.log(await callTool('run_shell', { command: 'ls' }, () => 'README.md'));
console.log(await callTool('run_shell', { command: 'rm -rf build' }, () => 'deleted'));
