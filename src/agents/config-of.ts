import { dirname, resolve } from 'node:path';
import { looksSecret } from '../protocol/index.ts';
import type { Dialect, JsonObject } from './dialect.ts';
import type { SearchLocations } from './finding.ts';
import type { Handler } from './reading/handler.ts';
import type { DialectEntry } from './reading/read-file.ts';

interface Wanted {
  readonly dialect: Dialect;
  readonly mode: 'strict' | 'faithful';
}

const cwdOf = (dialect: Dialect, { scope, file, plugin }: DialectEntry, place: SearchLocations): string | undefined => {
  const { cwd } = dialect.process;
  if (cwd === 'session') return undefined;
  if (cwd === 'home') return place.home;
  if (cwd === 'settings' && plugin !== undefined) return plugin.root;
  return cwd === 'settings' && scope !== 'project' ? dirname(file) : place.projectDir;
};

/** A login shell is what a user of Unix has; elsewhere there is the one of the system. */
const shellOf = (dialect: Dialect, handler: Handler, platform: SearchLocations['platform']): string | undefined => {
  const { shell } = dialect.process;
  if (handler.args !== undefined) return undefined;
  return handler.shell ?? (shell === 'login' && platform === 'win32' ? 'cmd' : shell);
};

/** What stands in a variable of a handler may name others; what comes with a project learns no secret by that. */
const filledEnv = (
  { env }: Handler,
  { fillsEnv = false }: Dialect['process'],
  { scope }: DialectEntry,
  place: SearchLocations,
): Readonly<Record<string, string>> | undefined => {
  if (env === undefined || !fillsEnv) return env;
  const fill = (text: string): string =>
    text.replaceAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (written, braced?: string, plain?: string) => {
      const name = braced ?? plain ?? '';
      const value = place.env[name];
      return value === undefined || (scope === 'project' && looksSecret(name, value)) ? written : value;
    });
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
};

/** Placeholders of a plugin; a shell finds the variables by itself, a program that is started without one does not. */
const filledIn = (
  text: string | undefined,
  { plugin }: DialectEntry,
  { dialect: { plugins } }: Wanted,
  isWord = false,
): string | undefined => {
  if (text === undefined || plugin === undefined || plugins === undefined) return text;
  const variables = Object.entries(isWord ? plugins.variables(plugin) : {}).map(([name, value]) => [
    `\${${name}}`,
    value,
  ]);
  const all = [...Object.entries(plugins.placeholders?.(plugin) ?? {}), ...variables];
  return all.reduce((filled, [name = '', value = '']) => filled.replaceAll(name, () => value), text);
};

/** A handler as our engine takes it. */
export const configOf = (entry: DialectEntry, handler: Handler, wanted: Wanted, place: SearchLocations): JsonObject => {
  const config = {
    type: handler.type,
    name: handler.name,
    command: filledIn(handler.command, entry, wanted),
    args: handler.args?.map((word) => filledIn(word, entry, wanted, true) ?? word),
    shell: shellOf(wanted.dialect, handler, place.platform),
    cwd: handler.cwd === undefined ? cwdOf(wanted.dialect, entry, place) : resolve(place.projectDir, handler.cwd),
    env: filledEnv(handler, wanted.dialect.process, entry, place),
    url: handler.url,
    prompt: handler.prompt,
    server: handler.server,
    tool: handler.tool,
    input: handler.input,
    headers: handler.headers,
    allowedEnvVars: handler.allowedEnvVars,
    timeout: handler.timeoutMs,
    statusMessage: handler.statusMessage,
    onFault: handler.failClosed === true && entry.rule?.blocks === true ? 'deny' : undefined,
    recheck: wanted.mode === 'faithful' ? false : undefined,
  };
  const ofProcess: readonly string[] = ['args', 'shell', 'cwd', 'env'];
  return Object.fromEntries(
    Object.entries(config).filter(
      ([key, value]) => value !== undefined && (handler.type === 'command' || !ofProcess.includes(key)),
    ),
  );
};
