// A hook asks before a push, and the user answers in the terminal. Where no terminal is, the push does not run.
import { confirmInTerminal, createHooks } from 'hookwright';

const asks = { type: 'rule', if: 'run_shell(git push *)', verdict: 'ask', reason: 'a push is visible to others' };
const confirm = confirmInTerminal({ timeoutMs: 30_000 });
const hooks = await createHooks({ hooks: { BeforeTool: [{ hooks: [asks] }] }, deps: { confirm } });

const { output, blocked } = await hooks.callTool('run_shell', { command: 'git push origin' }, () => 'pushed');
console.log(blocked ? `Not run: ${blocked.reason}` : output);
