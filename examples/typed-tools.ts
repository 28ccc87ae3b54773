// Arguments and results are typed by the name of the tool. The compiler checks this file with the others.
import { createHooks, type Hooks } from 'hookwright';

declare const runShell: (command: string) => string;
declare const dispatch: (name: string, args: Record<string, unknown>) => unknown;

interface Tools {
  shell: { input: { command: string }; output: string };
  read_file: { input: { path: string } };
}

const hooks = await createHooks<Tools>();
hooks.on('BeforeTool', ({ tool_input }) => ({ reason: `runs ${tool_input.command}` }), { tool: 'shell' });
const { output } = await hooks.callTool('shell', { command: 'ls' }, ({ command }) => runShell(command));

export const text: string | undefined = output;

// Names and arguments come from the model: `Hooks` accepts every tool.
const anyTool: Hooks = hooks;
const runTool = async (name: string, input: Record<string, unknown>): Promise<unknown> => {
  try {
    const { output, blocked, withheld } = await anyTool.callTool(name, input, (args) => dispatch(name, args));
    if (blocked !== undefined) return `Not run: ${blocked.reason}`;
    return withheld === undefined ? output : `Withheld: ${withheld.reason}`;
  } catch (error) {
    return `Failed: ${String(error)}`; // the tool's own error
  }
};

export const read = await runTool('shell', { command: 'ls' });
