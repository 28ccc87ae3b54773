// The data of a review: hooks, their coverage by an approval, and their secrets.
import { isRecord } from '../../kit/index.ts';
import type { RowSource } from '../../protocol/index.ts';
import type { Approval } from '../approval.ts';
import type { JsonValue } from '../canonical.ts';
import { differencesFrom, type TrustDifference } from '../differences.ts';
import type { SubjectStatus, TrustStatus } from '../judge-subjects.ts';
import type { FileState } from '../subject.ts';

/** What an approval covers besides the entry. */
export interface ScriptCoverage {
  /** Whether the line starts only one script of the project, whose content is approved with it. */
  readonly covered: boolean;
  readonly files: readonly FileState[];
  /** What is not covered, one sentence each. */
  readonly notes: readonly string[];
}

/** A secret that a hook requests. */
export interface AskedSecret {
  /** The name of the variable. */
  readonly name: string;
  /** Whether the user allowed it. */
  readonly isAllowed: boolean;
}

/** A hook of a project's or extension's file, as it would be approved. */
export interface ReviewedHook {
  /** The id for `approve`: it stands for exactly this version. */
  readonly id: string;
  readonly hookId: string;
  readonly name: string;
  readonly eventName?: string | undefined;
  readonly source?: RowSource | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly status: TrustStatus;
  /** Everything in the entry that an approval covers. */
  readonly entry: { readonly [key: string]: JsonValue };
  readonly script: ScriptCoverage;
  /** The requested secrets; absent if there are none. */
  readonly secrets?: readonly AskedSecret[] | undefined;
  /** The approved version, if the hook changed. */
  readonly previous?:
    | { readonly entry: { readonly [key: string]: JsonValue }; readonly approvedAt: string }
    | undefined;
  readonly differences?: readonly TrustDifference[] | undefined;
}

const sentences: Readonly<Record<FileState['state'], (file: FileState) => string | undefined>> = {
  covered: () => undefined,
  missing: ({ path }) => `${path} does not exist; if it appears, the hook counts as changed`,
  outside: ({ path, leadsTo }) => `${path} leads out of the project to ${leadsTo ?? 'somewhere'}, which is not covered`,
  'not-a-file': ({ path }) => `${path} is not a regular file and is not covered`,
  'too-large': ({ path }) => `${path} is too large to be read and is not covered`,
  unreadable: ({ path }) => `${path} cannot be read and is not covered`,
};

const coverageOf = ({ subject, files, notCovered = [] }: SubjectStatus): ScriptCoverage => {
  const covered = files.filter(({ state }) => state === 'covered');
  const { interpreter } = subject.start ?? {};
  const notes = [
    ...files.flatMap((file) => sentences[file.state](file) ?? []),
    ...(interpreter === undefined ? [] : [`${interpreter} reads it`]),
    ...notCovered.map((what) => `not covered: ${what}`),
    ...(notCovered.length === 0 ? ['not covered: files that these scripts read or start'] : []),
    ...(covered.length === 0 ? ['no script of the project is named, so no content is covered'] : []),
  ];
  return { covered: notCovered.length === 0, files, notes };
};

export const requestedSecrets = ({ hook }: { readonly [key: string]: JsonValue }): readonly string[] => {
  const asked = isRecord(hook) ? hook.secrets : undefined;
  return Array.isArray(asked) ? asked.filter((name) => typeof name === 'string') : [];
};

const secretsOf = ({ subject, secrets = [] }: SubjectStatus): Pick<ReviewedHook, 'secrets'> => {
  const asked = requestedSecrets(subject.content);
  return asked.length === 0 ? {} : { secrets: asked.map((name) => ({ name, isAllowed: secrets.includes(name) })) };
};

export const reviewedHook = (
  judgement: SubjectStatus,
  id: string,
  of: Pick<ReviewedHook, 'eventName' | 'source'>,
): ReviewedHook => {
  const { subject, status, previous, files } = judgement;
  const { file, line } = subject.position ?? {};
  const changes = previous && {
    previous: { entry: previous.content, approvedAt: previous.approvedAt },
    differences: differencesFrom(previous, subject, files),
  };
  return {
    id,
    hookId: subject.hookId,
    name: subject.name,
    file,
    line,
    status,
    entry: subject.content,
    script: coverageOf(judgement),
    ...secretsOf(judgement),
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

export const goneHook = ({ hash, hookId, name, content, approvedAt }: Approval): GoneHook => ({
  id: hash,
  hookId,
  name,
  entry: content,
  approvedAt,
});
