// Names of the files in the directory of tasks.
import { customAlphabet } from 'nanoid';

/** Keys come back from an AI and become file names, so they are letters and digits only. */
const TASK_KEY_PATTERN = /^task-[a-z0-9]{6,40}$/;

const createSuffix = customAlphabet('0123456789abcdefghjkmnpqrstvwxyz', 16);

export const createTaskKey = (): string => `task-${createSuffix()}`;

export const isTaskKey = (value: unknown): value is string => typeof value === 'string' && TASK_KEY_PATTERN.test(value);

export const taskFileName = (key: string): string => `${key}.json`;
export const claimFileName = (key: string, generation: number): string => `${key}.claim-${generation}`;

export type TaskFileName =
  | { readonly kind: 'task'; readonly key: string }
  | { readonly kind: 'claim'; readonly key: string; readonly generation: number }
  | { readonly kind: 'unfinished'; readonly pid: number }
  | { readonly kind: 'foreign' };

const TASK_OR_CLAIM_FILE_PATTERN = /^(task-[a-z0-9]{6,40})\.(?:json|claim-([1-9]\d{0,8}))$/;
const UNFINISHED_FILE_PATTERN = /^task-[a-z0-9.-]+\.(\d{1,10})-[a-z0-9]+\.tmp$/;

export const readTaskFileName = (name: string): TaskFileName => {
  const [, key, generation] = TASK_OR_CLAIM_FILE_PATTERN.exec(name) ?? [];
  if (key !== undefined) {
    return generation === undefined ? { kind: 'task', key } : { kind: 'claim', key, generation: Number(generation) };
  }
  const [, pid] = UNFINISHED_FILE_PATTERN.exec(name) ?? [];
  return pid === undefined ? { kind: 'foreign' } : { kind: 'unfinished', pid: Number(pid) };
};

export const createUnfinishedName = (name: string): string => `${name}.${process.pid}-${createSuffix()}.tmp`;
