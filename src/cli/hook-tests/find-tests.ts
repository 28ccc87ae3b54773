/** Finds and reads test files. */
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { attempt } from '../../kit/index.ts';
import { isFile, listNames } from '../../kit/node.ts';
import { readFileSafely } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { findTargetOutside } from '../sources/sessions.ts';
import { UsageError } from '../usage-error.ts';
import { type EventNameMapper, readTests, type TestFile } from './read-tests.ts';
import { TEST_FILE_PATTERN } from './test-format.ts';

const skippedFolders: ReadonlySet<string> = new Set(['sessions', 'node_modules']);
/** The search needs a limit, because links may form a loop. */
const MAX_SEARCH_DEPTH = 8;

const listFilesBelow = async (directory: string, depth = 0): Promise<string[]> => {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        return depth < MAX_SEARCH_DEPTH && !skippedFolders.has(entry.name) ? listFilesBelow(path, depth + 1) : [];
      }
      return TEST_FILE_PATTERN.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat();
};

export const findTestFiles = async (projectDir: string, scripts: readonly string[]): Promise<string[]> => {
  const beside = scripts.flatMap((script) => [`${script}.test.json`, `${script}.test.jsonc`]);
  const found = await listFilesBelow(join(projectDir, '.hookwright'));
  return [...new Set([...found, ...beside.filter(isFile)])].sort();
};

export const findNamedTestFiles = async (cwd: string, names: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(
    names.map(async (name) => {
      const path = resolve(cwd, name);
      const stats = await stat(path).catch(() => undefined);
      if (stats === undefined) throw new UsageError(`there is no file ${name}`, 'without files, all tests run');
      return stats.isDirectory() ? listFilesBelow(path) : [path];
    }),
  );
  return [...new Set(found.flat())].sort();
};

/** Tests in the folder of tests whose names no search finds. */
export const findMisnamedTests = (projectDir: string): readonly CliProblem[] => {
  const directory = join(projectDir, '.hookwright', 'tests');
  return listNames(directory).flatMap((name): CliProblem[] => {
    const file = join(directory, name);
    if (!/\.jsonc?$/.test(name) || TEST_FILE_PATTERN.test(name)) return [];
    const content = readFileSafely(file);
    if (content.kind !== 'text' || !/"(?:event|tests)"\s*:/.test(content.text)) return [];
    const message = `${file} is not read: name it ${name.replace(/\.json/, '.test.json')}`;
    return [{ severity: 'warning', message, file }];
  });
};

const createLinkProblem = (target: string) => ({
  kind: 'unusable' as const,
  message: `leads out of the project, to ${target}; put the file itself there, not a link`,
});

/** A link that leads out of the project is refused, because another author may have made it. */
export const readTestFile = async (file: string, projectDir: string, momentOf?: EventNameMapper): Promise<TestFile> => {
  const target = attempt(() => findTargetOutside(projectDir, file));
  const content = target === undefined ? readFileSafely(file) : createLinkProblem(target);
  if (content.kind === 'text') return readTests(file, content.text, momentOf);
  const message = content.kind === 'missing' ? 'no longer exists' : content.message;
  return { file, text: '', tests: [], problems: [{ severity: 'error', message: `the file ${message}`, file }] };
};
