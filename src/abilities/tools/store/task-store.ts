// The tasks of a repository, in `.system/tasks`.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { invalidArgument } from '../../../errors.ts';
import { describeThrown, describeValue } from '../../../kit/index.ts';
import { createFile, fileNamesIn, openDirectory, textOf } from '../../ability-files.ts';
import { type ClaimHolder, holderOfTask, isProcessGone, releaseClaim, takeClaim } from './claims.ts';
import { createTaskKey, isTaskKey, readName, type TaskFileName, taskFile } from './task-files.ts';
import {
  isOver,
  type NewTask,
  newTask,
  type ReadTask,
  readTask,
  type StoredTask,
  TaskClaim,
  type TaskRecord,
  type TaskState,
  taskText,
} from './task-record.ts';

export interface TaskStoreOptions {
  /** The repository. */
  readonly root: string;
  /** Creates keys of tasks: `task-` and 6 to 40 lowercase letters and digits. Random by default. */
  readonly createKey?: (() => string) | undefined;
}

/** An unusable file in the directory of tasks. */
export interface TaskProblem {
  readonly file: string;
  readonly message: string;
}

/** Why a task cannot be returned. */
export interface TaskRefusal {
  readonly code: 'unknown-task' | 'unreadable-task' | 'task-running' | 'task-over' | 'task-interrupted';
  readonly message: string;
}

export type FoundTask =
  | { readonly ok: true; readonly task: TaskRecord }
  | { readonly ok: false; readonly refusal: TaskRefusal };

export type ClaimedTask =
  | { readonly ok: true; readonly claim: TaskClaim }
  | { readonly ok: false; readonly refusal: TaskRefusal };

export interface TaskList {
  readonly tasks: readonly TaskRecord[];
  readonly problems: readonly TaskProblem[];
}

const PLACE = ['.system', 'tasks'] as const;
const UNFINISHED = 'is left from an incomplete write; only that write is lost';

/** Leftovers of a process that is gone; files of live processes are still being written. */
const isLeftBehind = (found: TaskFileName): boolean => found.kind === 'unfinished' && isProcessGone(found.pid);

const readTaskFile = async (key: string, file: string): Promise<ReadTask | undefined> => {
  try {
    const text = textOf(file);
    return text === undefined ? undefined : readTask(key, text);
  } catch (error) {
    return { ok: false, problem: `cannot be read: ${describeThrown(error)}` };
  }
};

const asRecord = ({ version: _version, ...task }: StoredTask, state: TaskState): TaskRecord => ({ ...task, state });

const refuse = (code: TaskRefusal['code'], message: string): { ok: false; refusal: TaskRefusal } => ({
  ok: false,
  refusal: { code, message },
});

const whoHolds = (key: string, holder: ClaimHolder): string => {
  if (holder.kind !== 'held') return `${key} was taken by another process a moment ago`;
  const { owner, file } = holder;
  const who = owner === undefined ? 'an unknown process' : `process ${owner.pid} on ${owner.host}`;
  return `${key} is being run by ${who}; wait for it, or remove ${file} if you know that it is gone`;
};

/**
 * The tasks of a repository, one JSON file each. Writes are atomic even if the process dies; a task is held by one
 * process at a time, and a process that died holds none.
 */
export class TaskStore {
  readonly directory: string;
  readonly #root: string;
  readonly #createKey: () => string;

  constructor({ root, createKey = createTaskKey }: TaskStoreOptions) {
    this.#root = resolve(root);
    this.directory = join(this.#root, ...PLACE);
    this.#createKey = createKey;
  }

  /** Creates a key and writes the task. Runs nothing. */
  async create(task: NewTask): Promise<TaskRecord> {
    const directory = await openDirectory(this.#root, PLACE);
    const key = this.#createKey();
    if (!isTaskKey(key)) {
      const expected = 'expected task- and 6 to 40 small letters and digits';
      throw invalidArgument(`createKey: ${expected}, got ${describeValue(key)}`);
    }
    const stored = newTask(key, task);
    if (!(await createFile(directory, taskFile(key), taskText(stored)))) {
      throw invalidArgument(`createKey: there is a task ${key} already; make keys that differ`);
    }
    return asRecord(stored, stored.state);
  }

  async find(key: string): Promise<FoundTask> {
    const read = await this.#read(key);
    if ('refusal' in read) return read;
    const { task } = read;
    if (task.state !== 'running') return { ok: true, task: asRecord(task, task.state) };
    const { kind } = await holderOfTask(this.directory, key);
    if (kind === 'held') return { ok: true, task: asRecord(task, 'running') };
    // The holder of the claim may have finished the task meanwhile: it writes the outcome before it releases the claim.
    const now = await this.#read(key);
    if ('refusal' in now) return now;
    return { ok: true, task: asRecord(now.task, now.task.state === 'running' ? 'interrupted' : now.task.state) };
  }

  /** All tasks in the order of their keys, and unusable files. */
  async list(): Promise<TaskList> {
    const tasks: TaskRecord[] = [];
    const problems: TaskProblem[] = [];
    for (const name of await this.#names(problems)) {
      const found = readName(name);
      const file = join(this.directory, name);
      if (isLeftBehind(found)) problems.push({ file, message: UNFINISHED });
      if (found.kind !== 'task') continue;
      const read = await this.find(found.key);
      if (read.ok) tasks.push(read.task);
      // The task was removed after the names were read.
      else if (read.refusal.code !== 'unknown-task') problems.push({ file, message: read.refusal.message });
    }
    return { tasks, problems };
  }

  /**
   * Takes a task to run it. A finished task is refused; an interrupted one, which may be half done, needs
   * `interrupted`.
   */
  async claim(key: string, { interrupted = false }: { readonly interrupted?: boolean } = {}): Promise<ClaimedTask> {
    const before = await this.#read(key);
    if ('refusal' in before) return before;
    if (isOver(before.task.state)) return this.#over(before.task);
    const directory = await openDirectory(this.#root, PLACE);
    const claimed = await takeClaim(directory, key);
    if (!claimed.ok) return this.#notGiven(key, claimed.holder);
    // Another process may have run it before our claim; none can from here on.
    const read = await this.#read(key);
    if ('refusal' in read) {
      await releaseClaim(directory, key, claimed.generation);
      return read;
    }
    const { task } = read;
    const claim = new TaskClaim(directory, claimed.generation, task);
    if (!isOver(task.state) && (task.state !== 'running' || interrupted)) return { ok: true, claim };
    await claim.release();
    return isOver(task.state) ? this.#over(task) : this.#interrupted(task);
  }

  /** Removes leftovers of processes that are gone, and returns their names. */
  async tidy(): Promise<string[]> {
    const removed: string[] = [];
    for (const name of await fileNamesIn(this.directory)) {
      if (!isLeftBehind(readName(name))) continue;
      await rm(join(this.directory, name), { force: true });
      removed.push(name);
    }
    return removed;
  }

  async #names(problems: TaskProblem[]): Promise<string[]> {
    try {
      return await fileNamesIn(this.directory);
    } catch (error) {
      problems.push({ file: this.directory, message: `${this.directory} cannot be read: ${describeThrown(error)}` });
      return [];
    }
  }

  #over({ task_key, state }: StoredTask): { ok: false; refusal: TaskRefusal } {
    return refuse('task-over', `${task_key} was run and ended in ${state}; create another task to do it again`);
  }

  #interrupted({ task_key }: StoredTask): { ok: false; refusal: TaskRefusal } {
    const advice = 'it may be half done; run it again only if that does no harm';
    return refuse('task-interrupted', `${task_key} was interrupted when the process that ran it ended: ${advice}`);
  }

  async #notGiven(key: string, holder: ClaimHolder): Promise<{ ok: false; refusal: TaskRefusal }> {
    const read = await this.#read(key);
    if ('refusal' in read) return read;
    return isOver(read.task.state) ? this.#over(read.task) : refuse('task-running', whoHolds(key, holder));
  }

  async #read(key: string): Promise<{ task: StoredTask } | { ok: false; refusal: TaskRefusal }> {
    if (!isTaskKey(key)) return refuse('unknown-task', `${describeValue(key)} is not the key of a task`);
    const file = join(this.directory, taskFile(key));
    const read = await readTaskFile(key, file);
    if (read === undefined) return refuse('unknown-task', `there is no task ${key} in ${this.directory}`);
    return read.ok ? read : refuse('unreadable-task', `${file} ${read.problem}; repair or remove it`);
  }
}
