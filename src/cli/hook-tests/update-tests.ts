/** `test --update`: writes actual results into test files. */
import { applyEdits, type Edit, findNodeAtLocation, type Node } from 'jsonc-parser';
import { HookwrightError } from '../../errors.ts';
import { detectTextStyle, formatJson, getIndentAt, insertMember, removeMember, renderValue } from '../../kit/index.ts';
import { parseJsonc } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { readSettingsText, replaceFile } from '../settings-edit/change-file.ts';
import type { JsonPath } from './read-tests.ts';
import type { TestResult, TestRun } from './run-tests.ts';

const findNewValues = ({ test, mismatches }: TestResult): readonly WantedValue[] | undefined => {
  const wanted = mismatches.flatMap(({ path, becomes }): WantedValue[] =>
    becomes === undefined ? [] : [{ path: [...test.path, 'expect', ...path], value: becomes.value }],
  );
  return wanted.length === mismatches.length && wanted.length > 0 ? wanted : undefined;
};

export interface UpdatedTests {
  readonly results: readonly TestResult[];
  readonly problems: readonly CliProblem[];
}

const rewrite = async (file: string, text: string, results: readonly TestResult[]): Promise<CliProblem | undefined> => {
  const failed = (message: string): CliProblem => ({ severity: 'error', message, file });
  const found = await readSettingsText(file);
  if (!found.ok) return failed(`the file ${found.message}`);
  // The byte order mark of the file is not part of `text`.
  const [mark = ''] = /^\ufeff?/.exec(found.read.text ?? '') ?? [];
  if (found.read.text !== mark + text)
    return failed('changed while its tests ran; nothing was written, run them again');
  const changed = setJsonValues(
    text,
    results.flatMap((result) => findNewValues(result) ?? []),
  );
  try {
    await replaceFile(found.read, mark + changed);
    return undefined;
  } catch (error) {
    if (HookwrightError.is(error) && error.code === 'invalid_config') return failed(error.message);
    throw error;
  }
};

export const updateTests = async ({ files, results }: TestRun): Promise<UpdatedTests> => {
  const updatable = results.filter((result) => findNewValues(result) !== undefined);
  const updated: TestResult[] = [];
  const problems: CliProblem[] = [];
  for (const { file, text } of files) {
    const own = updatable.filter(({ test }) => test.file === file);
    if (own.length === 0) continue;
    const problem = await rewrite(file, text, own);
    if (problem === undefined) updated.push(...own);
    else problems.push(problem);
  }
  return { results: updated, problems };
};

interface WantedValue {
  readonly path: JsonPath;
  readonly value: unknown;
}

const findNode = (root: Node, path: JsonPath): Node | undefined => findNodeAtLocation(root, [...path]);

const removeValue = (text: string, root: Node, path: JsonPath): Edit[] => {
  const container = findNode(root, path.slice(0, -1));
  const member = findNode(root, path)?.parent;
  return container === undefined || member === undefined ? [] : removeMember(text, container, member);
};

const insertValue = (text: string, root: Node, path: JsonPath, value: unknown): Edit[] => {
  let depth = path.length - 1;
  while (depth > 0 && findNode(root, path.slice(0, depth)) === undefined) depth -= 1;
  const container = findNode(root, path.slice(0, depth));
  if (container?.type !== 'object') return [];
  const style = detectTextStyle(text, root);
  const whole = path.slice(depth + 1).reduceRight<unknown>((content, part) => ({ [part]: content }), value);
  const key = formatJson(String(path[depth]));
  return insertMember(text, container, (outer) => `${key}: ${renderValue(whole, outer, style)}`, style);
};

const setValue = (text: string, { path, value }: WantedValue): string => {
  const { root } = parseJsonc(text);
  if (root === undefined) return text;
  if (value === undefined) return applyEdits(text, removeValue(text, root, path));
  const node = findNode(root, path);
  if (node === undefined) return applyEdits(text, insertValue(text, root, path, value));
  const content = renderValue(value, getIndentAt(text, node.offset), detectTextStyle(text, root));
  return applyEdits(text, [{ offset: node.offset, length: node.length, content }]);
};

export const setJsonValues = (text: string, wanted: readonly WantedValue[]): string => wanted.reduce(setValue, text);
