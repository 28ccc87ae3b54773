// Claims on tasks: files that give a task to one process at a time.
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { attempt, escapeUnprintable, omitUndefined, once, parseJson } from '../../../kit/index.ts';
import { isProcessAlive, type ProcessStat, readProcessStat, readProcFile } from '../../../kit/node.ts';
import { createFile, readFileNames, readTextFile, replaceFile } from '../../ability-files.ts';
import { claimFileName, readTaskFileName } from './task-files.ts';

/** `started` distinguishes the process from others with the same pid. */
export const ownerSchema = once(() =>
  z.object({
    pid: z.int().check(z.positive()),
    host: z.string(),
    started: z.optional(z.string()),
  }),
);

export type StoreOwner = z.infer<ReturnType<typeof ownerSchema>>;

const DEAD_PROCESS_STATES: ReadonlySet<string> = new Set(['Z', 'X', 'x']);

/** Pids and start times repeat after a reboot, so the boot id is included. */
const readStartTime = ({ started }: ProcessStat): string | undefined =>
  attempt(() => `${readProcFile('/proc/sys/kernel/random/boot_id').trim()}/${started}`);

const getThisProcess = once((): StoreOwner => {
  const stat = process.platform === 'linux' ? readProcessStat(process.pid) : undefined;
  return omitUndefined({ pid: process.pid, host: hostname(), started: stat && readStartTime(stat) });
});

/** Returns `false` if unknown (another machine, no start time): waiting is better than running a task twice. */
const isOwnerGone = (owner: StoreOwner): boolean => {
  if (owner.host !== hostname()) return false;
  if (!isProcessAlive(owner.pid)) return true;
  if (owner.started === undefined) return false;
  const stat = readProcessStat(owner.pid);
  if (stat === undefined) return !isProcessAlive(owner.pid);
  return DEAD_PROCESS_STATES.has(stat.state) || readStartTime(stat) !== owner.started;
};

const claimSchema = once(() => z.object({ owner: ownerSchema(), released: z.boolean() }));

/** `gone`: the owner died without giving the task back. */
export type ClaimHolder =
  | { readonly kind: 'free' }
  | { readonly kind: 'gone'; readonly owner: StoreOwner }
  | { readonly kind: 'held'; readonly owner: StoreOwner | undefined; readonly file: string };

const readHolder = (text: string | undefined, file: string): ClaimHolder => {
  const parsed = parseJson(text ?? '');
  const read = parsed.ok ? claimSchema().safeParse(parsed.value) : undefined;
  // The owner is unknown and may be alive.
  if (!read?.success) return { kind: 'held', owner: undefined, file };
  const { owner, released } = read.data;
  if (released) return { kind: 'free' };
  return isOwnerGone(owner) ? { kind: 'gone', owner } : { kind: 'held', owner, file };
};

const readGenerations = async (directory: string, key: string): Promise<number[]> =>
  (await readFileNames(directory))
    .map(readTaskFileName)
    .flatMap((name) => (name.kind === 'claim' && name.key === key ? [name.generation] : []));

const readLastClaim = async (directory: string, key: string): Promise<{ generation: number; holder: ClaimHolder }> => {
  const generation = Math.max(0, ...(await readGenerations(directory, key)));
  if (generation === 0) return { generation, holder: { kind: 'free' } };
  const file = join(directory, claimFileName(key, generation));
  return { generation, holder: readHolder(readTextFile(file), file) };
};

const serializeClaim = (released: boolean): string =>
  `${escapeUnprintable(JSON.stringify({ owner: getThisProcess(), released }))}\n`;

export const readHolderOfTask = async (directory: string, key: string): Promise<ClaimHolder> =>
  (await readLastClaim(directory, key)).holder;

export type ClaimAttempt =
  | { readonly ok: true; readonly generation: number }
  | { readonly ok: false; readonly holder: ClaimHolder };

/**
 * Claims are numbered, and no number is reused: the next claim is created after the previous claim was released or its
 * owner died. So no process has to remove the claim of another: two that do so at once could remove the claim of a third.
 */
export const takeClaim = async (directory: string, key: string): Promise<ClaimAttempt> => {
  const { generation, holder } = await readLastClaim(directory, key);
  if (holder.kind === 'held') return { ok: false, holder };
  const next = generation + 1;
  if (await createFile(directory, claimFileName(key, next), serializeClaim(false)))
    return { ok: true, generation: next };
  return { ok: false, holder: await readHolderOfTask(directory, key) };
};

export const releaseClaim = (directory: string, key: string, generation: number): Promise<void> =>
  replaceFile(directory, claimFileName(key, generation), serializeClaim(true));

export const removeClaims = async (directory: string, key: string): Promise<void> => {
  for (const generation of await readGenerations(directory, key)) {
    await rm(join(directory, claimFileName(key, generation)), { force: true });
  }
};
