// The file of a task: its content, and how the process that has claimed the task changes it.
import * as z from 'zod/mini';
import { abilityContexts, abilityStatuses } from '../../../events/index.ts';
import { escapeUnprintable, once, parseJson } from '../../../kit/index.ts';
import { replaceFile } from '../../ability-files.ts';
import { releaseClaim, removeClaims } from './claims.ts';
import { isTaskKey, taskFileName } from './task-files.ts';

const TASK_VERSION = 1;

export const storedStates = ['created', 'running', ...abilityStatuses] as const;
export type StoredState = (typeof storedStates)[number];

/** `interrupted`: the process that ran the task is gone, so the task may be half done. */
export type TaskState = StoredState | 'interrupted';

const storedTaskSchema = once(() => {
  const { ability_ref, caller } = abilityContexts.PreAbilityCreate().shape;
  return z.object({
    version: z.literal(TASK_VERSION),
    task_key: z.custom<string>(isTaskKey, 'the key of a task'),
    ability_id: z.string(),
    ability_ref,
    state: z.enum(storedStates),
    input: z.optional(z.unknown()),
    environment: z.optional(z.unknown()),
    session_id: z.optional(z.string()),
    caller,
    created_at: z.string(),
    started_at: z.optional(z.string()),
    ended_at: z.optional(z.string()),
    duration_ms: z.optional(z.number()),
    attempts: z.number(),
    run_id: z.optional(z.string()),
    output: z.optional(z.unknown()),
    output_summary: z.optional(z.string()),
    error_message: z.optional(z.string()),
  });
});

export type StoredTask = Readonly<z.infer<ReturnType<typeof storedTaskSchema>>>;

export type TaskRecord = Omit<StoredTask, 'state' | 'version'> & { readonly state: TaskState };

export type NewTask = Pick<
  StoredTask,
  'ability_id' | 'ability_ref' | 'input' | 'environment' | 'session_id' | 'caller' | 'created_at'
>;

export const createStoredTask = (key: string, task: NewTask): StoredTask => ({
  version: TASK_VERSION,
  task_key: key,
  state: 'created',
  attempts: 0,
  ...task,
});

const finalStates: ReadonlySet<TaskState> = new Set(abilityStatuses);

export const isFinished = (state: TaskState): boolean => finalStates.has(state);

export type ReadTask =
  | { readonly ok: true; readonly task: StoredTask }
  | { readonly ok: false; readonly problem: string };

export const readTask = (key: string, text: string): ReadTask => {
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, problem: `is not JSON: ${parsed.message}` };
  const read = storedTaskSchema().safeParse(parsed.value);
  if (!read.success) {
    const issues = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    return { ok: false, problem: `is not a task of this version: ${issues}` };
  }
  if (read.data.task_key !== key) return { ok: false, problem: `says that it is ${read.data.task_key}` };
  return { ok: true, task: read.data };
};

export const serializeTask = (task: StoredTask): string => `${escapeUnprintable(JSON.stringify(task, null, 2))}\n`;

/** A task that no other process can run or change until it is released. */
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

  async update(change: Partial<StoredTask>): Promise<void> {
    const task = { ...this.#task, ...change };
    await replaceFile(this.#directory, taskFileName(task.task_key), serializeTask(task));
    this.#task = task;
  }

  async release(): Promise<void> {
    const { task_key, state } = this.#task;
    if (isFinished(state)) await removeClaims(this.#directory, task_key);
    else await releaseClaim(this.#directory, task_key, this.#generation);
  }
}
