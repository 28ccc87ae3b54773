// Compares an approval with the current version of its hook.
import { omitUndefined } from '../kit/index.ts';
import type { Approval } from './approval.ts';
import { type JsonValue, toCanonicalJson } from './canonical.ts';
import type { FileState, TrustSubject } from './subject.ts';

/** A difference between the approved and the current version; a version without the value has no member here. */
export interface TrustDifference {
  /** Such as `matcher`, `hook.command`, or the path of a script. */
  readonly what: string;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

const isJsonObject = (value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const compareJson = (what: string, before: JsonValue | undefined, after: JsonValue | undefined): TrustDifference[] => {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) =>
      compareJson(what === '' ? key : `${what}.${key}`, getOwnMember(before, key), getOwnMember(after, key)),
    );
  }
  if (before !== undefined && after !== undefined && toCanonicalJson(before) === toCanonicalJson(after)) return [];
  return [omitUndefined({ what, before, after })];
};

const getOwnMember = (value: { readonly [key: string]: JsonValue }, key: string): JsonValue | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const describeFileState = ({ state, sha256, leadsTo, notExecutable }: FileState): string =>
  state === 'covered'
    ? `sha256 ${sha256 ?? ''}${notExecutable === true ? ', not executable' : ''}`
    : leadsTo === undefined
      ? state
      : `${state}: ${leadsTo}`;

const indexByPath = (files: readonly FileState[]): { readonly [key: string]: JsonValue } =>
  Object.fromEntries(files.map((file) => [file.path, describeFileState(file)]));

export const findDifferences = (
  previous: Approval,
  { content }: TrustSubject,
  files: readonly FileState[],
): TrustDifference[] => [
  ...compareJson('', previous.content, content),
  ...compareJson('', indexByPath(previous.files), indexByPath(files)),
];

const MAX_LISTED_CHANGES = 3;

export const summarizeChanges = (previous: Approval, subject: TrustSubject, files: readonly FileState[]): string[] => {
  const ofEntry = compareJson('', previous.content, subject.content).map(({ what }) => what.replace(/^hook\./, ''));
  const all = ofEntry.length === 0 ? listChangedFiles(previous.files, files) : ofEntry;
  return all.length <= MAX_LISTED_CHANGES
    ? all
    : [...all.slice(0, MAX_LISTED_CHANGES), `${all.length - MAX_LISTED_CHANGES} more`];
};

export const listChangedFiles = (before: readonly FileState[], after: readonly FileState[]): string[] =>
  after.flatMap((now) => {
    const was = before.find(({ path }) => path === now.path);
    if (was !== undefined && describeFileState(was) === describeFileState(now)) return [];
    if (now.state === 'missing') return [`${now.path} is gone`];
    const isLocked = now.notExecutable === true && was?.notExecutable !== true && was?.sha256 === now.sha256;
    return [isLocked ? `${now.path} lost its execute permission: chmod +x ${now.path}` : now.path];
  });

/** Finds an approved script whose relative path leads elsewhere because the agent works in another directory. */
export const findMisplacedScript = (before: readonly FileState[], after: readonly FileState[]): string | undefined => {
  for (const { path, state } of after) {
    const was = before.find((file) => path.endsWith(`/${file.path}`) && file.state === 'covered');
    if (state !== 'missing' || was === undefined) continue;
    const directory = path.slice(0, -was.path.length - 1);
    return `${was.path} is looked for in ${directory}, where the agent works; write "$HOOKWRIGHT_PROJECT_DIR"/${was.path}`;
  }
  return undefined;
};
