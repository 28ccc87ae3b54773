// Reviews a project's hooks: what is approved, new or changed; approving and revoking.
import { join } from 'node:path';
import { HookwrightError } from '../../errors.ts';
import { formatSuggestion } from '../../kit/index.ts';
import { readRegularFile, sha256 } from '../../kit/node.ts';
import type { Approval } from '../approval.ts';
import type { SubjectStatus } from '../judge-subjects.ts';
import { type ApprovedTexts, MAX_TEXT_BYTES } from '../store/trust-store.ts';
import { approvalHash, type FileState, type Root } from '../subject.ts';
import { type GoneHook, goneHook, type ReviewedHook, requestedSecrets, reviewedHook } from './review-data.ts';
import { type ReviewableConfig, type Survey, surveyHooks, type TrustOptions } from './survey.ts';

/** The hooks of a project and its extensions, compared with the user's approvals. */
export interface TrustReview {
  readonly projectDir: string;
  /** The file with the approvals. */
  readonly file: string;
  readonly hooks: readonly ReviewedHook[];
  /** Approved hooks that no longer exist. */
  readonly gone: readonly GoneHook[];
  /** Why no hook is trusted, if the store cannot be used. */
  readonly problems: readonly string[];
  /** The current and the approved text of a hook's files. */
  scripts(id: string): Promise<readonly ScriptText[]>;
  /**
   * Approves the reviewed version, by `id` or `hookId`: a hook that changed since stays unapproved. Hooks get only the
   * named secrets.
   */
  approve(ids: readonly string[], options?: Allowing): Promise<ReviewedHook[]>;
  /** Revokes approvals, including those of removed hooks. Returns their number. */
  revoke(ids: readonly string[]): Promise<number>;
}

/** Permissions of approved hooks. */
export interface Allowing {
  /** Names of variables; each must be in the `secrets` of a hook. */
  readonly secrets?: readonly string[] | undefined;
}

const hashOf = ({ subject, files, hash }: SubjectStatus): string => hash ?? approvalHash(subject.content, files);

const approvalOf = (judgement: SubjectStatus, approvedAt: string, allowed: readonly string[]): Approval => {
  const { subject, files } = judgement;
  const { hookId, name, content, kin } = subject;
  const secrets = requestedSecrets(content).filter((one) => allowed.includes(one));
  const allowedSecrets = secrets.length === 0 ? {} : { secrets };
  return {
    hookId,
    name,
    hash: hashOf(judgement),
    content,
    files: [...files],
    kin: [...kin],
    ...allowedSecrets,
    approvedAt,
  };
};

/** A name that matches no hook is a mistake. */
const checkSecrets = (judgements: readonly SubjectStatus[], secrets: readonly string[]): void => {
  const asked = judgements.flatMap(({ subject }) => requestedSecrets(subject.content));
  const unasked = secrets.find((name) => !asked.includes(name));
  if (unasked === undefined) return;
  const what = asked.length === 0 ? 'no secret' : asked.join(', ');
  throw new HookwrightError(
    'invalid_argument',
    `"${unasked}" is not a secret that a hook asks for${formatSuggestion(unasked, asked)}; asked for is ${what}`,
    {
      details: { name: unasked },
    },
  );
};

const unknownId = (id: string, known: readonly string[]): HookwrightError =>
  new HookwrightError(
    'invalid_argument',
    `"${id}" is not in the review${formatSuggestion(id, known)}; it may have changed since: review it again`,
    { details: { id } },
  );

const enter = async (
  judgements: readonly SubjectStatus[],
  allowed: readonly string[],
  { store, place }: Survey,
): Promise<void> => {
  const approvedAt = new Date().toISOString();
  const fresh = judgements.map((judgement) => approvalOf(judgement, approvedAt, allowed));
  const replaced = new Set(
    judgements.flatMap((judgement) => [hashOf(judgement), ...(judgement.previous ? [judgement.previous.hash] : [])]),
  );
  const change = (approvals: readonly Approval[]): Approval[] => [
    ...approvals.filter(({ hash }) => !replaced.has(hash)),
    ...new Map(fresh.map((approval) => [approval.hash, approval])).values(),
  ];
  await store.change(place.projectDir, change, await textsToKeep(judgements));
};

/**
 * Returns every hook that files of the project and of extensions contain, compared with the user's approvals. Runs and
 * approves nothing.
 */
export const reviewTrust = async (config: ReviewableConfig, options: TrustOptions = {}): Promise<TrustReview> => {
  const found = await surveyHooks(config, options);
  const { judgements, questions, place } = found;
  const hooks = judgements.map((judgement) => {
    const { eventName, source } = questions.get(judgement.subject) ?? {};
    return reviewedHook(judgement, hashOf(judgement), { eventName, source });
  });
  const indexesOf = (id: string): number[] =>
    hooks.flatMap((hook, index) => (hook.id === id || hook.hookId === id ? [index] : []));
  const hookIds = hooks.map(({ hookId }) => hookId);
  const knownIndexesOf = (id: string): number[] => {
    const indexes = indexesOf(id);
    if (indexes.length === 0) throw unknownId(id, hookIds);
    return indexes;
  };
  return {
    projectDir: place.projectDir,
    file: found.store.file,
    hooks,
    gone: found.gone.map(goneHook),
    problems: found.problems,
    scripts: async (id) => {
      const texts = await Promise.all(
        knownIndexesOf(id)
          .flatMap((index) => judgements[index] ?? [])
          .map((one) => scriptTexts(one, found.store.texts)),
      );
      return texts.flat();
    },
    approve: async (ids, { secrets = [] } = {}) => {
      const indexes = [...new Set(ids.flatMap(knownIndexesOf))];
      const meant = indexes.flatMap((index) => judgements[index] ?? []);
      checkSecrets(meant, secrets);
      const isTold = ({ subject }: SubjectStatus): boolean =>
        requestedSecrets(subject.content).some((name) => secrets.includes(name));
      const chosen = meant.filter((judgement) => judgement.status !== 'approved' || isTold(judgement));
      if (chosen.length > 0) await enter(chosen, secrets, found);
      return indexes.flatMap((index) => hooks[index] ?? []);
    },
    revoke: async (ids) => {
      const meant = new Set([...ids, ...ids.flatMap(indexesOf).flatMap((index) => hooks[index]?.id ?? [])]);
      let revoked = 0;
      await found.store.change(place.projectDir, (approvals) => {
        const kept = approvals.filter(({ hash, hookId }) => !meant.has(hash) && !meant.has(hookId));
        revoked = approvals.length - kept.length;
        return kept;
      });
      return revoked;
    },
  };
};

/**
 * Approves hooks by the `id` of their review. Reads the content again: hooks that changed since the review are refused.
 */
export const approve = async (
  config: ReviewableConfig,
  ids: readonly string[],
  options: TrustOptions & Allowing = {},
): Promise<ReviewedHook[]> => {
  const review = await reviewTrust(config, options);
  const known = review.hooks.map(({ id }) => id);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined) throw unknownId(unknown, known);
  return review.approve(ids, options);
};

/** Revokes approvals by `id` or `hookId`, including those of removed hooks. Returns their number. */
export const revoke = async (
  config: ReviewableConfig,
  ids: readonly string[],
  options: TrustOptions = {},
): Promise<number> => (await reviewTrust(config, options)).revoke(ids);

/** A file that an approval covers: its current and its approved text. */
export interface ScriptText {
  /** As in `script.files`. */
  readonly path: string;
  /** Absent if the file does not exist, is not text, is too large to show, or changed since the review. */
  readonly text?: string | undefined;
  /** The approved text; absent if there is none or it was not kept. */
  readonly before?: string | undefined;
}

/** Possible full paths of a recorded path. */
const placesOf = (path: string, roots: readonly Root[]): string[] =>
  roots.flatMap(({ label, directory }) => {
    if (label === '') return [join(directory, path)];
    return path.startsWith(`${label}/`) ? [join(directory, path.slice(label.length + 1))] : [];
  });

/** The text with this hash; `undefined` if the file has changed or is not text. */
const textNow = async ({ path, sha256: hash }: FileState, roots: readonly Root[]): Promise<string | undefined> => {
  for (const place of placesOf(path, roots)) {
    const found = readRegularFile(place, { maxBytes: MAX_TEXT_BYTES });
    if (!('bytes' in found)) continue;
    const text = found.bytes.toString('utf8');
    // Bytes that are not UTF-8 have another hash as text.
    if (!text.includes('\0') && sha256(text) === hash) return text;
  }
  return undefined;
};

type Reviewed = Pick<SubjectStatus, 'subject' | 'files' | 'previous'>;

const textsToKeep = async (judgements: readonly Reviewed[]): Promise<string[]> => {
  const texts = await Promise.all(
    judgements.flatMap(({ subject, files }) => files.map((file) => textNow(file, subject.roots))),
  );
  return texts.filter((text) => text !== undefined);
};

const scriptTexts = async ({ subject, files, previous }: Reviewed, approved: ApprovedTexts): Promise<ScriptText[]> => {
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
