import { isAbsolute, resolve } from 'node:path';
import { namedFiles, type Where } from '../../config/trust/named-files.ts';
import type { HookConfig } from '../../protocol/settings.ts';
import type { SimpleCommand } from '../../runners/command-words.ts';
import { beginningOf } from '../../runners/script-head.ts';
import { isShell, type Script } from '../../runners/script-trouble.ts';

interface Place extends Where {
  readonly home: string;
}

/** The files a hook runs. A shell reads `~/` as the home directory; where no shell reads the command, nobody does. */
export const scriptsOf = (hook: HookConfig, commands: readonly SimpleCommand[], where: Place): Script[] => {
  const { projectDir, cwd = projectDir, home } = where;
  const started = commands.map(({ words: [program = ''] }) => (isAbsolute(program) ? program : resolve(cwd, program)));
  const inHome = (named: string): string | undefined =>
    hook.args === undefined && named.startsWith('~/') ? resolve(home, named.slice(2)) : undefined;
  const { files } = namedFiles(hook, where);
  return files
    .filter((file) => inHome(file.named) === undefined || files.find(({ named }) => named === file.named) === file)
    .map(({ named, path }) => ({
      named: inHome(named) ?? named,
      isStarted: started.includes(path),
      isGivenToShell: commands.some(({ words: [program = '', ...args] }) => isShell(program) && args.includes(named)),
      text: beginningOf(inHome(named) ?? path),
    }));
};
