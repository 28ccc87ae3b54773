import { HookwrightError } from '../../errors.ts';
import type { CliProblem } from '../outcome.ts';
import { replaceFile } from '../settings-edit/replace-file.ts';
import { readSettingsText } from '../settings-edit/settings-text.ts';
import type { TestResult, TestRun } from './run-tests.ts';
import { setValues, type Wanted } from './set-values.ts';

/** What was found, for the places of a test that say something else; nothing where it must not become the rule. */
const wantedFor = ({ test, mismatches }: TestResult): readonly Wanted[] | undefined => {
  const wanted = mismatches.flatMap(({ path, becomes }): Wanted[] =>
    becomes === undefined ? [] : [{ path: [...test.path, 'expect', ...path], value: becomes.value }],
  );
  return wanted.length === mismatches.length && wanted.length > 0 ? wanted : undefined;
};

export interface Updated {
  readonly results: readonly TestResult[];
  readonly problems: readonly CliProblem[];
}

const rewrite = async (file: string, text: string, results: readonly TestResult[]): Promise<CliProblem | undefined> => {
  const failed = (message: string): CliProblem => ({ severity: 'error', message, file });
  const found = await readSettingsText(file);
  if (!found.ok) return failed(`the file ${found.message}`);
  // The text of the tests was read without a byte order mark.
  const [mark = ''] = /^\ufeff?/.exec(found.read.text ?? '') ?? [];
  if (found.read.text !== mark + text)
    return failed('changed while its tests ran; nothing was written, run them again');
  const changed = setValues(
    text,
    results.flatMap((result) => wantedFor(result) ?? []),
  );
  try {
    await replaceFile(found.read, mark + changed);
    return undefined;
  } catch (error) {
    if (HookwrightError.is(error) && error.code === 'invalid_config') return failed(error.message);
    throw error;
  }
};

/**
 * Writes what was found into the files of failed tests, comments and all else left as they are. Of a test in which a hook
 * broke or was kept from running nothing is written: that is not what anybody wants from then on.
 */
export const updateTests = async ({ files, results }: TestRun): Promise<Updated> => {
  const updatable = results.filter((result) => wantedFor(result) !== undefined);
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
