/** Reports guards that are added to a folder, or switched on, after its hooks were loaded. */
import type { AbilityHook, ConfigProblem, Logger } from '../../protocol/index.ts';
import { readFileSafely } from '../../settings/index.ts';
import { readFileStamp } from '../../trust/index.ts';
import { createFileProblem } from '../declaration/problems.ts';
import { readHookFile } from '../declaration/read-hook-file.ts';
import { type FoundHooks, findHooks } from '../find-hooks.ts';

const NEW_GUARD_CHECK_INTERVAL_MS = 1_000;

export class NewGuards {
  problems: readonly ConfigProblem[] = [];
  readonly #found: FoundHooks;
  readonly #loaded: ReadonlySet<string>;
  readonly #logger: Logger | undefined;
  /** Texts of broken and disabled declarations, because the stamp of a file that was just written changes by itself. */
  readonly #unusedTexts: ReadonlyMap<string, string | undefined>;
  #stamps: ReadonlyMap<string, string>;
  #checkedAt = performance.now();
  #checking: Promise<void> | undefined;

  constructor(found: FoundHooks, hooks: readonly AbilityHook[], logger: Logger | undefined) {
    this.#found = found;
    this.#logger = logger;
    this.#loaded = new Set(hooks.filter(({ enabled }) => enabled).map(({ file }) => file));
    const unused = found.files.filter((file) => !this.#loaded.has(file));
    this.#unusedTexts = new Map(unused.map((file) => [file, readText(file)]));
    this.#stamps = new Map(found.files.map((file) => [file, readFileStamp(file) ?? '']));
  }

  checkIfDue(): void {
    if (this.#checking !== undefined || performance.now() - this.#checkedAt < NEW_GUARD_CHECK_INTERVAL_MS) return;
    this.#checking = this.#check().finally(() => {
      this.#checkedAt = performance.now();
      this.#checking = undefined;
    });
  }

  async idle(): Promise<void> {
    await this.#checking;
  }

  async #check(): Promise<void> {
    const { directory, root, realRoot } = this.#found;
    const { files } = await findHooks(directory, root);
    const stamps = new Map(files.map((file) => [file, readFileStamp(file) ?? '']));
    const isUnchanged =
      stamps.size === this.#stamps.size && files.every((file) => stamps.get(file) === this.#stamps.get(file));
    if (isUnchanged) return;
    const known = new Map(this.problems.map((problem) => [problem.file, problem]));
    const changed = files.filter((file) => !this.#loaded.has(file) && stamps.get(file) !== this.#stamps.get(file));
    const kept = files.flatMap((file) => (changed.includes(file) ? [] : (known.get(file) ?? [])));
    const found = changed.flatMap((file) => {
      if (this.#unusedTexts.has(file) && this.#unusedTexts.get(file) === readText(file)) return [];
      const { hook, id = file, remains } = readHookFile(file, realRoot);
      const { enabled, blocking } = hook ?? remains ?? {};
      return enabled === false || blocking === false ? [] : createFileProblem(file, 'not-loaded', describeNewGuard(id));
    });
    for (const { file, message } of found) if (!known.has(file)) this.#logger?.error?.(message);
    this.#stamps = stamps;
    this.problems = [...kept, ...found];
  }
}

const readText = (file: string): string | undefined => {
  const content = readFileSafely(file);
  return content.kind === 'text' ? content.text : undefined;
};

const describeNewGuard = (id: string): string =>
  `"${id}" was added or switched on after the hooks were loaded, so it is not asked; load the hooks again`;
