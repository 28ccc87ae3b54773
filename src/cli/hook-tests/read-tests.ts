/** Parses a test file, and reports its mistakes with line and column. */
import { findNodeAtLocation, type Node } from 'jsonc-parser';
import type { HookEventName, PayloadOf } from '../../events/index.ts';
import {
  createLineIndex,
  describeThrown,
  describeValue,
  findNearestName,
  formatPath,
  isRecord,
  type LineAndColumn,
  readAtPath,
} from '../../kit/index.ts';
import { verdicts } from '../../protocol/index.ts';
import { parseJsonc } from '../../settings/index.ts';
import { findMisplacedFields, findMisspelledFields, readPayload } from '../arguments/payload.ts';
import type { CliProblem } from '../command-outcome.ts';
import {
  type Expectation,
  expectationSchema,
  type HookTestCase,
  hookResultWords,
  hookTestCaseSchema,
  singleTestSchema,
  testListSchema,
} from './test-format.ts';

export interface HookTest {
  readonly file: string;
  readonly line: number;
  readonly path: JsonPath;
  readonly name: string | undefined;
  readonly event: HookEventName;
  readonly payload: PayloadOf<HookEventName>;
  readonly only: readonly string[];
  readonly expect: Expectation;
}

export interface TestFile {
  readonly file: string;
  readonly text: string;
  readonly tests: readonly HookTest[];
  readonly problems: readonly CliProblem[];
}

type SharedFields = Pick<HookTestCase, 'event' | 'payload' | 'only'>;

const listKnownKeys = (path: JsonPath, isList: boolean): readonly string[] => {
  if (path.at(-1) === 'expect') return Object.keys(expectationSchema().shape);
  if (path.length > 0) return Object.keys(hookTestCaseSchema().shape);
  return Object.keys(isList ? testListSchema().shape : singleTestSchema().shape);
};

const checkPatterns = (document: TestDocument, expect: Expectation, path: JsonPath): boolean => {
  let areReadable = true;
  for (const key of ['reason', 'context', 'message'] as const) {
    const why = explainInvalidPattern(expect[key] ?? '');
    if (why === undefined) continue;
    document.report([...path, 'expect', key], `${formatPath([...path, 'expect', key])} cannot be read: ${why}`);
    areReadable = false;
  }
  return areReadable;
};

const createTests = (document: TestDocument, shared: SharedFields, path: JsonPath, given: HookTestCase): HookTest[] => {
  const what = path.length === 0 ? 'the test' : formatPath(path);
  const event = given.event ?? shared.event;
  if (event === undefined) {
    document.report(path, `${what} has no event; name it there, or beside "tests" for all of them`);
    return [];
  }
  const fields = { ...shared.payload, ...given.payload };
  const at = given.payload === undefined ? path : [...path, 'payload'];
  const [misspelled] = findMisspelledFields(event, fields);
  if (misspelled !== undefined) {
    document.report(at, `${formatPath(at)} has a field that ${event} does not have: ${misspelled}`);
    return [];
  }
  const misplaced = findMisplacedFields(event, fields);
  if (misplaced.length > 0) {
    const message = `${formatPath(at)} has no tool_input, but ${misplaced.join(', ')}; write {"tool_input": {…}} around it`;
    document.report(at, message);
    return [];
  }
  const read = readPayload(event, fields);
  if (!read.ok) {
    document.report(at, `${formatPath(at)} does not fit ${event}: ${read.message.replaceAll('payload.', '')}`);
    return [];
  }
  const { name, only = shared.only ?? [], expect = {} } = given;
  if (!checkPatterns(document, expect, path)) return [];
  const { line } = document.positionOf(path);
  return [{ file: document.file, line, path, name, event, payload: read.payload, only, expect }];
};

const readList = (document: TestDocument): HookTest[] => {
  const read = testListSchema().safeParse(document.value);
  if (read.success)
    return read.data.tests.flatMap((test, index) => createTests(document, read.data, ['tests', index], test));
  const { issues } = read.error;
  reportIssues(document, issues, true);
  if (issues.some(({ path: [first, index] }) => first !== 'tests' || typeof index !== 'number')) return [];
  const { event, payload, only, tests } = isRecord(document.value) ? document.value : {};
  const shared = testListSchema().safeParse({ event, payload, only, tests: [] });
  return (Array.isArray(tests) ? tests : []).flatMap((test: unknown, index) => {
    const one = hookTestCaseSchema().safeParse(test);
    return one.success && shared.success ? createTests(document, shared.data, ['tests', index], one.data) : [];
  });
};

const readSingle = (document: TestDocument): HookTest[] => {
  const read = singleTestSchema().safeParse(document.value);
  if (read.success) return createTests(document, {}, [], read.data);
  reportIssues(document, read.error.issues, false);
  return [];
};

export const readTests = (file: string, text: string, momentOf?: EventNameMapper): TestFile => {
  const document = new TestDocument(file, text, momentOf);
  const { problems, value } = document;
  if (problems.length > 0) return { file, text, tests: [], problems };
  const isList = isRecord(value) && Object.hasOwn(value, 'tests');
  const tests = isList ? readList(document) : readSingle(document);
  const inOrder = [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  return { file, text, tests, problems: inOrder };
};

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
}

const EXPECTED_TEXT = 'a text that is not empty';
const EXPECTED_PATTERN = 'a text, or a regular expression between slashes';

const expectedTexts: Readonly<Record<string, string>> = {
  $schema: 'the address of a schema',
  tests: 'a list of tests',
  name: EXPECTED_TEXT,
  event: 'the name of an event, e.g. "BeforeTool"',
  payload: 'an object with the fields of the event',
  only: 'a list of names of hooks',
  expect: 'an object, e.g. {"verdict": "deny"}',
  verdict: `one of ${verdicts.join(', ')}`,
  reason: EXPECTED_PATTERN,
  context: EXPECTED_PATTERN,
  message: EXPECTED_PATTERN,
  input: 'an object with members of the tool input',
  output: 'an object with members of the merged answer',
  hooks: 'an object of names and words, e.g. {"no-rm": "deny"}',
};

const expectedMemberTexts: Readonly<Record<string, string>> = {
  tests: 'a test, e.g. {"payload": {…}, "expect": {…}}',
  only: 'the name of a hook',
  hooks: 'the result of a hook, e.g. "answered", "deny", "timeout" or "untrusted"',
};

const describeExpected = (path: JsonPath): string => {
  const last = path.at(-1);
  const before = path.at(-2);
  const member = typeof before === 'string' ? expectedMemberTexts[before] : undefined;
  if (member !== undefined) return member;
  return (typeof last === 'string' ? expectedTexts[last] : undefined) ?? 'an object with tests';
};

const reportIssues = (document: TestDocument, issues: readonly Issue[], isList: boolean): void => {
  for (const { code, path: parts, keys = [], values } of issues) {
    const path = parts.flatMap((part) => (typeof part === 'symbol' ? [] : [part]));
    if (code === 'unrecognized_keys') {
      for (const key of keys) {
        const known = listKnownKeys(path, isList);
        const near = findNearestName(key, known);
        const hint = near === undefined ? `known keys: ${known.join(', ')}` : `did you mean "${near}"?`;
        const where = path.length === 0 ? 'the file' : formatPath(path);
        document.report([...path, key], `${where} has the unknown key "${key}"; ${hint}`, 'key');
      }
      continue;
    }
    const found = readAtPath(document.value, path);
    const choices = values === undefined ? [] : path.at(-2) === 'hooks' ? hookResultWords : values.map(String);
    const near = typeof found === 'string' ? findNearestName(found, choices) : undefined;
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    const what = path.length === 0 ? 'the file' : formatPath(path);
    document.report(path, `${what} must be ${describeExpected(path)}, found ${describeValue(found)}${hint}`);
  }
};

export type JsonPath = readonly (string | number)[];

export type EventNameMapper = (event: string) => string | undefined;

const renameEvents = (value: unknown, momentOf: EventNameMapper): unknown => {
  if (!isRecord(value)) return value;
  const { event, tests } = value;
  return {
    ...value,
    ...(typeof event === 'string' ? { event: momentOf(event) ?? event } : {}),
    ...(Array.isArray(tests) ? { tests: tests.map((test) => renameEvents(test, momentOf)) } : {}),
  };
};

class TestDocument {
  readonly file: string;
  readonly problems: CliProblem[] = [];
  readonly value: unknown;
  readonly #root: Node | undefined;
  readonly #lineAt: (offset: number) => LineAndColumn;

  constructor(file: string, text: string, momentOf?: EventNameMapper) {
    const { root, problems } = parseJsonc(text);
    this.file = file;
    this.#lineAt = createLineIndex(text);
    this.#root = root;
    for (const { offset, message } of problems) this.#add(message, this.#lineAt(offset));
    const value = root === undefined ? undefined : this.#build(root, []);
    this.value = momentOf === undefined ? value : renameEvents(value, momentOf);
  }

  positionOf(path: JsonPath): LineAndColumn {
    const node = this.#root === undefined ? undefined : findNodeAtLocation(this.#root, [...path]);
    if (node !== undefined) return this.#lineAt(node.offset);
    return path.length === 0 ? { line: 1, column: 1 } : this.positionOf(path.slice(0, -1));
  }

  #keyPosition(path: JsonPath): LineAndColumn {
    const node = this.#root === undefined ? undefined : findNodeAtLocation(this.#root, [...path]);
    const key = node?.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
    return key === undefined ? this.positionOf(path) : this.#lineAt(key.offset);
  }

  report(path: JsonPath, message: string, at: 'value' | 'key' = 'value'): void {
    this.#add(message, at === 'key' ? this.#keyPosition(path) : this.positionOf(path));
  }

  #add(message: string, position: LineAndColumn): void {
    this.problems.push({ severity: 'error', message, file: this.file, ...position });
  }

  #build(node: Node, path: JsonPath): unknown {
    if (node.type === 'array') return (node.children ?? []).map((item, index) => this.#build(item, [...path, index]));
    if (node.type !== 'object') return node.value;
    const members = (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key === undefined || value === undefined ? [] : [{ key: String(key.value), at: key.offset, value }],
    );
    const seen = new Set<string>();
    for (const { key, at } of members) {
      if (seen.has(key))
        this.#add(`${formatPath([...path, key])} is there twice; keep one of the two`, this.#lineAt(at));
      seen.add(key);
    }
    // Unlike assignment, `fromEntries` makes an own property even of `__proto__`.
    return Object.fromEntries(members.map(({ key, value }) => [key, this.#build(value, [...path, key])]));
  }
}

const REGEX_PATTERN = /^\/(.+)\/([a-z]*)$/s;

/** `written` is a part of a text, or a `/regular expression/`. Throws if the expression is invalid. */
export const createTextPattern = (written: string): { matches(text: string): boolean } => {
  const [, source, flags] = REGEX_PATTERN.exec(written) ?? [];
  if (source === undefined) return { matches: (text) => text.includes(written) };
  const pattern = new RegExp(source, flags);
  return {
    matches: (text) => {
      // With the flags g and y, a pattern continues after its last match.
      pattern.lastIndex = 0;
      return pattern.test(text);
    },
  };
};

export const explainInvalidPattern = (written: string): string | undefined => {
  try {
    createTextPattern(written);
    return undefined;
  } catch (error) {
    return describeThrown(error);
  }
};
