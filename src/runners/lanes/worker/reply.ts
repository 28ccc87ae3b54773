import { shorten } from '../../../kit/index.ts';
import type { FaultCode, Notice } from '../../../protocol/index.ts';
import { findDocument } from '../../answer/find-document.ts';

/** What became of one request to a worker. */
export type Reply =
  | { readonly output: unknown; readonly warnings: readonly Notice[] }
  | { readonly fault: WorkerFault };

export interface WorkerFault {
  readonly code: FaultCode;
  readonly message: string;
  readonly cause?: unknown;
}

/** A line that a worker wrote. */
export type ReadLine =
  | { readonly kind: 'answer'; readonly id: string; readonly output: unknown; readonly error?: string }
  | { readonly kind: 'noise'; readonly text: string };

const errorText = (error: unknown): string => (typeof error === 'string' ? error : JSON.stringify(error));

/** Reads a line: an answer with the id of its request, or something that a worker should have written elsewhere. */
export const readLine = (line: string): ReadLine => {
  const found = findDocument(line);
  const noise: ReadLine = { kind: 'noise', text: shorten(line.trim(), 200) };
  if (found.kind !== 'answer') return noise;
  const { id, output, error } = found.value;
  if (typeof id !== 'number' && typeof id !== 'string') return noise;
  const answer = { kind: 'answer', id: String(id), output } as const;
  return error === undefined || error === null ? answer : { ...answer, error: shorten(errorText(error)) };
};
