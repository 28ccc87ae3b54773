import { sha256 } from '../kit/node.ts';
import { canonicalJson, type JsonValue } from './canonical.ts';

/** A directory whose files belong to what is approved. */
export interface Root {
  /** How paths in it are written down: nothing for the project, `extension:NAME` for an extension. */
  readonly label: string;
  readonly directory: string;
}

/** A file that a subject would run. */
export interface SubjectFile {
  /** As it was named. */
  readonly named: string;
  /** Where that is, as the kernel is given it. */
  readonly path: string;
  /** It is what the line starts; of all other words it is not known what becomes of them. */
  readonly runs?: true;
  /** It is an argument that nothing starts: where it was not there when the line was approved, the line may make it. */
  readonly isArgument?: true;
  /** It is started itself, so that it must be executable. */
  readonly isProgram?: true;
}

/** What can be approved: a hook of a settings file, an ability hook, or anything else that others may have written. */
export interface TrustSubject {
  /** Stays the same while the subject does; of a hook it is the `hookId`. */
  readonly hookId: string;
  readonly name: string;
  /** All that matters of it; a change of anything here is a change of the subject. */
  readonly content: { readonly [key: string]: JsonValue };
  /** The files whose content counts as well. */
  readonly files: readonly SubjectFile[];
  readonly roots: readonly Root[];
  /** Where what it starts is started, and the program that reads it if one is named; of commands. */
  readonly start?: { readonly directory: string; readonly interpreter?: string | undefined } | undefined;
  /** What approving does not cover, in words. */
  readonly notCovered: readonly string[];
  /** By what a changed version is recognised, the surest first. */
  readonly kin: readonly string[];
  readonly position?: { readonly file: string; readonly line: number; readonly column: number } | undefined;
}

/** What was found where a subject names a file. */
export interface FileState {
  /** With forward slashes, from the root: the same on every machine. */
  readonly path: string;
  readonly state: 'covered' | 'missing' | 'outside' | 'not-a-file' | 'too-large' | 'unreadable';
  readonly sha256?: string | undefined;
  /** It is started itself, and its mode does not allow that. */
  readonly notExecutable?: true | undefined;
  /** Where a link leads, when it leads out. */
  readonly leadsTo?: string | undefined;
}

const VERSION = 1;

/** The hash that an approval stands for: over the content of the subject and the bytes of the files it names. */
export const approvalHash = (content: JsonValue, files: readonly FileState[]): string => {
  const listed = files.map(
    ({ path, state, sha256: hash, leadsTo, notExecutable }): JsonValue => [
      path,
      state,
      hash ?? '',
      leadsTo ?? (notExecutable === true ? 'not executable' : ''),
    ],
  );
  return sha256(canonicalJson({ version: VERSION, content, files: listed }));
};
