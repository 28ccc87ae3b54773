// Names of the files in the directory of tasks.
import { customAlphabet } from 'nanoid';

/** Keys come back from an AI and become file names, so they are letters and digits only. */
const KEY = /^task-[a-z0-9]{6,40}$/;

const newSuffix = customAlphabet('0123456789abcdefghjkmnpqrstvwxyz', 16);

export const createTaskKey = (): string => `task-${newSuffix()}`;

export const isTaskKey = (value: unknown): value is string => typeof value === 'string' && KEY.test(value);

export const taskFile = (key: string): string => `${key}.json`;
export const claimFile = (key: string, generation: number): string => `${key}.claim-${generation}`;

export type TaskFileName =
  | { readonly kind: 'task'; readonly key: string }
  | { readonly kind: 'claim'; readonly key: string; readonly generation: number }
  | { readonly kind: 'unfinished'; readonly pid: number }
  | { readonly kind: 'foreign' };

const FILE = /^(task-[a-z0-9]{6,40})\.(?:json|claim-([1-9]\d{0,8}))$/;
const UNFINISHED = /^task-[a-z0-9.-]+\.(\d{1,10})-[a-z0-9]+\.tmp$/;

export const readName = (name: string): TaskFileName => {
  const [, key, generation] = FILE.exec(name) ?? [];
  if (key !== undefined) {
    return generation === undefined ? { kind: 'task', key } : { kind: 'claim', key, generation: Number(generation) };
  }
  const [, pid] = UNFINISHED.exec(name) ?? [];
  return pid === undefined ? { kind: 'foreign' } : { kind: 'unfinished', pid: Number(pid) };
};

/** The name of a file being written, with the writer's pid so that others can recognise leftovers. */
export const unfinishedName = (name: string): string => `${name}.${process.pid}-${newSuffix()}.tmp`;
