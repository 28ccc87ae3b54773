// Environment variables that hooks set for later hooks of a session, and the shell file in which they write them.
import { readBeginning, temporaryFiles } from '../../kit/node.ts';
import { canSteerPrograms, type HookOutput, isLikelySecret } from '../../protocol/index.ts';
import type { Variables } from '../command/shell-words.ts';

/** Most trusted first. */
export const trustedScopes = ['system', 'user', 'project'] as const;
export type TrustedScope = (typeof trustedScopes)[number];

const MAX_REMEMBERED_SESSIONS = 64;
const MAX_STORED_SETS = 64;

interface StoredVariables {
  readonly at: string;
  readonly order: number;
  readonly variables: Variables;
}

const compareTimes = (one: StoredVariables, other: StoredVariables): number =>
  one.at.localeCompare(other.at) || one.order - other.order;

const mergeStored = (all: readonly StoredVariables[]): Variables =>
  Object.assign({}, ...all.map(({ variables }) => variables));

const insertStored = (all: readonly StoredVariables[], one: StoredVariables): readonly StoredVariables[] => {
  const sorted = [...all, one].sort(compareTimes);
  const [oldest, next, ...rest] = sorted;
  if (sorted.length <= MAX_STORED_SETS || oldest === undefined || next === undefined) return sorted;
  return [{ ...next, variables: mergeStored([oldest, next]) }, ...rest];
};

/**
 * A hook gets only variables of hooks with at least its trust, so that a project cannot influence a guard of the user.
 */
export class SessionVariables {
  readonly #sessions = new Map<string, Map<TrustedScope, readonly StoredVariables[]>>();

  /** A project must not set variables that decide which code runs: they are refused with a warning. */
  keep(session: string, scope: TrustedScope, { variables, ...one }: StoredVariables): readonly string[] {
    const refused = scope === 'project' ? Object.keys(variables).filter(canSteerPrograms) : [];
    const kept = Object.fromEntries(Object.entries(variables).filter(([name]) => !refused.includes(name)));
    const ofSession = this.#sessions.get(session) ?? new Map<TrustedScope, readonly StoredVariables[]>();
    this.#sessions.delete(session);
    this.#sessions.set(session, ofSession);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_REMEMBERED_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    ofSession.set(scope, insertStored(ofSession.get(scope) ?? [], { ...one, variables: kept }));
    return refused.length === 0
      ? []
      : [`${refused.join(', ')} reach no later hook: files of a project may not change which code runs`];
  }

  /** A project's hooks do not get secrets that more trusted hooks have set. */
  for(session: string, scope: TrustedScope): Variables {
    if (!this.#sessions.has(session)) return {};
    const trusted = trustedScopes.slice(0, trustedScopes.indexOf(scope) + 1).reverse();
    const found = Object.assign({}, ...trusted.map((one) => this.ofScope(session, one)));
    if (scope !== 'project') return found;
    const own = this.ofScope(session, 'project');
    return Object.fromEntries(
      Object.entries<string>(found).filter(([name, value]) => !isLikelySecret(name, value) || own[name] === value),
    );
  }

  forget(session: string): void {
    this.#sessions.delete(session);
  }

  ofScope(session: string, scope: TrustedScope): Variables {
    return mergeStored(this.#sessions.get(session)?.get(scope) ?? []);
  }
}

export const addWrittenVariables = (
  output: HookOutput | undefined,
  file: EnvironmentFile,
  name: string,
  keep: (variables: Variables) => readonly string[],
): { readonly output: HookOutput | undefined; readonly notes: readonly string[] } => {
  const text = file.take();
  if (file.trouble !== undefined) return { output, notes: [`nothing of ${name} counts: ${file.trouble}`] };
  if (text.trim() === '') return { output, notes: [] };
  const { variables, strange } = parseExports(text);
  const environment = Object.keys(variables).length === 0 ? {} : { environment: variables };
  return {
    output: {
      ...output,
      hookSpecificOutput: { ...output?.hookSpecificOutput, ...environment, environmentScript: text },
    },
    notes: [
      ...keep(variables),
      ...(strange === 0 ? [] : [`${strange} lines of ${name} need a shell: the host alone is handed them`]),
    ],
  };
};

/** A longer file is ignored as a whole, because half a line must not run. */
const MAX_ENVIRONMENT_FILE_BYTES = 65_536;

export class EnvironmentFile {
  readonly #made = temporaryFiles.write('environment.sh', '');
  #trouble = 'trouble' in this.#made ? this.#made.trouble : undefined;

  get path(): string | undefined {
    return 'path' in this.#made ? this.#made.path : undefined;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  take(): string {
    if (this.path === undefined) return '';
    const text = readBeginning(this.path, MAX_ENVIRONMENT_FILE_BYTES + 1)?.toString('utf8') ?? '';
    temporaryFiles.remove(this.path);
    if (Buffer.byteLength(text) <= MAX_ENVIRONMENT_FILE_BYTES) return text;
    this.#trouble = `it has more than ${MAX_ENVIRONMENT_FILE_BYTES} bytes`;
    return '';
  }
}

const valuePattern = /'([^']*)'|"((?:[^"$`\\]|\\[$`"\\])*)"|([\w%+,./:=@^-]+)/y;

const assignmentPattern = /\s*([A-Za-z_]\w*)=/y;

const readLine = (line: string): [name: string, value: string][] | undefined => {
  const [start] = /^(?:export|declare -x)(?=\s)/.exec(line) ?? [];
  if (start === undefined) return undefined;
  const variables: [string, string][] = [];
  for (let at = start.length; at < line.length; ) {
    assignmentPattern.lastIndex = at;
    const [head, name] = assignmentPattern.exec(line) ?? [];
    if (head === undefined || name === undefined) return undefined;
    at += head.length;
    let value = '';
    for (; at < line.length && !/\s/.test(line[at] ?? ''); at = valuePattern.lastIndex) {
      valuePattern.lastIndex = at;
      const [found, single, double, bare = ''] = valuePattern.exec(line) ?? [];
      if (found === undefined) return undefined;
      value += single ?? double?.replaceAll(/\\(.)/g, '$1') ?? bare;
    }
    variables.push([name, value]);
  }
  return variables;
};

/** Reads the variables that shell lines export, and counts the lines that only a shell can read. */
export const parseExports = (text: string): { readonly variables: Variables; readonly strange: number } => {
  const variables: [string, string][] = [];
  let strange = 0;
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const read = readLine(line);
    if (read === undefined) strange += 1;
    else variables.push(...read);
  }
  return { variables: Object.fromEntries(variables), strange };
};
