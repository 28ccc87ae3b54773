// Claims on tasks: files that give a task to one process at a time.
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { escapeUnprintable, once, parseJson } from '../../../kit/index.ts';
import { type ProcessStat, processStat, readErrorCode } from '../../../kit/node.ts';
import { createFile, fileNamesIn, replaceFile, textOf } from '../../ability-files.ts';
import { claimFile, readName } from './task-files.ts';

/** The process that holds a task; `started` distinguishes it from other processes with the same pid. */
export const ownerSchema = once(() =>
  z.object({
    pid: z.int().check(z.positive()),
    host: z.string(),
    /** The start time as the system counts it, if it is known. */
    started: z.optional(z.string()),
  }),
);

export type StoreOwner = z.infer<ReturnType<typeof ownerSchema>>;

const DEAD_STATES: ReadonlySet<string> = new Set(['Z', 'X', 'x']);
const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // The process is gone, or the system has no such files.
    return undefined;
  }
};

/** Pids and start times repeat after a reboot, so the boot id is part of it. */
const startOf = (stat: ProcessStat | undefined): string | undefined => {
  const time = stat?.started;
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim();
  return time === undefined || boot === undefined ? undefined : `${boot}/${time}`;
};

const thisProcess = once((): StoreOwner => {
  const started = process.platform === 'linux' ? startOf(processStat(process.pid)) : undefined;
  return { pid: process.pid, host: hostname(), ...(started === undefined ? {} : { started }) };
});

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return readErrorCode(error) !== 'ESRCH';
  }
};

export const isProcessGone = (pid: number): boolean => !exists(pid);

/**
 * Whether an owner is certainly gone. If that is unknown (another machine, or no start time) the answer is no: waiting
 * for a dead process is better than running a task twice.
 */
const isGone = (owner: StoreOwner): boolean => {
  if (owner.host !== hostname()) return false;
  if (!exists(owner.pid)) return true;
  if (owner.started === undefined) return false;
  const stat = processStat(owner.pid);
  if (stat === undefined) return !exists(owner.pid);
  return DEAD_STATES.has(stat.state) || startOf(stat) !== owner.started;
};

const claimSchema = once(() => z.object({ owner: ownerSchema(), released: z.boolean() }));

/** `gone`: the owner died without giving the task back. */
export type ClaimHolder =
  | { readonly kind: 'free' }
  | { readonly kind: 'gone'; readonly owner: StoreOwner }
  | { readonly kind: 'held'; readonly owner: StoreOwner | undefined; readonly file: string };

interface LastClaim {
  readonly generation: number;
  readonly holder: ClaimHolder;
}

const holderOf = (text: string | undefined, file: string): ClaimHolder => {
  const parsed = parseJson(text ?? '');
  const read = parsed.ok ? claimSchema().safeParse(parsed.value) : undefined;
  // The unknown owner may be alive.
  if (!read?.success) return { kind: 'held', owner: undefined, file };
  const { owner, released } = read.data;
  if (released) return { kind: 'free' };
  return isGone(owner) ? { kind: 'gone', owner } : { kind: 'held', owner, file };
};

const generationsOf = async (directory: string, key: string): Promise<number[]> =>
  (await fileNamesIn(directory))
    .map(readName)
    .flatMap((name) => (name.kind === 'claim' && name.key === key ? [name.generation] : []));

const lastClaim = async (directory: string, key: string): Promise<LastClaim> => {
  const generation = Math.max(0, ...(await generationsOf(directory, key)));
  if (generation === 0) return { generation, holder: { kind: 'free' } };
  const file = join(directory, claimFile(key, generation));
  return { generation, holder: holderOf(textOf(file), file) };
};

const claimText = (released: boolean): string =>
  `${escapeUnprintable(JSON.stringify({ owner: thisProcess(), released }))}\n`;

export const holderOfTask = async (directory: string, key: string): Promise<ClaimHolder> =>
  (await lastClaim(directory, key)).holder;

export type Claimed =
  | { readonly ok: true; readonly generation: number }
  | { readonly ok: false; readonly holder: ClaimHolder };

/**
 * Takes a task. Claims are numbered, and a number is never reused: the next claim can be created once the previous one
 * is released or its owner is gone, and neither can be undone. So no process removes another's claim, which two
 * processes could do at once, the second removing the claim of a third.
 */
export const takeClaim = async (directory: string, key: string): Promise<Claimed> => {
  const { generation, holder } = await lastClaim(directory, key);
  if (holder.kind === 'held') return { ok: false, holder };
  const next = generation + 1;
  if (await createFile(directory, claimFile(key, next), claimText(false))) return { ok: true, generation: next };
  return { ok: false, holder: await holderOfTask(directory, key) };
};

export const releaseClaim = (directory: string, key: string, generation: number): Promise<void> =>
  replaceFile(directory, claimFile(key, generation), claimText(true));

/** Removes all claims of a finished task. They are no longer needed: the stored state shows that the task is done. */
export const removeClaims = async (directory: string, key: string): Promise<void> => {
  for (const generation of await generationsOf(directory, key)) {
    await rm(join(directory, claimFile(key, generation)), { force: true });
  }
};
