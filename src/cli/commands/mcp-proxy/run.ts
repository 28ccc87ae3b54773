import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHooks } from '../../../facade/index.ts';
import { describeThrown, onAbort } from '../../../kit/index.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { McpProxy } from './proxy.ts';
import type { mcpProxySpec } from './spec.ts';

export const run: Run<typeof mcpProxySpec> = async ({ command, server }, context) => {
  const [program, ...args] = command;
  if (program === undefined) throw new UsageError('there is no command', 'hookwright mcp-proxy -- <server command>');
  const { cwd, env, signal, screen } = context;
  const { config, problems } = await loadSettings(context);
  context.note(problemsText(problems, screen.width, cwd));
  const hooks = await createHooks({ config });
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    await once(child, 'spawn');
  } catch (error) {
    await hooks.close();
    throw new UsageError(`${program} could not be started: ${describeThrown(error)}`);
  }
  onAbort(signal, () => child.kill('SIGTERM'));
  // What is written to a side that is gone goes nowhere; that it is gone is seen by its end.
  child.stdin.on('error', () => undefined);
  const note = (text: string): void => context.note([text]);
  const proxy = new McpProxy({ hooks, server, toServer: child.stdin, toClient: process.stdout, note });
  let hasClientEnded = false;
  void proxy.read(process.stdin, 'client').then(
    () => {
      hasClientEnded = true;
      child.stdin.end();
    },
    (error: unknown) => {
      note(describeThrown(error));
      child.kill('SIGTERM');
    },
  );
  await proxy.read(child.stdout, 'server');
  const [code] = await ended;
  await hooks.close();
  process.stdin.destroy();
  return {
    findings: !hasClientEnded && code !== 0 && !signal.aborted,
    data: { exitCode: code },
    text: () => [],
  };
};
