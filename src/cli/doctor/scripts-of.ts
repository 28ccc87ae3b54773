import { isAbsolute, resolve } from 'node:path';
import { beginningOf } from '../../kit/node.ts';
import type { HookConfig } from '../../protocol/index.ts';
import { filesStartedBy, isShell, type Script, type SimpleCommand } from '../../runners/process-api.ts';
import type { Where } from '../../settings/index.ts';

interface ScriptBase extends Where {
  readonly home: string;
}

/** The files a hook runs. Only a shell reads `~/` as the home directory. */
export const scriptsOf = (hook: HookConfig, commands: readonly SimpleCommand[], where: ScriptBase): Script[] => {
  const { projectDir, cwd = projectDir, home } = where;
  const at = (named: string): string => (isAbsolute(named) ? named : resolve(cwd, hook.cwd ?? '', named));
  const started = commands.map(({ words: [program = ''] }) => at(program));
  const inHome = (named: string): string | undefined =>
    hook.args === undefined && named.startsWith('~/') ? resolve(home, named.slice(2)) : undefined;
  return [...new Set(commands.flatMap(filesStartedBy))].map((named) => ({
    named: inHome(named) ?? named,
    isStarted: started.includes(at(named)),
    isGivenToShell: commands.some(({ words: [program = '', ...args] }) => isShell(program) && args.includes(named)),
    text: beginningOf(inHome(named) ?? at(named)),
  }));
};
