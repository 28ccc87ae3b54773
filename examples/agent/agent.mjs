import { createHooks, formatProblem } from 'hookwright';

// Your tools, and what each does: shell, read, write, edit, …, or other.
const tools = { run_shell: 'shell' };
const hooks = await createHooks({ load: true, tools });
for (const problem of hooks.problems) console.warn(formatProblem(problem));

const asText = (result) => (typeof result === 'string' ? result : JSON.stringify(result ?? null));

/** Runs a tool with its hooks around it; returns the text that the model reads. */
async function runTool(name, input, run) {
  const runAsText = async (args) => asText(await run(args));
  const { output, blocked, withheld, stopped, faults } = await hooks.callTool(name, input, runAsText);
  for (const { message } of faults) console.warn(message);
  if (stopped) throw new Error(`A hook ended the work: ${stopped.reason}`);
  if (blocked) return `Not run: ${blocked.reason}`;
  return withheld ? `Withheld: ${withheld.reason}` : output;
}

// A scripted model, so that this runs without a network.
const paint = (code, text) => `\u001b[${code}m${text}\u001b[0m`;
const say = (who, code, text) => console.log(`${paint(code, who.padEnd(12))}${text}`);
const shell = ({ command }) => `ran: ${command}`;

let read = '';
for (const command of ['du -sh build', 'rm -rf build']) {
  say('model calls', 36, `run_shell ${JSON.stringify({ command })}`);
  read = await runTool('run_shell', { command }, shell);
  say('model reads', read.startsWith('Not run') ? 31 : 32, read);
}
const refused = 'I may not delete build. Please delete it yourself, or tell me what to keep.';
say('model', 36, read.startsWith('Not run') ? refused : 'build is gone.');
await hooks.close();
