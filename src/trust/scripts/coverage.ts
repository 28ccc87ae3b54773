// Decides whether an approval covers everything that a command line starts.
import { differsByProcess, readBeginning } from '../../kit/node.ts';
import { pathOutside } from '../../runners/process-api.ts';
import type { SubjectFile, TrustSubject } from '../subject.ts';
import type { FileStateReader } from './look-at-files.ts';
import { isPlainInterpreter } from './plain-start.ts';
import { findProgram, leadsInto } from './programs.ts';

/** The system reads this much of a script to find its interpreter. */
const HEAD_BYTES = 256;

const headOf = (path: string): string | undefined => readBeginning(path, HEAD_BYTES)?.toString('latin1');

/** `#!/bin/sh`, `#!/usr/bin/env node`: only a path, or a name for `env`. */
const firstLine = /^#![ \t]*(\/[^\s]+)(?:[ \t]+([\w.]+))?[ \t]*\n/;

/** The interpreter in a first line; `undefined` if the line does more. */
const programIn = (head: string): string | undefined => {
  const [, path, name] = firstLine.exec(head) ?? [];
  if (path === undefined) return undefined;
  if (path === '/usr/bin/env' || path === '/bin/env') return name;
  return name === undefined ? path : undefined;
};

/** PATH without the project, which could contain another interpreter. */
const programPath = (roots: TrustSubject['roots']): string =>
  pathOutside(process.env.PATH ?? '', roots.find(({ label }) => label === '')?.directory ?? '');

const nameOf = (program: string): string => program.slice(program.lastIndexOf('/') + 1);

const troubleWithProgram = async (
  program: string,
  directory: string,
  roots: TrustSubject['roots'],
): Promise<string | undefined> => {
  const found = findProgram(program, directory, programPath(roots));
  if (found === undefined) return `${program} is not there`;
  if (differsByProcess(found.path, found.realPath)) return `${program} leads each process elsewhere`;
  if (roots.some((root) => leadsInto(root.directory, found))) return `${program} is a program of the project`;
  const head = headOf(found.realPath);
  return head === undefined || head.startsWith('#!')
    ? `${found.path} is a wrapper, which decides at each start what it starts`
    : undefined;
};

const troubleWithScript = async (
  { named, path }: SubjectFile,
  directory: string,
  interpreter: string | undefined,
  roots: TrustSubject['roots'],
): Promise<string | undefined> => {
  const head = headOf(path);
  if (head === undefined) return `${named} cannot be read`;
  if (head.includes('\0')) return `${named} is no text`;
  if (!head.startsWith('#!')) {
    return interpreter === undefined ? `the first line of ${named} names no interpreter` : undefined;
  }
  const program = programIn(head);
  if (program === undefined || !isPlainInterpreter(nameOf(program))) {
    return `the first line of ${named} is more than a #! and an interpreter`;
  }
  return troubleWithProgram(program, directory, roots);
};

const trusting = (why: string): string =>
  `approving this line means trusting whatever it starts, now and later: ${why}`;

/**
 * Why an approval does not cover everything that a subject starts; empty if it does. Covered means: the line follows
 * the grammar, its script is in the project, and its interpreter is a program of the machine.
 */
export const whyNotCovered = async (subject: TrustSubject, look: FileStateReader): Promise<readonly string[]> => {
  if (subject.notCovered.length > 0) return subject.notCovered;
  const { files, roots, start } = subject;
  const script = files.find(({ runs }) => runs);
  if (script === undefined || start === undefined) return [trusting('it names no script')];
  const state = await look.stateOf(script, roots);
  if (state === undefined) return [trusting(`${script.named} is outside the project`)];
  if (state.state !== 'covered') return [trusting(`the content of ${script.named} is not known`)];
  const troubles = [
    start.interpreter === undefined ? undefined : await troubleWithProgram(start.interpreter, start.directory, roots),
    await troubleWithScript(script, start.directory, start.interpreter, roots),
  ];
  return troubles.flatMap((trouble) => (trouble === undefined ? [] : [trusting(trouble)]));
};
