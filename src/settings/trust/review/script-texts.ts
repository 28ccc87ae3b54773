import { join } from 'node:path';
import { readRegular, sha256 } from '../../../kit/node.ts';
import type { SubjectStatus } from '../judge.ts';
import { type ApprovedTexts, MAX_TEXT_BYTES } from '../store/approved-texts.ts';
import type { FileState, Root } from '../subject.ts';

/** A file that an approval covers, as it was reviewed and as it was approved before. */
export interface ScriptText {
  /** As in `script.files`. */
  readonly path: string;
  /** Absent when it is not there, no text, too large to be shown, or another by now than the one that was reviewed. */
  readonly text?: string | undefined;
  /** What was approved; absent when nothing was, or when it was not kept. */
  readonly before?: string | undefined;
}

/** Where the files of a subject that are written down like this may lie. */
const placesOf = (path: string, roots: readonly Root[]): string[] =>
  roots.flatMap(({ label, directory }) => {
    if (label === '') return [join(directory, path)];
    return path.startsWith(`${label}/`) ? [join(directory, path.slice(label.length + 1))] : [];
  });

/** The text with this hash; nothing when there is another one now, or when it is no text. */
const textNow = async ({ path, sha256: hash }: FileState, roots: readonly Root[]): Promise<string | undefined> => {
  for (const place of placesOf(path, roots)) {
    const found = readRegular(place, { maxBytes: MAX_TEXT_BYTES });
    if (!('bytes' in found)) continue;
    const text = found.bytes.toString('utf8');
    // Bytes that are no text have another hash as one.
    if (!text.includes('\0') && sha256(text) === hash) return text;
  }
  return undefined;
};

type Reviewed = Pick<SubjectStatus, 'subject' | 'files' | 'previous'>;

/** The texts of the files that an approval of this would be for. */
export const textsToKeep = async (judgements: readonly Reviewed[]): Promise<string[]> => {
  const texts = await Promise.all(
    judgements.flatMap(({ subject, files }) => files.map((file) => textNow(file, subject.roots))),
  );
  return texts.filter((text) => text !== undefined);
};

export const scriptTexts = async (
  { subject, files, previous }: Reviewed,
  approved: ApprovedTexts,
): Promise<ScriptText[]> => {
  const now = new Map(files.map((file) => [file.path, file]));
  const then = new Map(previous?.files.map((file) => [file.path, file]));
  const paths = [...new Set([...now.keys(), ...then.keys()])].sort();
  return Promise.all(
    paths.map(async (path): Promise<ScriptText> => {
      const [file, hash] = [now.get(path), then.get(path)?.sha256];
      return {
        path,
        text: file === undefined ? undefined : await textNow(file, subject.roots),
        before: hash === undefined ? undefined : await approved.textOf(hash),
      };
    }),
  );
};
