// What a user can approve (a subject), the files it covers, and the hash that identifies an approved version.
import { sha256 } from '../kit/node.ts';
import { canonicalJson, type JsonValue } from './canonical.ts';

/** A directory whose files an approval can cover. */
export interface Root {
  /** The prefix of its paths: empty for the project, `extension:NAME` for an extension. */
  readonly label: string;
  readonly directory: string;
}

/** A file that a subject names. */
export interface SubjectFile {
  /** As written in the command line. */
  readonly named: string;
  /** The path that the kernel gets; it may contain `..`. */
  readonly path: string;
  /** The command line starts it; whether other words are started is unknown. */
  readonly runs?: true;
  /** Only an argument: if it did not exist at the approval, the command itself may have created it. */
  readonly isArgument?: true;
  /** Started directly, so it must be executable. */
  readonly isProgram?: true;
}

/** A hook, an ability hook or an ability that a user can approve. */
export interface TrustSubject {
  /** Stays the same as long as the subject does; the `hookId` of a hook. */
  readonly hookId: string;
  readonly name: string;
  /** Everything that the approval covers besides files; a change here is a change of the subject. */
  readonly content: { readonly [key: string]: JsonValue };
  /** The files whose content is covered. */
  readonly files: readonly SubjectFile[];
  readonly roots: readonly Root[];
  /** The directory in which a command starts, and its interpreter if one is named. */
  readonly start?: { readonly directory: string; readonly interpreter?: string | undefined } | undefined;
  /** What an approval does not cover, in words. */
  readonly notCovered: readonly string[];
  /** Signs by which a changed version is recognised, the surest first. */
  readonly kin: readonly string[];
  readonly position?: { readonly file: string; readonly line: number; readonly column: number } | undefined;
}

/** A file that a subject names, as found on the machine. */
export interface FileState {
  /** From its root, with forward slashes: the same on every machine. */
  readonly path: string;
  readonly state: 'covered' | 'missing' | 'outside' | 'not-a-file' | 'too-large' | 'unreadable';
  readonly sha256?: string | undefined;
  /** It is started directly but not executable. */
  readonly notExecutable?: true | undefined;
  /** The target of a link that leaves the roots. */
  readonly leadsTo?: string | undefined;
}

const VERSION = 1;

/** The hash of an approved version: of the subject's content and the bytes of its files. */
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
