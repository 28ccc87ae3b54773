import { describeValue, isRecord, nearest, pathText } from '../../kit/index.ts';
import { verdicts } from '../../protocol/index.ts';
import { hookWords } from './format.ts';
import type { JsonPath, TestDocument } from './test-document.ts';

/** What a schema has to say, as far as it is needed here. */
interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
}

const TEXT = 'a text that is not empty';
const PATTERN = 'a text, or a regular expression between slashes';

const expectations: Readonly<Record<string, string>> = {
  $schema: 'the address of a schema',
  tests: 'a list of tests',
  name: TEXT,
  event: 'the name of an event, e.g. "BeforeTool"',
  payload: 'an object with the fields of the event',
  only: 'a list of names of hooks',
  expect: 'an object, e.g. {"verdict": "deny"}',
  verdict: `one of ${verdicts.join(', ')}`,
  reason: PATTERN,
  context: PATTERN,
  message: PATTERN,
  input: 'an object with members of the tool input',
  output: 'an object with members of the merged answer',
  hooks: 'an object of names and words, e.g. {"no-rm": "deny"}',
};

/** What a member of a list, or of `hooks`, has to be. */
const memberExpectations: Readonly<Record<string, string>> = {
  tests: 'a test, e.g. {"payload": {…}, "expect": {…}}',
  only: 'the name of a hook',
  hooks: 'the result of a hook, e.g. "answered", "deny", "timeout" or "untrusted"',
};

const expectedAt = (path: JsonPath): string => {
  const last = path.at(-1);
  const before = path.at(-2);
  const member = typeof before === 'string' ? memberExpectations[before] : undefined;
  if (member !== undefined) return member;
  return (typeof last === 'string' ? expectations[last] : undefined) ?? 'an object with tests';
};

const valueAt = (value: unknown, path: JsonPath): unknown => {
  let found = value;
  for (const part of path) {
    if (isRecord(found)) found = Object.hasOwn(found, part) ? found[part] : undefined;
    else found = Array.isArray(found) && typeof part === 'number' ? found[part] : undefined;
  }
  return found;
};

const toJsonPath = (path: readonly PropertyKey[]): JsonPath =>
  path.flatMap((part) => (typeof part === 'symbol' ? [] : [part]));

/** Says in plain words, and where, what does not fit a schema. `knownKeys` are those of an object at a path. */
export const reportIssues = (
  document: TestDocument,
  issues: readonly Issue[],
  knownKeys: (path: JsonPath) => readonly string[],
): void => {
  for (const { code, path: parts, keys = [], values } of issues) {
    const path = toJsonPath(parts);
    if (code === 'unrecognized_keys') {
      for (const key of keys) {
        const known = knownKeys(path);
        const near = nearest(key, known);
        const hint = near === undefined ? `known keys: ${known.join(', ')}` : `did you mean "${near}"?`;
        const where = path.length === 0 ? 'the file' : pathText(path);
        document.report([...path, key], `${where} has the unknown key "${key}"; ${hint}`, 'key');
      }
      continue;
    }
    const found = valueAt(document.value, path);
    const choices = values === undefined ? [] : path.at(-2) === 'hooks' ? hookWords : values.map(String);
    const near = typeof found === 'string' ? nearest(found, choices) : undefined;
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    const what = path.length === 0 ? 'the file' : pathText(path);
    document.report(path, `${what} must be ${expectedAt(path)}, found ${describeValue(found)}${hint}`);
  }
};
