import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { describeThrown } from '../../kit/index.ts';
import { readBeginning, shebangOf } from '../../kit/node.ts';

export interface Attempt {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : 'unknown');

/** What is wrong with a working directory, if anything is. The system blames the command for it. */
const troubleWithDirectory = async (cwd: string): Promise<string | undefined> => {
  try {
    const found = await stat(cwd);
    return found.isDirectory() ? undefined : `its working directory ${cwd} is not a directory`;
  } catch (error) {
    return `its working directory ${cwd} cannot be used: ${describeThrown(error)}`;
  }
};

const MAX_SHEBANG = 256;

const firstLineOf = (path: string): string | undefined =>
  readBeginning(path, MAX_SHEBANG)?.toString('latin1').split('\n', 1)[0];

/** A script whose interpreter is missing fails as if the script were. */
const troubleWithInterpreter = async (path: string): Promise<string | undefined> => {
  const line = firstLineOf(path);
  const { program } = shebangOf(line) ?? {};
  if (program === undefined) return undefined;
  return line?.endsWith('\r') === true
    ? `${path} has Windows line endings, so its interpreter would be "${program}\\r"`
    : `the interpreter ${program} that ${path} names does not exist`;
};

const troubleWithFile = async ({ file, cwd }: Attempt, code: string): Promise<string | undefined> => {
  const hasPath = /[\\/]/.test(file);
  const path = isAbsolute(file) ? file : resolve(cwd, file);
  if (code === 'ENOENT' && hasPath) return (await troubleWithInterpreter(path)) ?? `${path} does not exist`;
  if (code === 'ENOENT') return `"${file}" is not on the PATH`;
  if (code !== 'EACCES') return undefined;
  if (!hasPath) return `"${file}" is on the PATH, but may not be executed`;
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isDirectory ? `${path} is a directory` : `${path} is not executable; chmod +x makes it so`;
};

/** File systems can hang, and so can the threads that ask them; an answer without the words is better than none. */
const PATIENCE_MS = 30;

const withPatience = async (trouble: Promise<string | undefined>): Promise<string | undefined> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const impatience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  });
  try {
    return await Promise.race([trouble, impatience]);
  } finally {
    clearTimeout(timer);
  }
};

const troubleWith = async (attempt: Attempt, code: string): Promise<string | undefined> =>
  (await troubleWithDirectory(attempt.cwd)) ?? (await troubleWithFile(attempt, code));

/** Says in words why a process could not be started, with the system's code in front. */
export const describeStart = async (error: Error, attempt: Attempt): Promise<string> => {
  const code = codeOf(error);
  const trouble = await withPatience(troubleWith(attempt, code));
  return `could not be started: ${code}: ${trouble ?? describeThrown(error)}`;
};
