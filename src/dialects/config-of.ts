import { join } from 'node:path';
import type { Dialect, Json, Scope } from './dialect.ts';
import type { Surroundings } from './finding.ts';
import type { Handler } from './reading/handler.ts';
import type { DialectEntry } from './reading/read-file.ts';

interface Wanted {
  readonly dialect: Dialect;
  readonly mode: 'strict' | 'faithful';
}

const cwdOf = (dialect: Dialect, scope: Scope, place: Surroundings): string | undefined => {
  const { cwd } = dialect.process;
  if (cwd === 'session') return undefined;
  if (cwd === 'home') return place.home;
  return cwd === 'settings' && scope === 'user' ? join(place.home, `.${dialect.name}`) : place.projectDir;
};

/** A handler as our engine takes it. */
export const configOf = (entry: DialectEntry, handler: Handler, wanted: Wanted, place: Surroundings): Json => {
  const { shell } = wanted.dialect.process;
  const config = {
    type: handler.type,
    name: handler.name,
    command: handler.command,
    args: handler.args,
    shell: handler.args === undefined ? (handler.shell ?? (shell === 'login' ? 'sh' : shell)) : undefined,
    cwd: handler.cwd ?? cwdOf(wanted.dialect, entry.scope, place),
    env: handler.env,
    url: handler.url,
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
