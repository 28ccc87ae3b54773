// Decides whether an approval covers everything that a command line starts.
import { differsByProcess, readBeginning } from '../../kit/node.ts';
import { removeProjectFromPath } from '../../runners/process-api.ts';
import type { SubjectFile, TrustSubject } from '../subject.ts';
import type { FileStateReader } from './file-state-reader.ts';
import { formatNotCovered, isPlainInterpreter } from './plain-start.ts';
import { findProgram, isProgramInside } from './programs.ts';

const MAX_SHEBANG_BYTES = 256;

const readFirstBytes = (path: string): string | undefined => readBeginning(path, MAX_SHEBANG_BYTES)?.toString('latin1');

const shebangPattern = /^#![ \t]*(\/[^\s]+)(?:[ \t]+([\w.]+))?[ \t]*\n/;

const parsePlainShebang = (head: string): string | undefined => {
  const [, path, name] = shebangPattern.exec(head) ?? [];
  if (path === undefined) return undefined;
  if (path === '/usr/bin/env' || path === '/bin/env') return name;
  return name === undefined ? path : undefined;
};

/** Returns PATH without the project's directories, which could contain another interpreter. */
const getSearchPathOutside = (roots: TrustSubject['roots']): string =>
  removeProjectFromPath(process.env.PATH ?? '', roots.find(({ label }) => label === '')?.directory ?? '');

const whyProgramNotCovered = (program: string, directory: string, roots: TrustSubject['roots']): string | undefined => {
  const found = findProgram(program, directory, getSearchPathOutside(roots));
  if (found === undefined) return `${program} is not there`;
  if (differsByProcess(found.path, found.realPath)) return `${program} leads each process elsewhere`;
  if (roots.some((root) => isProgramInside(root.directory, found))) return `${program} is a program of the project`;
  const head = readFirstBytes(found.realPath);
  return head === undefined || head.startsWith('#!')
    ? `${found.path} is a wrapper, which decides at each start what it starts`
    : undefined;
};

const whyScriptNotCovered = (
  { named, path }: SubjectFile,
  { directory, interpreter }: NonNullable<TrustSubject['start']>,
  roots: TrustSubject['roots'],
): string | undefined => {
  const head = readFirstBytes(path);
  if (head === undefined) return `${named} cannot be read`;
  if (head.includes('\0')) return `${named} is no text`;
  if (!head.startsWith('#!')) {
    return interpreter === undefined ? `the first line of ${named} names no interpreter` : undefined;
  }
  const program = parsePlainShebang(head);
  if (program === undefined || !isPlainInterpreter(program)) {
    return `the first line of ${named} is more than a #! and an interpreter`;
  }
  return whyProgramNotCovered(program, directory, roots);
};

/**
 * Returns reasons; none if the line follows the grammar of `parsePlainStart`, the script is in the project, and the
 * interpreter is outside of the project.
 */
export const whyNotCovered = async (subject: TrustSubject, look: FileStateReader): Promise<readonly string[]> => {
  if (subject.notCovered.length > 0) return subject.notCovered;
  const { files, roots, start } = subject;
  const script = files.find(({ runs }) => runs);
  if (script === undefined || start === undefined) return [formatNotCovered({ why: 'it names no script' })];
  const state = await look.stateOf(script, roots);
  if (state === undefined) return [formatNotCovered({ why: `${script.named} is outside the project` })];
  if (state.state !== 'covered') return [formatNotCovered({ why: `the content of ${script.named} is not known` })];
  const troubles = [
    start.interpreter === undefined ? undefined : whyProgramNotCovered(start.interpreter, start.directory, roots),
    whyScriptNotCovered(script, start, roots),
  ];
  return troubles.flatMap((why) => (why === undefined ? [] : [formatNotCovered({ why })]));
};
