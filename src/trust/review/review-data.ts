// Converts judgements to the public data of a review: hooks, covered files, requested secrets.
import type { RowSource } from '../../protocol/index.ts';
import { type Approval, readHookEntry } from '../approval.ts';
import type { JsonValue } from '../canonical.ts';
import { findDifferences, type TrustDifference } from '../differences.ts';
import type { SubjectStatus, TrustStatus } from '../judge-subjects.ts';
import type { FileState } from '../subject.ts';

export interface ScriptCoverage {
  /** Whether the command line starts one script of the project and nothing else that may change. */
  readonly covered: boolean;
  readonly files: readonly FileState[];
  readonly notes: readonly string[];
}

export interface RequestedSecret {
  readonly name: string;
  readonly isAllowed: boolean;
}

/** A hook in a file of the project or of an extension, as it would be approved. */
export interface ReviewedHook {
  /** Identifies exactly this version, for `approve`. */
  readonly id: string;
  readonly hookId: string;
  readonly name: string;
  readonly eventName?: string | undefined;
  readonly source?: RowSource | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly status: TrustStatus;
  readonly switchedOff?: boolean | undefined;
  readonly entry: { readonly [key: string]: JsonValue };
  readonly script: ScriptCoverage;
  readonly secrets?: readonly RequestedSecret[] | undefined;
  readonly previous?:
    | { readonly entry: { readonly [key: string]: JsonValue }; readonly approvedAt: string }
    | undefined;
  readonly differences?: readonly TrustDifference[] | undefined;
}

const fileStateNotes: Readonly<Record<FileState['state'], (file: FileState) => string | undefined>> = {
  covered: () => undefined,
  missing: ({ path }) => `${path} does not exist; if it appears, the hook counts as changed`,
  outside: ({ path, leadsTo }) => `${path} leads out of the project to ${leadsTo ?? 'somewhere'}, which is not covered`,
  'not-a-file': ({ path }) => `${path} is not a regular file and is not covered`,
  'too-large': ({ path }) => `${path} is too large to be read and is not covered`,
  unreadable: ({ path }) => `${path} cannot be read and is not covered`,
};

const toScriptCoverage = ({ subject, files, notCovered = [] }: SubjectStatus): ScriptCoverage => {
  const covered = files.filter(({ state }) => state === 'covered');
  const { interpreter } = subject.start ?? {};
  const notes = [
    ...files.flatMap((file) => fileStateNotes[file.state](file) ?? []),
    ...(interpreter === undefined ? [] : [`${interpreter} reads it`]),
    ...notCovered.map((what) => `not covered: ${what}`),
    ...(notCovered.length === 0 ? ['not covered: files that these scripts read or start'] : []),
    ...(covered.length === 0 ? ['no script of the project is named, so no content is covered'] : []),
  ];
  return { covered: notCovered.length === 0, files, notes };
};

export const readRequestedSecrets = (content: Approval['content']): readonly string[] => {
  const { secrets: asked } = readHookEntry(content);
  return Array.isArray(asked) ? asked.filter((name) => typeof name === 'string') : [];
};

const toRequestedSecrets = ({ subject, secrets = [] }: SubjectStatus): Pick<ReviewedHook, 'secrets'> => {
  const asked = readRequestedSecrets(subject.content);
  return asked.length === 0 ? {} : { secrets: asked.map((name) => ({ name, isAllowed: secrets.includes(name) })) };
};

export const toReviewedHook = (
  judgement: SubjectStatus,
  id: string,
  of: Pick<ReviewedHook, 'eventName' | 'source' | 'switchedOff'>,
): ReviewedHook => {
  const { subject, status, previous, files } = judgement;
  const { file, line } = subject.position ?? {};
  const changes = previous && {
    previous: { entry: previous.content, approvedAt: previous.approvedAt },
    differences: findDifferences(previous, subject, files),
  };
  return {
    id,
    hookId: subject.hookId,
    name: subject.name,
    file,
    line,
    status,
    entry: subject.content,
    script: toScriptCoverage(judgement),
    ...toRequestedSecrets(judgement),
    ...changes,
    ...of,
  };
};

/** An approval of a hook that no longer exists. */
export interface GoneHook {
  readonly id: string;
  readonly hookId: string;
  readonly name: string;
  readonly entry: { readonly [key: string]: JsonValue };
  readonly approvedAt: string;
}

export const toGoneHook = ({ hash, hookId, name, content, approvedAt }: Approval): GoneHook => ({
  id: hash,
  hookId,
  name,
  entry: content,
  approvedAt,
});
