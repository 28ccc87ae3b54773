/** Creates probes: commands that show how long the process, shell, interpreter and imports of a hook take. */
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findInterpreter, readBeginningText } from '../../kit/node.ts';
import { getOrigin, type HookConfig, withOrigin } from '../../protocol/index.ts';
import { findInlineProgram, isInterpreter, type SimpleCommand } from '../../runners/process-api.ts';

/** Each probe does one step more than the probe before it, and their difference in duration is the time of the step. */
export interface StartupProbes {
  readonly process: HookConfig;
  readonly shell?: HookConfig;
  readonly interpreter?: { readonly name: string; readonly nothing: HookConfig; readonly imports?: HookConfig };
}

interface InterpretedScript {
  readonly interpreter: string;
  readonly options: readonly string[];
  readonly path: string | undefined;
}

const idleArguments: readonly (readonly [name: RegExp, args: readonly string[]])[] = [
  [/^(?:ba|da|z|k)?sh$/, ['-c', ':']],
  [/^(?:node|nodejs|bun|tsx|ruby|perl|lua)$/, ['-e', '0']],
  [/^python[\d.]*$/, ['-c', '0']],
  [/^deno$/, ['eval', '0']],
  [/^php$/, ['-r', '0;']],
];

const findScript = (commands: readonly SimpleCommand[], directory: string): InterpretedScript | undefined => {
  for (const { words } of commands) {
    const [program = '', ...args] = words;
    if (isInterpreter(program)) {
      const isInline = findInlineProgram(args, basename(program)) !== undefined;
      const at = isInline ? -1 : args.findIndex((arg) => !/^[-+]/.test(arg));
      const named = args[at];
      const path = named === undefined ? undefined : resolve(directory, named);
      return { interpreter: program, options: at === -1 ? [] : args.slice(0, at), path };
    }
    const path = isAbsolute(program) || program.includes('/') ? resolve(directory, program) : undefined;
    const interpreter = path === undefined ? undefined : findInterpreter(readBeginningText(path));
    if (interpreter !== undefined) return { interpreter, options: [], path };
  }
  return undefined;
};

const listMatches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, name]) => (name === undefined ? [] : [name]));

const createNodeImportArgs = (text: string, directory: string): readonly string[] | undefined => {
  const at = (name: string): string => (name.startsWith('.') ? resolve(directory, name) : name);
  const imports = listMatches(text, /^\s*(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm);
  if (imports.length > 0) {
    const urls = imports.map((name) => (name.startsWith('.') ? pathToFileURL(at(name)).href : name));
    return ['--input-type=module', '-e', urls.map((url) => `import ${JSON.stringify(url)};`).join(' ')];
  }
  const required = listMatches(text, /\brequire\(\s*['"]([^'"]+)['"]\s*\)/g);
  if (required.length === 0) return undefined;
  return ['-e', required.map((name) => `require(${JSON.stringify(at(name))});`).join(' ')];
};

const createPythonImportArgs = (text: string, directory: string): readonly string[] | undefined => {
  const lines = listMatches(text, /^((?:import|from)\s+[\w.]+(?:\s+import\s+[\w*, ]+|[\w., ]*))$/gm);
  if (lines.length === 0) return undefined;
  return ['-c', ['import sys', `sys.path.insert(0, ${JSON.stringify(directory)})`, ...lines].join('\n')];
};

const importArgsByInterpreter: readonly (readonly [name: RegExp, of: typeof createNodeImportArgs])[] = [
  [/^(?:node|nodejs|bun)$/, createNodeImportArgs],
  [/^python[\d.]*$/, createPythonImportArgs],
];

const listImports = (name: string, path: string | undefined): readonly string[] | undefined => {
  const text = path === undefined ? undefined : readBeginningText(path);
  if (path === undefined || text === undefined) return undefined;
  return importArgsByInterpreter.find(([names]) => names.test(name))?.[1](text, dirname(path));
};

const createProbeLike = (hook: HookConfig, probe: HookConfig): HookConfig => {
  const { env, cwd, timeout } = hook;
  const origin = getOrigin(hook);
  const copy = { cwd, timeout, ...(env === undefined ? {} : { env }), ...probe };
  return origin === undefined ? copy : withOrigin(copy, { ...origin, dialect: undefined, changed: undefined });
};

export const createStartupProbes = (
  hook: HookConfig,
  { commands, directory, byShell }: { commands: readonly SimpleCommand[]; directory: string; byShell: boolean },
): StartupProbes => {
  const { shell } = hook;
  const line = { command: 'exit 0', ...(shell === undefined ? {} : { shell }) };
  const script = findScript(commands, directory);
  const name = script === undefined ? '' : basename(script.interpreter).replace(/\.exe$/i, '');
  const end = idleArguments.find(([names]) => names.test(name))?.[1];
  const probes = {
    process: createProbeLike(hook, { command: 'true', args: [] }),
    ...(byShell ? { shell: createProbeLike(hook, line) } : {}),
  };
  if (script === undefined || end === undefined) return probes;
  const { interpreter: command, options, path } = script;
  const imports = listImports(name, path);
  const at = path === undefined ? {} : { cwd: dirname(path) };
  return {
    ...probes,
    interpreter: {
      name,
      nothing: createProbeLike(hook, { command, args: [...options, ...end] }),
      ...(imports === undefined
        ? {}
        : { imports: createProbeLike(hook, { ...at, command, args: [...options, ...imports] }) }),
    },
  };
};
