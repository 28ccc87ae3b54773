/** The table of all checks of `doctor`, and the checks of scripts, timeouts and variables. */
import { existsSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { findInterpreter, findProgram, splitSearchPath } from '../../kit/node.ts';
import { createDuplicateKey } from '../../planner/index.ts';
import { getOrigin, isLikelySecret } from '../../protocol/index.ts';
import { isFolderVariable, listScriptProblems, type Script } from '../../runners/process-api.ts';
import { broadMatcherCheck, deadMatcherCheck } from './broad-matchers.ts';
import {
  cannotRunCheck,
  duplicateHookCheck,
  launchCheck,
  unsupportedHookCheck,
  untrustedHookCheck,
} from './cannot-run.ts';
import { type Diagnosis, type DoctorCheck, describeFailureConsequence, type ExaminedHook } from './check-types.ts';

/** A shell does not expand variables in single quotes. */
const listVariables = ({ command = '', args }: NonNullable<ExaminedHook['config']>): string[] => {
  const texts = args === undefined ? [command.replace(/'[^']*'/g, '')] : [];
  const names = texts.flatMap((text) => [...text.matchAll(/\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?!\w*:?[-=+?]))/g)]);
  return [...new Set(names.flatMap(([, plain, braced]) => plain ?? braced ?? []))];
};

const isSetInCommand = (command: string, name: string): boolean =>
  new RegExp(`(?:^|[\\s;&|(])(?:${name}=|(?:for|read(?: -r)?) ${name}\\b)`).test(command);

const variablesCheck: DoctorCheck = {
  id: 'variable',
  title: 'commands with variables that hooks do not see',
  about:
    'Hooks of a project or an extension do not see what looks like a secret (see trust.md). A shell replaces an unset variable with nothing, without an error.',
  examine: ({ config, isForeign, row }, { environment, foreignEnvironment }) => {
    if (config?.command === undefined) return [];
    const { command, env = {}, secrets = [] } = config;
    const granted = getOrigin(config)?.secrets ?? [];
    return listVariables(config).flatMap((name): Diagnosis | [] => {
      if (Object.hasOwn(env, name) || isSetInCommand(command, name) || granted.includes(name)) return [];
      if (isForeign && Object.hasOwn(environment, name) && !Object.hasOwn(foreignEnvironment, name)) {
        const likeSecret = isLikelySecret(name, environment[name] ?? '') ? ' looks like a secret and' : '';
        const whose = row.source.kind === 'project' ? 'a project' : 'an extension';
        return {
          severity: 'warning',
          what: `it names $${name}, which${likeSecret} is not passed to hooks of ${whose}`,
          why: 'The shell replaces it with nothing.',
          fix: secrets.includes(name)
            ? `if it may see it: hookwright trust ${JSON.stringify(row.name)} --yes --secrets ${name}`
            : `if it may see it, add to ~/.hookwright/settings.json: "allowEnv": [${JSON.stringify(name)}]`,
        };
      }
      if (Object.hasOwn(environment, name) || isFolderVariable(name) || !/^[A-Z][A-Z0-9_]+$/.test(name)) return [];
      return {
        severity: 'note',
        what: `it names $${name}, which is not set here`,
        why: 'The shell replaces it with nothing.',
        fix: `set it for the agent, or write a default: \${${name}:-…}`,
      };
    });
  },
};

const LONG_TIMEOUT_MS = 600_000;

const timeoutsCheck: DoctorCheck = {
  id: 'timeout',
  title: 'timeouts that look wrong',
  about:
    'Timeouts are milliseconds. The agent waits for its hooks, so one of many minutes makes it look dead. One below a second was probably meant in seconds; that is reported when the settings are read.',
  examine: ({ config, row: { dialect } }) => {
    const { timeout } = config ?? {};
    if (timeout === undefined || timeout <= LONG_TIMEOUT_MS) return [];
    const unit = 'timeouts are milliseconds, so write a smaller number';
    const fix =
      dialect === undefined
        ? `${unit}; for long work, let the hook start it and return`
        : `write a smaller number; if it counts seconds and milliseconds were meant, ${Math.ceil(timeout / 1_000_000)}`;
    return {
      severity: 'warning',
      what: `its timeout is ${Math.round(timeout / 60_000)} minutes (${timeout} ms)`,
      why: 'When it hangs, the agent waits that long and looks dead.',
      fix,
    };
  },
};

const shadowedCheck: DoctorCheck = {
  id: 'shadowed-name',
  title: 'different hooks of the same name',
  about:
    'Hooks are switched on and off by name, and traces and tests refer to them by name. Two hooks that do different things should have different names.',
  examine: ({ row, config }, { hooks }) => {
    if (config?.name === undefined) return [];
    const key = createDuplicateKey(config);
    const others = hooks.filter(({ row: other, config: its }) => other.name === row.name && its !== undefined);
    const first = others.find(({ config: its }) => its !== undefined && createDuplicateKey(its) !== key);
    const isLater = first !== undefined && hooks.indexOf(first) < hooks.findIndex((one) => one.row === row);
    if (first === undefined || !isLater) return [];
    return {
      severity: 'warning',
      what: `${first.row.hookId} has the same name and does something else`,
      why: 'Switching one of them off by name switches off both.',
      fix: 'give one of them another name',
    };
  },
};

const diagnoseFirstLine = ({ text, named, isStarted }: Script): Diagnosis[] => {
  if (text === undefined || !isStarted || /^(?:\ufeff|#!)/.test(text)) return [];
  return [
    {
      severity: 'warning',
      what: `${named} has no interpreter: its first line does not begin with #!`,
      why: 'A shell would run it as a shell script; other programs cannot start it.',
      fix: 'begin it with a line such as #!/bin/sh or #!/usr/bin/env node',
    },
  ];
};

const scriptFilesCheck: DoctorCheck = {
  id: 'script',
  title: 'scripts that fail when they are started',
  about:
    'A script with CRLF, with a byte order mark, without a #! line, or with one that names a missing program: the file exists and is executable, but cannot start.',
  examine: (hook, { environment }) => {
    const isThere = (program: string): boolean =>
      isAbsolute(program) ? existsSync(program) : findProgram(program, splitSearchPath(environment.PATH)) !== undefined;
    return hook.scripts.flatMap((script) => [
      ...listScriptProblems(script, isThere).map(
        ({ what, why = describeFailureConsequence(hook), fix }): Diagnosis => ({ severity: 'error', what, why, fix }),
      ),
      ...diagnoseFirstLine(script),
    ]);
  },
};

/** Version managers put shims into these directories: programs that select a version at each start. */
const shimManagers: readonly { readonly manager: string; readonly directory: RegExp; readonly which: string }[] = [
  { manager: 'asdf', directory: /[\\/]\.?asdf[\\/]shims$/, which: 'asdf which' },
  { manager: 'mise', directory: /[\\/]mise[\\/]shims$/, which: 'mise which' },
  { manager: 'pyenv', directory: /[\\/]\.?pyenv(?:-win)?[\\/]shims$/, which: 'pyenv which' },
  { manager: 'rbenv', directory: /[\\/]\.?rbenv[\\/]shims$/, which: 'rbenv which' },
  { manager: 'nodenv', directory: /[\\/]\.?nodenv[\\/]shims$/, which: 'nodenv which' },
  { manager: 'volta', directory: /[\\/]\.?volta[\\/]bin$/i, which: 'volta which' },
  { manager: 'proto', directory: /[\\/]\.proto[\\/]shims$/, which: 'proto bin' },
  { manager: 'nvm', directory: /[\\/]\.?nvm[\\/](?:shims|bin)$/, which: 'nvm which' },
];

const listPrograms = ({ commands, scripts }: ExaminedHook): string[] => {
  const named = commands.flatMap(({ words: [program] }) => program ?? []);
  const inScripts = scripts.flatMap(({ text, isStarted }) => (isStarted ? (findInterpreter(text) ?? []) : []));
  return [...new Set([...named, ...inScripts])].filter((program) => !/[\\/]/.test(program));
};

const versionManagersCheck: DoctorCheck = {
  id: 'version-manager',
  title: 'interpreters behind the shim of a version manager',
  about:
    'A shim of asdf, mise, pyenv, rbenv, nodenv, volta, proto or nvm looks up the version at every start. That costs some 60 ms for every run of the hook, and the answer may depend on the directory.',
  examine: (hook, { environment }) =>
    listPrograms(hook).flatMap((program): Diagnosis | [] => {
      const path = findProgram(program, splitSearchPath(environment.PATH));
      const directory = path?.slice(0, -program.length - 1) ?? '';
      const shim = shimManagers.find((one) => one.directory.test(directory));
      if (shim === undefined || path === undefined) return [];
      return {
        severity: 'note',
        what: `${program} is a shim of ${shim.manager} (${path})`,
        why: 'It looks up the version at every run, which costs some 60 ms each time.',
        fix: `write the path of the program itself: ${shim.which} ${program} shows it`,
      };
    }),
};

const PACKAGE_RUNNER_PATTERN = /(?:^|[\s;&|(])(?:(npx|bunx|pnpx|uvx|pipx run)\s|((?:pnpm|yarn) dlx|npm exec)\s)/;

const packageRunnersCheck: DoctorCheck = {
  id: 'package-runner',
  title: 'commands that go through a package runner',
  about:
    'npx, bunx, pnpm dlx, uvx and the like look for a package at every run, which takes hundreds of milliseconds, and may download code that the user did not approve.',
  examine: ({ config }) => {
    const { command = '', args = [] } = config ?? {};
    const [, runner, other] = PACKAGE_RUNNER_PATTERN.exec(`${[command, ...args].join(' ')} `) ?? [];
    const found = runner ?? other;
    if (found === undefined) return [];
    return {
      severity: 'note',
      what: `it is started through ${found}`,
      why: 'That takes hundreds of milliseconds at every run, and may download code that the user did not approve.',
      fix: 'install the package, and write its program, for example ./node_modules/.bin/<name>',
    };
  },
};

const relativePathsCheck: DoctorCheck = {
  id: 'relative-path',
  title: 'hooks of the user that name a file by a relative path',
  about:
    'Hooks start in the working directory of the agent. A relative path in the settings of the user or the system is a different file in every project: usually none, at worst one by another author.',
  examine: ({ row: { source }, config, scripts }) => {
    if ((source.kind !== 'user' && source.kind !== 'system') || (config?.cwd !== undefined && isAbsolute(config.cwd))) {
      return [];
    }
    return scripts
      .filter(({ named }) => !isAbsolute(named))
      .map(
        ({ named }): Diagnosis => ({
          severity: 'warning',
          what: `${named} is looked for in the working directory of the agent`,
          why: 'In another project this is another file, perhaps by another author.',
          fix: `write its absolute path, for example $HOME/.hookwright/hooks/${basename(named)}`,
        }),
      );
  },
};

/** In the order of docs/doctor.md. To add a check, write its record in this folder and list it here. */
export const checks: readonly DoctorCheck[] = [
  cannotRunCheck,
  untrustedHookCheck,
  launchCheck,
  unsupportedHookCheck,
  scriptFilesCheck,
  deadMatcherCheck,
  broadMatcherCheck,
  duplicateHookCheck,
  shadowedCheck,
  timeoutsCheck,
  variablesCheck,
  relativePathsCheck,
  versionManagersCheck,
  packageRunnersCheck,
];

export const checksOfAgents: readonly DoctorCheck[] = [
  cannotRunCheck,
  launchCheck,
  scriptFilesCheck,
  timeoutsCheck,
  relativePathsCheck,
  versionManagersCheck,
  packageRunnersCheck,
];
