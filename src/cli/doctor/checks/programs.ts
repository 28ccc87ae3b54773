import { basename, isAbsolute } from 'node:path';
import { directoriesOf, findProgram, interpreterIn } from '../../../kit/node.ts';
import type { Check, Diagnosis, ExaminedHook } from '../check.ts';

/** Directories of programs that find out at each start which version is meant. */
const shims: readonly { readonly manager: string; readonly directory: RegExp; readonly which: string }[] = [
  { manager: 'asdf', directory: /[\\/]\.?asdf[\\/]shims$/, which: 'asdf which' },
  { manager: 'mise', directory: /[\\/]mise[\\/]shims$/, which: 'mise which' },
  { manager: 'pyenv', directory: /[\\/]\.?pyenv(?:-win)?[\\/]shims$/, which: 'pyenv which' },
  { manager: 'rbenv', directory: /[\\/]\.?rbenv[\\/]shims$/, which: 'rbenv which' },
  { manager: 'nodenv', directory: /[\\/]\.?nodenv[\\/]shims$/, which: 'nodenv which' },
  { manager: 'volta', directory: /[\\/]\.?volta[\\/]bin$/i, which: 'volta which' },
  { manager: 'proto', directory: /[\\/]\.proto[\\/]shims$/, which: 'proto bin' },
  { manager: 'nvm', directory: /[\\/]\.?nvm[\\/](?:shims|bin)$/, which: 'nvm which' },
];

/** Every program that is started by name for one run: those of the command, and those its scripts name in their first line. */
const programsOf = ({ commands, scripts }: ExaminedHook): string[] => {
  const named = commands.flatMap(({ words: [program] }) => program ?? []);
  const inScripts = scripts.flatMap(({ text, isStarted }) => (isStarted ? (interpreterIn(text) ?? []) : []));
  return [...new Set([...named, ...inScripts])].filter((program) => !/[\\/]/.test(program));
};

export const versionManagers: Check = {
  id: 'version-manager',
  title: 'interpreters behind the shim of a version manager',
  about:
    'A shim of asdf, mise, pyenv, rbenv, nodenv, volta, proto or nvm looks up the version at every start. That costs some 60 ms for every run of the hook, and the answer may depend on the directory.',
  look: (hook, { environment }) =>
    programsOf(hook).flatMap((program): Diagnosis[] => {
      const path = findProgram(program, directoriesOf(environment.PATH));
      const directory = path?.slice(0, -program.length - 1) ?? '';
      const shim = shims.find((one) => one.directory.test(directory));
      if (shim === undefined || path === undefined) return [];
      return [
        {
          severity: 'note',
          what: `${program} is a shim of ${shim.manager} (${path})`,
          why: 'It looks up the version at every run, which costs some 60 ms each time.',
          fix: `write the path of the program itself: ${shim.which} ${program} shows it`,
        },
      ];
    }),
};

const runners = /(?:^|[\s;&|(])(?:(npx|bunx|pnpx|uvx|pipx run)\s|((?:pnpm|yarn) dlx|npm exec)\s)/;

export const packageRunners: Check = {
  id: 'package-runner',
  title: 'commands that go through a package runner',
  about:
    'npx, bunx, pnpm dlx, uvx and the like look for a package at every run, which takes hundreds of milliseconds, and may download code that nobody approved.',
  look: ({ config }) => {
    const { command = '', args = [] } = config ?? {};
    const [, runner, other] = runners.exec(`${[command, ...args].join(' ')} `) ?? [];
    const found = runner ?? other;
    if (found === undefined) return [];
    return [
      {
        severity: 'note',
        what: `it is started through ${found}`,
        why: 'That takes hundreds of milliseconds at every run, and may download code that nobody approved.',
        fix: 'install the package, and write its program, for example ./node_modules/.bin/<name>',
      },
    ];
  },
};

export const relativePaths: Check = {
  id: 'relative-path',
  title: 'hooks of the user that name a file by a relative path',
  about:
    'Hooks start in the working directory of the agent. A relative path in the settings of the user or the system is a different file in every project: usually none, at worst one from somebody else.',
  look: ({ row: { source }, config, scripts }) => {
    if ((source.kind !== 'user' && source.kind !== 'system') || (config?.cwd !== undefined && isAbsolute(config.cwd))) {
      return [];
    }
    return scripts
      .filter(({ named }) => !isAbsolute(named))
      .map(
        ({ named }): Diagnosis => ({
          severity: 'warning',
          what: `${named} is looked for in the working directory of the agent`,
          why: 'In another project this is another file, perhaps from somebody else.',
          fix: `write its absolute path, for example $HOME/.hookwright/hooks/${basename(named)}`,
        }),
      );
  },
};
