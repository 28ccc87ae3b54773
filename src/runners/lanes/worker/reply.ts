// Parses a line that a worker printed: `{"id", "output"}`, `{"id", "error"}`, or text that is no answer.
import { shorten } from '../../../kit/index.ts';
import { findHiddenVerdict, findVerdictInText, isDenialByName, type Notice } from '../../../protocol/index.ts';
import type { Fault } from '../../answer/faults.ts';
import { findDocument } from '../../answer/find-document.ts';

export interface WorkerReply {
  readonly outputs: readonly unknown[];
  readonly fault?: Fault;
  readonly warnings?: readonly Notice[];
}

export interface LineAnswer {
  readonly id: string;
  readonly outputs: readonly unknown[];
  readonly fault?: Fault;
  readonly unknown: readonly string[];
}

interface WorkerLine {
  readonly answers: readonly LineAnswer[];
  readonly noise?: string;
  readonly stray?: Fault;
}

const replyKeys: readonly string[] = ['id', 'output', 'error'];

const formatError = (error: unknown): string => (typeof error === 'string' ? error : JSON.stringify(error));

const createMalformed = (message: string): Fault => ({ code: 'malformed-output', message });

const findVerdictOutside = (line: Readonly<Record<string, unknown>>): string | undefined =>
  Object.keys(line).find(
    (key) =>
      !replyKeys.includes(key) &&
      (isDenialByName(key, line[key]) || findHiddenVerdict({ [key]: line[key] }, '') !== undefined),
  );

const findFault = (line: Readonly<Record<string, unknown>>, problem: string | undefined): Fault | undefined => {
  const outside = findVerdictOutside(line);
  if (outside !== undefined) return createMalformed(`"${outside}" stands outside "output", where nothing reads it`);
  if (problem !== undefined) return createMalformed(`its line ${problem}`);
  const { error } = line;
  return error === undefined || error === null ? undefined : { code: 'threw', message: shorten(formatError(error)) };
};

/** Joins repeated answers to a request, first answer last, because the last output is used if no output denies. */
export const joinAnswers = (answers: readonly LineAnswer[]): readonly LineAnswer[] => {
  const joined = new Map<string, LineAnswer>();
  for (const answer of answers) {
    const before = joined.get(answer.id);
    joined.set(answer.id, {
      ...answer,
      ...before,
      outputs: [...answer.outputs, ...(before?.outputs ?? [])],
      unknown: answer.unknown,
    });
  }
  return [...joined.values()];
};

export const readWorkerLine = (line: string): WorkerLine => {
  const found = findDocument(line, replyKeys);
  const documents = found.kind === 'answer' ? found.documents : [];
  const problem = found.kind === 'answer' ? found.problem : undefined;
  const answers = documents.flatMap((document): readonly LineAnswer[] => {
    const { id, output, error } = document;
    if (typeof id !== 'number' && typeof id !== 'string') return [];
    const isRequest = 'input' in document && output === undefined && error === undefined;
    if (isRequest) return [];
    const fault = findFault(document, problem);
    const unknown = Object.keys(document).filter((key) => !replyKeys.includes(key));
    const outputs = output === undefined || output === null ? [] : [output];
    return [{ id: String(id), outputs, unknown, ...(fault === undefined ? {} : { fault }) }];
  });
  if (answers.length > 0) return { answers: joinAnswers(answers) };
  const noise = shorten(line.trim(), 200);
  const says = (one: Readonly<Record<string, unknown>>): boolean =>
    findVerdictOutside(one) !== undefined || findHiddenVerdict(one, '') !== undefined;
  const isStray = documents.length === 0 ? findVerdictInText(line) !== undefined : documents.some(says);
  return isStray
    ? { answers: [], stray: createMalformed(`it wrote a verdict without the id of a request: ${noise}`) }
    : { answers: [], noise };
};
