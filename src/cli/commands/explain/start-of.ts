import { basename, isAbsolute, resolve } from 'node:path';
import { type HookConfig, HookType } from '../../../protocol/index.ts';
import { findShells, knownVariables, launchOf } from '../../../runners/process-api.ts';

const environmentOf = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

const others: ReadonlyMap<string, string> = new Map([
  [HookType.Runtime, 'a function of the host'],
  [HookType.Plugin, 'a function of the host'],
  [HookType.Worker, 'a worker process'],
  [HookType.Http, 'an HTTP request'],
  [HookType.Rule, 'nothing: it is a rule'],
  [HookType.Prompt, 'a request to the model of the host'],
]);

/** What would be started for a hook: the program itself, or the shell that reads its line. */
export const startOf = (
  hook: HookConfig,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): string => {
  const type = hook.type ?? HookType.Command;
  if (type === HookType.Mcp) return `the tool ${hook.tool} of the MCP server ${hook.server}`;
  if (type !== HookType.Command) return hook.url ?? others.get(type) ?? `a lane of the host for "${type}"`;
  const environment = environmentOf(env);
  const variables = knownVariables({ projectDir: cwd, cwd, sessionId: '' });
  const machine = { platform: process.platform, environment, ...findShells(environment, cwd) };
  const { file, args, by } = launchOf(hook, variables, machine);
  if (by === 'shell') return `${basename(file)} reads the line: ${hook.command ?? ''}`;
  const directory = hook.cwd === undefined ? cwd : resolve(cwd, hook.cwd);
  const program = /[\\/]/.test(file) && !isAbsolute(file) ? resolve(directory, file) : file;
  return [program, ...args].join(' ');
};
