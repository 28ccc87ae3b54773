import type { Approval } from './approval.ts';
import { canonicalJson, type JsonValue } from './canonical.ts';
import type { FileState, TrustSubject } from './subject.ts';

/** One thing that is not as it was approved. What is missing on one side is absent there. */
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

/** What changed since an approval, in the entry and in the scripts it names. */
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
