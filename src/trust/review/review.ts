// Reviews a project's hooks, and approves or revokes them.
import { join } from 'node:path';
import { HookwrightError } from '../../errors.ts';
import { formatSuggestion } from '../../kit/index.ts';
import { readRegularFile, sha256 } from '../../kit/node.ts';
import type { Approval } from '../approval.ts';
import type { SubjectStatus } from '../judge-subjects.ts';
import { type ApprovedTexts, MAX_SCRIPT_TEXT_BYTES } from '../store/trust-store.ts';
import { type FileState, hashApprovedVersion, type SubjectRoot } from '../subject.ts';
import { type GoneHook, type ReviewedHook, readRequestedSecrets, toGoneHook, toReviewedHook } from './review-data.ts';
import { type ReviewableConfig, type Survey, surveyHooks, type TrustOptions } from './survey.ts';

/** The hooks of a project and its extensions, compared with the user's approvals. */
export interface TrustReview {
  readonly projectDir: string;
  readonly file: string;
  readonly hooks: readonly ReviewedHook[];
  readonly gone: readonly GoneHook[];
  /** Why no hook is trusted, if the store cannot be used. */
  readonly problems: readonly string[];
  /** The current and the approved text of a hook's files. */
  scripts(id: string): Promise<readonly ScriptText[]>;
  /**
   * Approves the reviewed version, by `id` or `hookId`: a hook that changed since stays unapproved. Hooks get only the
   * named secrets.
   */
  approve(ids: readonly string[], options?: ApproveOptions): Promise<ReviewedHook[]>;
  revoke(ids: readonly string[]): Promise<number>;
}

export interface ApproveOptions {
  /** Variables that the approved hooks get; each must be in the `secrets` of a hook. */
  readonly secrets?: readonly string[] | undefined;
}

const getVersionHash = ({ subject, files, hash }: SubjectStatus): string =>
  hash ?? hashApprovedVersion(subject.content, files);

const toApproval = (judgement: SubjectStatus, approvedAt: string, allowed: readonly string[]): Approval => {
  const { subject, files } = judgement;
  const { hookId, name, content, kin } = subject;
  const secrets = readRequestedSecrets(content).filter((one) => allowed.includes(one));
  return {
    hookId,
    name,
    hash: getVersionHash(judgement),
    content,
    files: [...files],
    kin: [...kin],
    ...(secrets.length === 0 ? {} : { secrets }),
    approvedAt,
  };
};

const checkSecrets = (judgements: readonly SubjectStatus[], secrets: readonly string[]): void => {
  const asked = judgements.flatMap(({ subject }) => readRequestedSecrets(subject.content));
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

const createUnknownIdError = (id: string, known: readonly string[]): HookwrightError =>
  new HookwrightError(
    'invalid_argument',
    `"${id}" is not in the review${formatSuggestion(id, known)}; it may have changed since: review it again`,
    { details: { id } },
  );

const storeApprovals = async (
  judgements: readonly SubjectStatus[],
  allowed: readonly string[],
  { store, scope }: Survey,
): Promise<void> => {
  const approvedAt = new Date().toISOString();
  const fresh = judgements.map((judgement) => toApproval(judgement, approvedAt, allowed));
  const replaced = new Set(judgements.flatMap((judgement) => [getVersionHash(judgement), judgement.previous?.hash]));
  const change = (approvals: readonly Approval[]): Approval[] => [
    ...approvals.filter(({ hash }) => !replaced.has(hash)),
    ...new Map(fresh.map((approval) => [approval.hash, approval])).values(),
  ];
  await store.change(scope.projectDir, change, await readCoveredTexts(judgements));
};

export const reviewTrust = async (config: ReviewableConfig, options: TrustOptions = {}): Promise<TrustReview> => {
  const found = await surveyHooks(config, options);
  const { judgements, questions, scope } = found;
  const reviewed = judgements.map((judgement) => {
    const { hookId = '', eventName, source } = questions.get(judgement.subject) ?? {};
    const off = found.switchedOff.has(hookId) ? { switchedOff: true } : {};
    return { judgement, hook: toReviewedHook(judgement, getVersionHash(judgement), { eventName, source, ...off }) };
  });
  const hooks = reviewed.map(({ hook }) => hook);
  const findAll = (id: string) => reviewed.filter(({ hook }) => hook.id === id || hook.hookId === id);
  const findKnown = (id: string) => {
    const known = findAll(id);
    if (known.length > 0) return known;
    throw createUnknownIdError(
      id,
      hooks.map(({ hookId }) => hookId),
    );
  };
  return {
    projectDir: scope.projectDir,
    file: found.store.file,
    hooks,
    gone: found.gone.map(toGoneHook),
    problems: found.problems,
    scripts: async (id) => {
      const read = findKnown(id).map(({ judgement }) => readScriptTexts(judgement, found.store.texts));
      return (await Promise.all(read)).flat();
    },
    approve: async (ids, { secrets = [] } = {}) => {
      const meant = [...new Set(ids.flatMap(findKnown))];
      const meantJudgements = meant.map(({ judgement }) => judgement);
      checkSecrets(meantJudgements, secrets);
      const getsSecret = ({ subject }: SubjectStatus): boolean =>
        readRequestedSecrets(subject.content).some((name) => secrets.includes(name));
      const chosen = meantJudgements.filter((judgement) => judgement.status !== 'approved' || getsSecret(judgement));
      if (chosen.length > 0) await storeApprovals(chosen, secrets, found);
      return meant.map(({ hook }) => hook);
    },
    revoke: async (ids) => {
      const meant = new Set([...ids, ...ids.flatMap(findAll).map(({ hook }) => hook.id)]);
      let revoked = 0;
      await found.store.change(scope.projectDir, (approvals) => {
        const kept = approvals.filter(({ hash, hookId }) => !meant.has(hash) && !meant.has(hookId));
        revoked = approvals.length - kept.length;
        return kept;
      });
      return revoked;
    },
  };
};

/** The content is read again, so hooks that changed since the review are refused. */
export const approve = async (
  config: ReviewableConfig,
  ids: readonly string[],
  options: TrustOptions & ApproveOptions = {},
): Promise<ReviewedHook[]> => {
  const review = await reviewTrust(config, options);
  const known = review.hooks.map(({ id }) => id);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined) throw createUnknownIdError(unknown, known);
  return review.approve(ids, options);
};

export const revoke = async (
  config: ReviewableConfig,
  ids: readonly string[],
  options: TrustOptions = {},
): Promise<number> => (await reviewTrust(config, options)).revoke(ids);

/** A file that an approval covers: its current and its approved text. */
export interface ScriptText {
  readonly path: string;
  /** Absent if the file does not exist, is not text, is too large to show, or changed since the review. */
  readonly text?: string | undefined;
  /** Absent if no text was approved, or the approved text was not kept. */
  readonly before?: string | undefined;
}

const resolveRecordedPath = (path: string, roots: readonly SubjectRoot[]): string[] =>
  roots.flatMap(({ label, directory }) => {
    if (label === '') return [join(directory, path)];
    return path.startsWith(`${label}/`) ? [join(directory, path.slice(label.length + 1))] : [];
  });

const readUnchangedText = async (
  { path, sha256: hash }: FileState,
  roots: readonly SubjectRoot[],
): Promise<string | undefined> => {
  for (const scope of resolveRecordedPath(path, roots)) {
    const found = readRegularFile(scope, { maxBytes: MAX_SCRIPT_TEXT_BYTES });
    if (!('bytes' in found)) continue;
    const text = found.bytes.toString('utf8');
    // Bytes that are not UTF-8 are decoded to a text with another hash.
    if (!text.includes('\0') && sha256(text) === hash) return text;
  }
  return undefined;
};

const readCoveredTexts = async (judgements: readonly SubjectStatus[]): Promise<string[]> => {
  // All hooks of a plugin cover the same files.
  const covered = judgements.flatMap(({ subject, files }) => files.map((file) => ({ file, roots: subject.roots })));
  const byHash = new Map(covered.map((one) => [one.file.sha256, one]));
  const texts = await Promise.all([...byHash.values()].map(({ file, roots }) => readUnchangedText(file, roots)));
  return texts.filter((text) => text !== undefined);
};

const readScriptTexts = async (
  { subject, files, previous }: SubjectStatus,
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
        text: file === undefined ? undefined : await readUnchangedText(file, subject.roots),
        before: hash === undefined ? undefined : await approved.textOf(hash),
      };
    }),
  );
};
