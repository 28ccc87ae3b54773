import { createHooks, formatProblem } from 'hookwright';

const guard = { matcher: 'run_shell', hooks: [{ command: './hooks/no-rm.sh' }] };
const hooks = await createHooks({ cwd: import.meta.dirname, hooks: { BeforeTool: [guard] } });
for (const problem of hooks.problems) console.warn(formatProblem(problem));

async function runTool(name, input, run) {
  const { output, blocked, withheld, stopped } = await hooks.callTool(name, input, run);
  if (stopped) throw new Error(`A hook ended the work: ${stopped.reason}`);
  if (blocked) return `Not run: ${blocked.reason}`;
  return withheld ? `Withheld: ${withheld.reason}` : output;
}

console.log(await runTool('run_shell', { command: 'ls' }, () => 'README.md'));
console.log(await runTool('run_shell', { command: 'rm -rf build' }, () => 'deleted'));
