import type { HookEventName, PayloadOf } from '../../events/index.ts';
import { isRecord, pathText } from '../../kit/index.ts';
import { misplacedFields, readPayload } from '../arguments/payload.ts';
import type { CliProblem } from '../outcome.ts';
import {
  type Expectation,
  expectationSchema,
  type HookTestCase,
  hookTestCaseSchema,
  singleTestSchema,
  testListSchema,
} from './format.ts';
import { reportIssues } from './schema-issues.ts';
import { type JsonPath, type MomentOf, TestDocument } from './test-document.ts';
import { whyNoPattern } from './wanted-text.ts';

/** One test, ready to be run. */
export interface HookTest {
  readonly file: string;
  readonly line: number;
  /** Where in the file it stands. */
  readonly path: JsonPath;
  /** As its author calls it, if so. */
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
  /** What is wrong with it; a test that has a problem is not among `tests`. */
  readonly problems: readonly CliProblem[];
}

/** What stands beside a list and holds for all of it. */
type Shared = Pick<HookTestCase, 'event' | 'payload' | 'only'>;

const knownKeys =
  (isList: boolean) =>
  (path: JsonPath): readonly string[] => {
    if (path.at(-1) === 'expect') return Object.keys(expectationSchema().shape);
    if (path.length > 0) return Object.keys(hookTestCaseSchema().shape);
    return Object.keys(isList ? testListSchema().shape : singleTestSchema().shape);
  };

const checkPatterns = (document: TestDocument, expect: Expectation, path: JsonPath): boolean => {
  let areReadable = true;
  for (const key of ['reason', 'context', 'message'] as const) {
    const why = whyNoPattern(expect[key] ?? '');
    if (why === undefined) continue;
    document.report([...path, 'expect', key], `${pathText([...path, 'expect', key])} cannot be read: ${why}`);
    areReadable = false;
  }
  return areReadable;
};

const prepare = (document: TestDocument, shared: Shared, path: JsonPath, given: HookTestCase): HookTest[] => {
  const what = path.length === 0 ? 'the test' : pathText(path);
  const event = given.event ?? shared.event;
  if (event === undefined) {
    document.report(path, `${what} has no event; name it there, or beside "tests" for all of them`);
    return [];
  }
  const fields = { ...shared.payload, ...given.payload };
  const at = given.payload === undefined ? path : [...path, 'payload'];
  const misplaced = misplacedFields(event, fields);
  if (misplaced.length > 0) {
    const message = `${pathText(at)} has no tool_input, but ${misplaced.join(', ')}; write {"tool_input": {…}} around it`;
    document.report(at, message);
    return [];
  }
  const read = readPayload(event, fields);
  if (!read.ok) {
    document.report(at, `${pathText(at)} does not fit ${event}: ${read.message.replaceAll('payload.', '')}`);
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
    return read.data.tests.flatMap((test, index) => prepare(document, read.data, ['tests', index], test));
  const { issues } = read.error;
  reportIssues(document, issues, knownKeys(true));
  if (issues.some(({ path: [first, index] }) => first !== 'tests' || typeof index !== 'number')) return [];
  // What is wrong with one test does not keep the others from running.
  const { event, payload, only, tests } = isRecord(document.value) ? document.value : {};
  const shared = testListSchema().safeParse({ event, payload, only, tests: [] });
  return (Array.isArray(tests) ? tests : []).flatMap((test: unknown, index) => {
    const one = hookTestCaseSchema().safeParse(test);
    return one.success && shared.success ? prepare(document, shared.data, ['tests', index], one.data) : [];
  });
};

const readSingle = (document: TestDocument): HookTest[] => {
  const read = singleTestSchema().safeParse(document.value);
  if (read.success) return prepare(document, {}, [], read.data);
  reportIssues(document, read.error.issues, knownKeys(false));
  return [];
};

/** Reads a file of tests. It never throws: what cannot be used becomes a problem with its place. */
export const readTests = (file: string, text: string, momentOf?: MomentOf): TestFile => {
  const document = new TestDocument(file, text, momentOf);
  const { problems, value } = document;
  if (problems.length > 0) return { file, text, tests: [], problems };
  const isList = isRecord(value) && Object.hasOwn(value, 'tests');
  const tests = isList ? readList(document) : readSingle(document);
  const inOrder = [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  return { file, text, tests, problems: inOrder };
};
