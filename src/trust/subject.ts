// A subject of approvals (a hook or an ability), its files, and the hash of an approved version.
import { sha256 } from '../kit/node.ts';
import type { FilePosition } from '../protocol/index.ts';
import { type JsonValue, toCanonicalJson } from './canonical.ts';

export interface SubjectRoot {
  /** The prefix of paths in `directory`: empty for the project, `extension:NAME` for an extension. */
  readonly label: string;
  readonly directory: string;
}

export interface SubjectFile {
  /** The word of the command line that names the file. */
  readonly named: string;
  /** The path as the kernel gets it; it may contain `..`. */
  readonly path: string;
  /** Set if the command line certainly starts the file. */
  readonly runs?: true;
  /** Set for an argument of the command, which may create the file itself. */
  readonly isArgument?: true;
  /** Set if the file is started without an interpreter, so it must be executable. */
  readonly isProgram?: true;
}

export interface TrustSubject {
  readonly hookId: string;
  readonly name: string;
  readonly content: { readonly [key: string]: JsonValue };
  readonly files: readonly SubjectFile[];
  readonly roots: readonly SubjectRoot[];
  readonly start?: { readonly directory: string; readonly interpreter?: string | undefined } | undefined;
  readonly notCovered: readonly string[];
  /** Signs that identify the subject after a change, the surest first. */
  readonly kin: readonly string[];
  readonly position?: FilePosition | undefined;
}

/** A file that a subject names, as found on the machine. */
export interface FileState {
  /** Relative to the project or extension, with forward slashes. */
  readonly path: string;
  readonly state: 'covered' | 'missing' | 'outside' | 'not-a-file' | 'too-large' | 'unreadable';
  readonly sha256?: string | undefined;
  /** Set if the command starts the file directly but it is not executable. */
  readonly notExecutable?: true | undefined;
  /** The target of a link that leaves the roots. */
  readonly leadsTo?: string | undefined;
}

const HASH_VERSION = 1;

export const hashApprovedVersion = (content: JsonValue, files: readonly FileState[]): string => {
  const listed = files.map(
    ({ path, state, sha256: hash, leadsTo, notExecutable }): JsonValue => [
      path,
      state,
      hash ?? '',
      leadsTo ?? (notExecutable === true ? 'not executable' : ''),
    ],
  );
  return sha256(toCanonicalJson({ version: HASH_VERSION, content, files: listed }));
};
