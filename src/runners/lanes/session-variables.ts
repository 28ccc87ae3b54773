// Environment variables that hooks set for later hooks of a session, and the shell file in which they write them.
import { readBeginning, temporaryFiles } from '../../kit/node.ts';
import { canSteerPrograms, type HookOutput, isLikelySecret } from '../../protocol/index.ts';
import type { Variables } from '../command/shell-words.ts';

export type TrustedScope = 'system' | 'user' | 'project';

const trustOrder: readonly TrustedScope[] = ['system', 'user', 'project'];

const MAX_SESSIONS = 64;
const MAX_KEPT = 64;

interface StoredSessionVariables {
  readonly at: string;
  readonly order: number;
  readonly variables: Variables;
}

const compareTimes = (one: StoredSessionVariables, other: StoredSessionVariables): number =>
  one.at === other.at ? one.order - other.order : one.at < other.at ? -1 : 1;

const mergeKept = (all: readonly StoredSessionVariables[]): Variables =>
  Object.assign({}, ...all.map(({ variables }) => variables));

const insertKept = (
  all: readonly StoredSessionVariables[],
  one: StoredSessionVariables,
): readonly StoredSessionVariables[] => {
  const sorted = [...all, one].sort(compareTimes);
  const [oldest, next, ...rest] = sorted;
  if (sorted.length <= MAX_KEPT || oldest === undefined || next === undefined) return sorted;
  return [{ ...next, variables: mergeKept([oldest, next]) }, ...rest];
};

/**
 * A hook gets only variables of hooks with at least its trust, so that a project cannot influence a guard of the user.
 */
export class SessionVariables {
  readonly #sessions = new Map<string, Map<TrustedScope, readonly StoredSessionVariables[]>>();

  /** A project must not set variables that decide which code runs: they are refused with a warning. */
  keep(session: string, scope: TrustedScope, { variables, ...one }: StoredSessionVariables): readonly string[] {
    const refused = scope === 'project' ? Object.keys(variables).filter(canSteerPrograms) : [];
    const kept = Object.fromEntries(Object.entries(variables).filter(([name]) => !refused.includes(name)));
    const ofSession = this.#sessions.get(session) ?? new Map<TrustedScope, readonly StoredSessionVariables[]>();
    this.#sessions.delete(session);
    this.#sessions.set(session, ofSession);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    ofSession.set(scope, insertKept(ofSession.get(scope) ?? [], { ...one, variables: kept }));
    return refused.length === 0
      ? []
      : [`${refused.join(', ')} reach no later hook: files of a project may not change which code runs`];
  }

  /** Hooks of a project get no secrets of others. */
  for(session: string, scope: TrustedScope): Variables {
    const ofSession = this.#sessions.get(session);
    if (ofSession === undefined) return {};
    const ofScope = (one: TrustedScope): Variables => mergeKept(ofSession.get(one) ?? []);
    const trusted = trustOrder.slice(0, trustOrder.indexOf(scope) + 1).reverse();
    const found = Object.assign({}, ...trusted.map(ofScope));
    if (scope !== 'project') return found;
    const own = ofScope('project');
    return Object.fromEntries(
      Object.entries<string>(found).filter(([name, value]) => !isLikelySecret(name, value) || own[name] === value),
    );
  }

  forget(session: string): void {
    this.#sessions.delete(session);
  }

  ofScope(session: string, scope: TrustedScope): Variables {
    return mergeKept(this.#sessions.get(session)?.get(scope) ?? []);
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
  const { hookSpecificOutput = {} } = output ?? {};
  const environment = Object.keys(variables).length === 0 ? {} : { environment: variables };
  const notes = [
    ...keep(variables),
    ...(strange === 0 ? [] : [`${strange} lines of ${name} need a shell: the host alone is handed them`]),
  ];
  return {
    output: { ...output, hookSpecificOutput: { ...hookSpecificOutput, ...environment, environmentScript: text } },
    notes,
  };
};

/** A longer file is ignored as a whole, because half a line must not run. */
const MAX_BYTES = 65_536;

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
    const text = readBeginning(this.path, MAX_BYTES + 1)?.toString('utf8') ?? '';
    temporaryFiles.remove(this.path);
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
    this.#trouble = `it has more than ${MAX_BYTES} bytes`;
    return '';
  }
}

const valuePiece = /'([^']*)'|"((?:[^"$`\\]|\\[$`"\\])*)"|([\w%+,./:=@^-]+)/y;

const assignment = /\s*([A-Za-z_]\w*)=/y;

const readLine = (line: string): [name: string, value: string][] | undefined => {
  const [start] = /^(?:export|declare -x)(?=\s)/.exec(line) ?? [];
  if (start === undefined) return undefined;
  const variables: [string, string][] = [];
  for (let at = start.length; at < line.length; ) {
    assignment.lastIndex = at;
    const [head, name] = assignment.exec(line) ?? [];
    if (head === undefined || name === undefined) return undefined;
    at += head.length;
    let value = '';
    for (; at < line.length && !/\s/.test(line[at] ?? ''); at = valuePiece.lastIndex) {
      valuePiece.lastIndex = at;
      const [found, single, double, bare = ''] = valuePiece.exec(line) ?? [];
      if (found === undefined) return undefined;
      value += single ?? double?.replaceAll(/\\(.)/g, '$1') ?? bare;
    }
    variables.push([name, value]);
  }
  return variables;
};

interface Exported {
  readonly variables: Readonly<Record<string, string>>;
  readonly strange: number;
}

export const parseExports = (text: string): Exported => {
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
