// Stores the tasks of a repository in `.system/tasks`.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInvalidArgument } from '../../../errors.ts';
import { describeThrown, describeValue } from '../../../kit/index.ts';
import { isProcessAlive } from '../../../kit/node.ts';
import { createFile, openDirectory, readFileNames, readTextFile } from '../../ability-files.ts';
import { type ClaimHolder, readHolderOfTask, releaseClaim, takeClaim } from './claims.ts';
import { createTaskKey, isTaskKey, readTaskFileName, type TaskFileName, taskFileName } from './task-files.ts';
import {
  createStoredTask,
  isFinished,
  type NewTask,
  type ReadTask,
  readTask,
  type StoredTask,
  serializeTask,
  TaskClaim,
  type TaskRecord,
  type TaskState,
} from './task-record.ts';

export interface TaskStoreOptions {
  readonly root: string;
  readonly createKey?: (() => string) | undefined;
}

export interface TaskProblem {
  readonly file: string;
  readonly message: string;
}

export interface TaskRefusal {
  readonly code: 'unknown-task' | 'unreadable-task' | 'task-running' | 'task-over' | 'task-interrupted';
  readonly message: string;
}

interface RefusedTask {
  readonly ok: false;
  readonly refusal: TaskRefusal;
}

export type FoundTask = { readonly ok: true; readonly task: TaskRecord } | RefusedTask;

export type ClaimedTask = { readonly ok: true; readonly claim: TaskClaim } | RefusedTask;

export interface TaskList {
  readonly tasks: readonly TaskRecord[];
  readonly problems: readonly TaskProblem[];
}

const TASKS_FOLDER = ['.system', 'tasks'] as const;
const INCOMPLETE_WRITE_MESSAGE = 'is left from an incomplete write; only that write is lost';

const isAbandonedFile = (found: TaskFileName): boolean => found.kind === 'unfinished' && !isProcessAlive(found.pid);

const readTaskFile = async (key: string, file: string): Promise<ReadTask | undefined> => {
  try {
    const text = readTextFile(file);
    return text === undefined ? undefined : readTask(key, text);
  } catch (error) {
    return { ok: false, problem: `cannot be read: ${describeThrown(error)}` };
  }
};

const toTaskRecord = ({ version: _version, ...task }: StoredTask, state: TaskState): TaskRecord => ({ ...task, state });

const createRefusal = (code: TaskRefusal['code'], message: string): RefusedTask => ({
  ok: false,
  refusal: { code, message },
});

const refuseFinished = ({ task_key, state }: StoredTask): RefusedTask =>
  createRefusal('task-over', `${task_key} was run and ended in ${state}; create another task to do it again`);

const refuseInterrupted = ({ task_key }: StoredTask): RefusedTask => {
  const advice = 'it may be half done; run it again only if that does no harm';
  return createRefusal('task-interrupted', `${task_key} was interrupted when the process that ran it ended: ${advice}`);
};

const describeHolder = (key: string, holder: ClaimHolder): string => {
  if (holder.kind !== 'held') return `${key} was taken by another process a moment ago`;
  const { owner, file } = holder;
  const who = owner === undefined ? 'an unknown process' : `process ${owner.pid} on ${owner.host}`;
  return `${key} is being run by ${who}; wait for it, or remove ${file} if you know that it is gone`;
};

/**
 * One JSON file per task. Writes are atomic even if the process dies; a task is held by one process at a time, and a
 * process that died holds no task.
 */
export class TaskStore {
  readonly directory: string;
  readonly #root: string;
  readonly #createKey: () => string;

  constructor({ root, createKey = createTaskKey }: TaskStoreOptions) {
    this.#root = resolve(root);
    this.directory = join(this.#root, ...TASKS_FOLDER);
    this.#createKey = createKey;
  }

  async create(task: NewTask): Promise<TaskRecord> {
    const directory = await openDirectory(this.#root, TASKS_FOLDER);
    const key = this.#createKey();
    if (!isTaskKey(key)) {
      const expected = 'expected task- and 6 to 40 small letters and digits';
      throw createInvalidArgument(`createKey: ${expected}, got ${describeValue(key)}`);
    }
    const stored = createStoredTask(key, task);
    if (!(await createFile(directory, taskFileName(key), serializeTask(stored)))) {
      throw createInvalidArgument(`createKey: there is a task ${key} already; make keys that differ`);
    }
    return toTaskRecord(stored, stored.state);
  }

  async find(key: string): Promise<FoundTask> {
    const read = await this.#read(key);
    if ('refusal' in read) return read;
    const { task } = read;
    if (task.state !== 'running') return { ok: true, task: toTaskRecord(task, task.state) };
    const { kind } = await readHolderOfTask(this.directory, key);
    if (kind === 'held') return { ok: true, task: toTaskRecord(task, 'running') };
    // The holder of the claim may have finished the task meanwhile: it writes the outcome before it releases the claim.
    const now = await this.#read(key);
    if ('refusal' in now) return now;
    return { ok: true, task: toTaskRecord(now.task, now.task.state === 'running' ? 'interrupted' : now.task.state) };
  }

  async list(): Promise<TaskList> {
    const tasks: TaskRecord[] = [];
    const problems: TaskProblem[] = [];
    for (const name of await this.#names(problems)) {
      const found = readTaskFileName(name);
      const file = join(this.directory, name);
      if (isAbandonedFile(found)) problems.push({ file, message: INCOMPLETE_WRITE_MESSAGE });
      if (found.kind !== 'task') continue;
      const read = await this.find(found.key);
      if (read.ok) tasks.push(read.task);
      else if (read.refusal.code !== 'unknown-task') problems.push({ file, message: read.refusal.message });
    }
    return { tasks, problems };
  }

  /** Refuses a finished task, and without `interrupted` also a task that may be half done. */
  async claim(key: string, { interrupted = false }: { readonly interrupted?: boolean } = {}): Promise<ClaimedTask> {
    const before = await this.#read(key);
    if ('refusal' in before) return before;
    if (isFinished(before.task.state)) return refuseFinished(before.task);
    const directory = await openDirectory(this.#root, TASKS_FOLDER);
    const claimed = await takeClaim(directory, key);
    if (!claimed.ok) return this.#refuseHeld(key, claimed.holder);
    // Another process may have run the task before this claim; none can from here on.
    const read = await this.#read(key);
    if ('refusal' in read) {
      await releaseClaim(directory, key, claimed.generation);
      return read;
    }
    const { task } = read;
    const claim = new TaskClaim(directory, claimed.generation, task);
    if (!isFinished(task.state) && (task.state !== 'running' || interrupted)) return { ok: true, claim };
    await claim.release();
    return isFinished(task.state) ? refuseFinished(task) : refuseInterrupted(task);
  }

  async tidy(): Promise<string[]> {
    const removed: string[] = [];
    for (const name of await readFileNames(this.directory)) {
      if (!isAbandonedFile(readTaskFileName(name))) continue;
      await rm(join(this.directory, name), { force: true });
      removed.push(name);
    }
    return removed;
  }

  async #names(problems: TaskProblem[]): Promise<string[]> {
    try {
      return await readFileNames(this.directory);
    } catch (error) {
      problems.push({ file: this.directory, message: `${this.directory} cannot be read: ${describeThrown(error)}` });
      return [];
    }
  }

  async #refuseHeld(key: string, holder: ClaimHolder): Promise<RefusedTask> {
    const read = await this.#read(key);
    if ('refusal' in read) return read;
    return isFinished(read.task.state)
      ? refuseFinished(read.task)
      : createRefusal('task-running', describeHolder(key, holder));
  }

  async #read(key: string): Promise<{ task: StoredTask } | RefusedTask> {
    if (!isTaskKey(key)) return createRefusal('unknown-task', `${describeValue(key)} is not the key of a task`);
    const file = join(this.directory, taskFileName(key));
    const read = await readTaskFile(key, file);
    if (read === undefined) return createRefusal('unknown-task', `there is no task ${key} in ${this.directory}`);
    return read.ok ? read : createRefusal('unreadable-task', `${file} ${read.problem}; repair or remove it`);
  }
}
