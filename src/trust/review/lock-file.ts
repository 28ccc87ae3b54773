// Reads and writes the lock file of a repository: the reviewed hooks and their hashes, for CI.
import { join } from 'node:path';
import * as z from 'zod/mini';
import { HookwrightError } from '../../errors.ts';
import { once } from '../../kit/index.ts';
import { checkDirectory, readPrivateJson, writePrivateFile } from '../../kit/node.ts';
import { reviewTrust } from './review.ts';
import type { ReviewedHook } from './review-data.ts';
import type { ReviewableConfig, TrustOptions } from './survey.ts';

const lockSchema = once(() =>
  z.object({
    version: z.literal(1),
    hooks: z.array(z.object({ hookId: z.string(), name: z.string(), hash: z.string() })),
  }),
);

type LockedHook = z.infer<ReturnType<typeof lockSchema>>['hooks'][number];

const MAX_LOCK_FILE_BYTES = 1_048_576;

const getLockDirectory = (projectDir: string): string => join(projectDir, '.hookwright');
export const getLockFilePath = (projectDir: string): string => join(getLockDirectory(projectDir), 'trust.lock.json');

export interface TrustLockCheck {
  /** Whether the lock file names exactly the existing hooks that are not switched off. */
  readonly ok: boolean;
  readonly file: string;
  readonly new: readonly ReviewedHook[];
  readonly changed: readonly ReviewedHook[];
  readonly gone: readonly { readonly hookId: string; readonly name: string }[];
  /** In the lock file, but the project's settings switch them off. */
  readonly switchedOff: readonly { readonly hookId: string; readonly name: string }[];
  readonly problems: readonly string[];
}

const readLock = async (projectDir: string): Promise<{ hooks: LockedHook[] } | { problem: string }> => {
  const file = getLockFilePath(projectDir);
  const directory = await checkDirectory(getLockDirectory(projectDir), 'shared');
  if (typeof directory !== 'string') return { problem: directory.trouble };
  const { value, missing, trouble } = readPrivateJson(file, { maxBytes: MAX_LOCK_FILE_BYTES, private: false });
  if (missing) return { problem: `${file} does not exist` };
  if (trouble !== undefined) return { problem: trouble };
  const checked = lockSchema().safeParse(value);
  return checked.success ? checked.data : { problem: `${file} is not a lock file of version 1` };
};

const isSwitchedOn = ({ switchedOff }: ReviewedHook): boolean => switchedOff !== true;

/** A changed hook requires a visible change of the lock file. Approves nothing: a repository must not trust itself. */
export const checkTrustLock = async (config: ReviewableConfig, options: TrustOptions = {}): Promise<TrustLockCheck> => {
  const { hooks: all, projectDir } = await reviewTrust(config, options);
  const hooks = all.filter(isSwitchedOn);
  const file = getLockFilePath(projectDir);
  const lock = await readLock(projectDir);
  if ('problem' in lock)
    return { ok: false, file, new: hooks, changed: [], gone: [], switchedOff: [], problems: [lock.problem] };
  const hashes = new Set(lock.hooks.map(({ hash }) => hash));
  const ids = new Set(lock.hooks.map(({ hookId }) => hookId));
  const others = hooks.filter(({ id }) => !hashes.has(id));
  const changed = others.filter(({ hookId }) => ids.has(hookId));
  const unknown = others.filter(({ hookId }) => !ids.has(hookId));
  const isAmong =
    (found: readonly ReviewedHook[]) =>
    ({ hash, hookId }: LockedHook): boolean =>
      found.some((hook) => hook.id === hash || hook.hookId === hookId);
  const missing = lock.hooks.filter((locked) => !isAmong(hooks)(locked));
  const switchedOff = missing.filter(isAmong(all));
  const gone = missing.filter((locked) => !switchedOff.includes(locked));
  const ok = others.length === 0 && missing.length === 0;
  return { ok, file, new: unknown, changed, gone, switchedOff, problems: [] };
};

export const writeTrustLock = async (config: ReviewableConfig, options: TrustOptions = {}): Promise<ReviewedHook[]> => {
  const { hooks, projectDir, problems } = await reviewTrust(config, options);
  const [problem] = problems;
  if (problem !== undefined) throw new HookwrightError('invalid_config', problem);
  const directory = getLockDirectory(projectDir);
  const found = await checkDirectory(directory, 'shared');
  if (found !== 'usable') {
    const why = found === 'missing' ? `${directory} does not exist; create it` : found.trouble;
    throw new HookwrightError('invalid_config', `The lock file is not written: ${why}`);
  }
  const approved = hooks.filter((hook) => hook.status === 'approved' && isSwitchedOn(hook));
  const locked = approved
    .map(({ id, hookId, name }): LockedHook => ({ hookId, name, hash: id }))
    .sort((a, b) => (a.hookId < b.hookId ? -1 : 1));
  const text = `${JSON.stringify({ version: 1, hooks: locked }, undefined, 2)}\n`;
  await writePrivateFile(getLockFilePath(projectDir), text, 0o644);
  return approved;
};
