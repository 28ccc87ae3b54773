// Arguments and results are typed by the name of the tool. The compiler checks this file with the others.
import { createHooks } from 'hookwright';

declare const runShell: (command: string) => string;

interface Tools {
  shell: { input: { command: string }; output: string };
  read_file: { input: { path: string } };
}

const hooks = await createHooks<Tools>();
hooks.on('BeforeTool', ({ tool_input }) => ({ reason: `runs ${tool_input.command}` }), { tool: 'shell' });
const { output } = await hooks.callTool('shell', { command: 'ls' }, ({ command }) => runShell(command));

export const text: string | undefined = output;
