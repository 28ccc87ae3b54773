/** Notices guards that appear after the hooks of a folder were loaded. */
import type { AbilityHook, ConfigProblem, Logger } from '../../protocol/index.ts';
import { stampOf } from '../../trust/index.ts';
import { readHookFile } from '../declaration/read-hook-file.ts';
import { type FoundHooks, findHooks } from '../find-hooks.ts';
import { fileProblem } from './unread-declarations.ts';

const EVERY_MS = 1_000;

/** Reports guards that were added or enabled after loading: they do not run. */
export class NewGuards {
  /** One problem for each guard that was added or enabled after loading, until it is removed or disabled. */
  problems: readonly ConfigProblem[] = [];
  readonly #found: FoundHooks;
  readonly #loaded: ReadonlySet<string>;
  readonly #logger: Logger | undefined;
  #marks: ReadonlyMap<string, string>;
  #lookedAt = performance.now();
  #looking: Promise<void> | undefined;

  constructor(found: FoundHooks, hooks: readonly AbilityHook[], logger: Logger | undefined) {
    this.#found = found;
    this.#logger = logger;
    this.#loaded = new Set(hooks.filter(({ enabled }) => enabled).map(({ file }) => file));
    this.#marks = new Map(found.files.map((file) => [file, stampOf(file) ?? '']));
  }

  /** Checks the folder in the background if a check is due. */
  look(): void {
    if (this.#looking !== undefined || performance.now() - this.#lookedAt < EVERY_MS) return;
    this.#looking = this.#look().finally(() => {
      this.#lookedAt = performance.now();
      this.#looking = undefined;
    });
  }

  async idle(): Promise<void> {
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { directory, root, realRoot } = this.#found;
    const { files } = await findHooks(directory, root);
    const marks = new Map(files.map((file) => [file, stampOf(file) ?? '']));
    const isSame = marks.size === this.#marks.size && files.every((file) => marks.get(file) === this.#marks.get(file));
    if (isSame) return;
    const known = new Map(this.problems.map((problem) => [problem.file, problem]));
    const changed = files.filter((file) => !this.#loaded.has(file) && marks.get(file) !== this.#marks.get(file));
    const kept = files.flatMap((file) => (changed.includes(file) ? [] : (known.get(file) ?? [])));
    const found = changed.flatMap((file) => {
      const { hook, id = file, remains } = readHookFile(file, realRoot);
      const { enabled, blocking } = hook ?? remains ?? {};
      return enabled === false || blocking === false ? [] : fileProblem(file, 'not-loaded', textOf(id));
    });
    for (const { file, message } of found) if (!known.has(file)) this.#logger?.error?.(message);
    this.#marks = marks;
    this.problems = [...kept, ...found];
  }
}

const textOf = (id: string): string =>
  `"${id}" was added or switched on after the hooks were loaded, so it is not asked; load the hooks again`;
