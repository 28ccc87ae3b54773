import { join } from 'node:path';
import * as z from 'zod/mini';
import { once, parseJson } from '../../kit/index.ts';
import { ensureDirectory, readOwnFile, sha256, writeOwnFile } from '../../kit/node.ts';
import { oneAtATime } from '../../trust/index.ts';

const changeSchema = once(() =>
  z.object({
    at: z.string(),
    /** What was done, such as `disable`, and to what. */
    verb: z.string(),
    name: z.string(),
    /** The text before; absent when there was no file. */
    before: z.optional(z.string()),
    /** Stands for the text after: only an unchanged file is undone. Absent when the file was removed. */
    after: z.optional(z.string()),
    /** Whether it was recorded before that the user wants the hook off; of changes to a project's settings. */
    wasOff: z.optional(z.boolean()),
    /** Files that were made along with it, and what stands for their content. */
    made: z.optional(z.array(z.object({ path: z.string(), sha256: z.string() }))),
  }),
);

const logSchema = once(() => z.object({ version: z.literal(1), file: z.string(), changes: z.array(changeSchema()) }));

export type SettingsChange = z.infer<ReturnType<typeof changeSchema>>;

const MAX_CHANGES = 20;
const MAX_LOG_BYTES = 8 * 1_048_576;

/**
 * What our own commands changed in settings files. It is kept in the user's home and not beside the files: what a project
 * brings along must not be able to say what a file looked like before.
 */
export class UndoLog {
  readonly #directories: readonly string[];

  constructor(home: string) {
    const own = join(home, '.hookwright');
    this.#directories = [own, join(own, 'undo')];
  }

  #pathOf(target: string, ending: string): string {
    return join(this.#directories[1] ?? '', `${sha256(target).slice(0, 32)}.${ending}`);
  }

  /** Does something to a file while no other command of ours does. */
  async alone<T>(target: string, work: () => Promise<T>): Promise<T> {
    for (const directory of this.#directories) await ensureDirectory(directory);
    return oneAtATime(this.#pathOf(target, 'lock'), work);
  }

  /** The changes of a file, the latest last. A log that cannot be read is none: then nothing can be undone. */
  async changesOf(target: string): Promise<readonly SettingsChange[]> {
    const found = readOwnFile(this.#pathOf(target, 'json'), { maxBytes: MAX_LOG_BYTES, private: true });
    const parsed = 'text' in found ? parseJson(found.text) : undefined;
    const checked = parsed?.ok === true ? logSchema().safeParse(parsed.value) : undefined;
    return checked?.success === true && checked.data.file === target ? checked.data.changes : [];
  }

  /** Replaces the changes of a file; the oldest go when there are too many. Call it `alone`. */
  async keep(target: string, changes: readonly SettingsChange[]): Promise<void> {
    let kept = changes.slice(-MAX_CHANGES);
    const logText = (): string => `${JSON.stringify({ version: 1, file: target, changes: kept }, undefined, 2)}\n`;
    while (kept.length > 1 && Buffer.byteLength(logText()) > MAX_LOG_BYTES) kept = kept.slice(1);
    await writeOwnFile(this.#pathOf(target, 'json'), logText(), 0o600);
  }
}

/** Whether a file still is what a change made of it. */
export const isUntouched = ({ after }: SettingsChange, text: string | undefined): boolean =>
  after === (text === undefined ? undefined : sha256(text));
