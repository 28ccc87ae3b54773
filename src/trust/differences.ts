// The differences between an approval and the current version.
import type { Approval } from './approval.ts';
import { canonicalJson, type JsonValue } from './canonical.ts';
import type { FileState, TrustSubject } from './subject.ts';

/** One difference. A member is absent on the side where it does not exist. */
export interface TrustDifference {
  /** `matcher`, `hook.command`, or the path of a script. */
  readonly what: string;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

const isObject = (value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const compare = (what: string, before: JsonValue | undefined, after: JsonValue | undefined): TrustDifference[] => {
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) =>
      compare(what === '' ? key : `${what}.${key}`, member(before, key), member(after, key)),
    );
  }
  if (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after)) return [];
  return [{ what, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
};

const member = (value: { readonly [key: string]: JsonValue }, key: string): JsonValue | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const inWords = ({ state, sha256, leadsTo, notExecutable }: FileState): JsonValue =>
  state === 'covered'
    ? `sha256 ${sha256 ?? ''}${notExecutable === true ? ', not executable' : ''}`
    : leadsTo === undefined
      ? state
      : `${state}: ${leadsTo}`;

const byPath = (files: readonly FileState[]): { readonly [key: string]: JsonValue } =>
  Object.fromEntries(files.map((file) => [file.path, inWords(file)]));

export const differencesFrom = (
  previous: Approval,
  { content }: TrustSubject,
  files: readonly FileState[],
): TrustDifference[] => {
  const before = byPath(previous.files);
  const after = byPath(files);
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return [
    ...compare('', previous.content, content),
    ...paths.flatMap((path) => compare(path, member(before, path), member(after, path))),
  ];
};

const MAX_NAMED = 3;

/** A short form: names of changed members and paths of changed scripts. */
export const changesSince = (previous: Approval, subject: TrustSubject, files: readonly FileState[]): string[] => {
  const isSameEntry = canonicalJson(previous.content) === canonicalJson(subject.content);
  // If the entry itself changed, its scripts are not read.
  const ofEntry = isSameEntry ? [] : differencesFrom({ ...previous, files: [] }, subject, []);
  const all = isSameEntry
    ? changedFiles(previous.files, files)
    : ofEntry.map(({ what }) => what.replace(/^hook\./, ''));
  return all.length <= MAX_NAMED ? all : [...all.slice(0, MAX_NAMED), `${all.length - MAX_NAMED} more`];
};

/** Changed files, with an explanation if the content is the same. */
export const changedFiles = (before: readonly FileState[], after: readonly FileState[]): string[] =>
  after.flatMap((now) => {
    const was = before.find(({ path }) => path === now.path);
    if (was !== undefined && canonicalJson(inWords(was)) === canonicalJson(inWords(now))) return [];
    if (now.state === 'missing') return [`${now.path} is gone`];
    const isLocked = now.notExecutable === true && was?.notExecutable !== true && was?.sha256 === now.sha256;
    return [isLocked ? `${now.path} lost its execute permission: chmod +x ${now.path}` : now.path];
  });

/** A relative path leads elsewhere if the agent works in another directory than at the approval. */
export const misplacedScript = (before: readonly FileState[], after: readonly FileState[]): string | undefined => {
  for (const { path, state } of after) {
    const was = before.find((file) => path.endsWith(`/${file.path}`) && file.state === 'covered');
    if (state !== 'missing' || was === undefined) continue;
    const directory = path.slice(0, -was.path.length - 1);
    return `${was.path} is looked for in ${directory}, where the agent works; write "$HOOKWRIGHT_PROJECT_DIR"/${was.path}`;
  }
  return undefined;
};
