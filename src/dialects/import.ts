import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { applyEdits, modify, parse } from 'jsonc-parser';
import { HookwrightError } from '../errors.ts';
import { isRecord, suggestion } from '../kit/index.ts';
import { convert, type Loss, ownTarget, type Target, targetOf } from './convert.ts';
import type { Dialect, Json, Scope } from './dialect.ts';
import {
  type FoundFile,
  findDialectFiles,
  pathsOf,
  type Surroundings,
  surroundingsOf,
  textAt,
  unreadable,
} from './finding.ts';
import { type DialectEntry, type DialectProblem, readDialectFile } from './reading/read-file.ts';
import { dialectNamed, dialectNames } from './table.ts';

export interface ImportOptions {
  /** The agent whose hooks are there. */
  readonly from: string;
  /** The agent they are to be for; hookwright's own settings when left out. */
  readonly to?: string | undefined;
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly version?: string | undefined;
}

/** A file as it is and as it would be. Nothing has been written. */
export interface FileChange {
  readonly path: string;
  /** Absent when the file is not there yet. */
  readonly before?: string;
  readonly after: string;
  /** How many hooks come in. */
  readonly hooks: number;
}

export interface Import {
  readonly changes: readonly FileChange[];
  readonly losses: readonly Loss[];
  readonly problems: readonly DialectProblem[];
  /** The files that were read. */
  readonly files: readonly string[];
}

const needDialect = (name: string): Dialect => {
  const dialect = dialectNamed(name);
  if (dialect !== undefined) return dialect;
  const message = `"${name}" is no dialect${suggestion(name, dialectNames)}; known are ${dialectNames.join(', ')}`;
  throw new HookwrightError('invalid_argument', message);
};

const ownPaths: Readonly<Record<Scope, (place: Surroundings) => string>> = {
  project: ({ projectDir }) => join(projectDir, '.hookwright', 'settings.json'),
  user: ({ home }) => join(home, '.hookwright', 'settings.json'),
  system: () => '/etc/hookwright/settings.json',
};

const pathFor = (to: Dialect | undefined, scope: Scope, place: Surroundings): string => {
  if (to === undefined) return ownPaths[scope](place);
  if (scope === 'project') return pathsOf({ scope, path: to.writes.path }, place)[0] ?? '';
  const rule = to.files.find((file) => file.scope === scope && file.form === undefined);
  const [path = ''] = rule === undefined ? [] : pathsOf(rule, place);
  return path.endsWith('*.json') ? join(dirname(path), 'hooks.json') : path;
};

const format = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } };

const sameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The text of a settings file with more hooks in it; what stands there stays, comments too. */
const withHooks = (text: string, settings: Json): { readonly text: string; readonly added: number } => {
  let result = text.trim() === '' ? '{}\n' : text;
  let added = 0;
  const put = (path: (string | number)[], value: unknown, isArrayInsertion = false): void => {
    result = applyEdits(result, modify(result, path, value, { ...format, isArrayInsertion }));
  };
  for (const [key, value] of Object.entries(settings)) {
    const current: unknown = parse(result);
    const there = isRecord(current) ? current[key] : undefined;
    if (!isRecord(value)) {
      if (there === undefined) put([key], value);
      continue;
    }
    for (const [event, groups] of Object.entries(value)) {
      const list = isRecord(there) && Array.isArray(there[event]) ? there[event] : undefined;
      const fresh = (Array.isArray(groups) ? groups : []).filter((group) => !list?.some((one) => sameJson(one, group)));
      if (list === undefined && fresh.length > 0) put([key, event], fresh);
      else for (const group of fresh) put([key, event, -1], group, true);
      added += fresh.length;
    }
  }
  return { text: result, added };
};

const changeOf = async (path: string, settings: Json): Promise<FileChange | DialectProblem | undefined> => {
  const found = await textAt(path);
  // What cannot be read must not be replaced either.
  if ('trouble' in found) return unreadable(path, `${found.trouble}; nothing is brought into it`);
  const before = 'text' in found ? found.text : undefined;
  const { text, added } = withHooks(before ?? '', settings);
  if (added === 0) return undefined;
  return {
    path,
    ...(before === undefined ? {} : { before }),
    after: text.endsWith('\n') ? text : `${text}\n`,
    hooks: added,
  };
};

/** Whoever put a link into a project says what is read, and the hooks would be written as the project's own. */
const strayed = ({ path, strayedTo }: FoundFile): DialectProblem[] =>
  strayedTo === undefined
    ? []
    : [unreadable(path, `lies outside of the project, at ${strayedTo}; nothing of it is brought`)];

/**
 * Says how the hooks of one agent would be written as hookwright's, or as those of another agent, and what of them cannot
 * be. It reads files and writes none.
 */
export const importHooks = async (options: ImportOptions): Promise<Import> => {
  const from = needDialect(options.from);
  const to = options.to === undefined || options.to === 'hookwright' ? undefined : needDialect(options.to);
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = resolve(options.home ?? homedir());
  const place = await surroundingsOf(from, { cwd, home, env: options.env ?? process.env });
  const { platform } = place;
  const found = await findDialectFiles(from, place);
  const ours = found.files.filter(({ scope }) => scope !== 'system');
  const files = ours.filter(({ strayedTo }) => strayedTo === undefined);
  const entries: DialectEntry[] = [];
  const problems: DialectProblem[] = [...found.problems, ...ours.flatMap(strayed)];
  for (const file of files) {
    const reading = readDialectFile(from, file, { version: options.version ?? from.latest, platform });
    problems.push(...reading.problems);
    entries.push(...reading.entries);
  }
  const target: Target = to === undefined ? ownTarget : targetOf(to);
  const losses: Loss[] = [];
  const changes: FileChange[] = [];
  for (const scope of ['project', 'user'] as const) {
    const ofScope = entries.filter((entry) => entry.scope === scope);
    const converted = convert(ofScope, from, target);
    losses.push(...converted.losses);
    if (converted.count === 0) continue;
    const change = await changeOf(pathFor(to, scope, place), converted.settings);
    if (change === undefined) continue;
    if ('after' in change) changes.push(change);
    else problems.push(change);
  }
  return { changes, losses, problems, files: files.map(({ path }) => path) };
};
