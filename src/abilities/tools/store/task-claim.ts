import { replaceFile } from '../../ability-files.ts';
import { giveBack, removeClaims } from './claims.ts';
import { taskFile } from './task-files.ts';
import { isOver, type StoredTask, taskText } from './task-record.ts';

/** A held task: until it is given back, no other process runs or changes it. */
export class TaskClaim {
  readonly #directory: string;
  readonly #generation: number;
  #task: StoredTask;

  constructor(directory: string, generation: number, task: StoredTask) {
    this.#directory = directory;
    this.#generation = generation;
    this.#task = task;
  }

  get task(): StoredTask {
    return this.#task;
  }

  /** Writes what is new. After this the change survives a crash. */
  async update(change: Partial<StoredTask>): Promise<void> {
    const task = { ...this.#task, ...change };
    await replaceFile(this.#directory, taskFile(task.task_key), taskText(task));
    this.#task = task;
  }

  /** Lets others have it. */
  async release(): Promise<void> {
    const { task_key, state } = this.#task;
    if (isOver(state)) await removeClaims(this.#directory, task_key);
    else await giveBack(this.#directory, task_key, this.#generation);
  }
}
