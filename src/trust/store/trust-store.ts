// Reads and writes the file with a user's approvals, and the texts of approved scripts.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { lstat, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HookwrightError } from '../../errors.ts';
import { createSlicer, describeThrown, escapeUnprintable, isRecord } from '../../kit/index.ts';
import {
  checkDirectory,
  createFileNow,
  ensureDirectory,
  findRealPath,
  isMissingFileError,
  isWithin,
  readErrorCode,
  readPrivateJson,
  sha256,
  toPathWithin,
  writePrivateFile,
} from '../../kit/node.ts';
import { type Approval, type ApprovalStore, emptyStore, storeSchema, toKnownGuard } from '../approval.ts';
import { readFileStamp, readOwnershipStamp } from '../file-stamps.ts';
import { whyHomeReplaceable } from '../ownership.ts';

const MAX_STORE_BYTES = 8 * 1_048_576;

interface StoreReading {
  readonly store: ApprovalStore;
  readonly trouble?: string | undefined;
  /** Set for a store of version 1: its approvals are ignored, and the next approval replaces the file. */
  readonly isOutdated?: boolean;
}

const parseStore = (value: unknown): ApprovalStore | undefined => {
  try {
    const checked = storeSchema().safeParse(value);
    return checked.success ? checked.data : undefined;
  } catch {
    // The validator throws on a value that nests too deep.
    return undefined;
  }
};

export class TrustStore {
  readonly directory: string;
  readonly file: string;
  readonly texts: ApprovedTexts;

  constructor(home: string) {
    this.directory = join(home, '.hookwright');
    this.file = join(this.directory, 'trust.json');
    this.texts = new ApprovedTexts(join(this.directory, 'approved'));
  }

  /** A relative home would lead into the working directory, whose files belong to a repository. */
  #placeProblem(): string | undefined {
    return isAbsolute(this.file) ? undefined : `${this.file} is not absolute; set HOME to the full path of a directory`;
  }

  async #read(): Promise<StoreReading> {
    const nothing = (why: string): StoreReading => ({ store: emptyStore, trouble: `Nothing is trusted: ${why}` });
    const problem = this.#placeProblem();
    if (problem !== undefined) return nothing(problem);
    const directory = await checkDirectory(this.directory, 'private');
    if (directory === 'missing') return { store: emptyStore };
    if (directory !== 'usable') return nothing(directory.trouble);
    // A user who can write the home directory can replace the directory of the store.
    const home = dirname(this.directory);
    const open = whyHomeReplaceable(home);
    if (open !== undefined) return nothing(`${home} ${open}`);
    const { value, missing, trouble } = readPrivateJson(this.file, { maxBytes: MAX_STORE_BYTES, private: true });
    if (missing) return { store: emptyStore };
    if (trouble !== undefined) return nothing(trouble);
    const store = parseStore(value);
    if (store !== undefined) return { store };
    // Approvals of version 1 covered less, so later changes cannot be found.
    if (isRecord(value) && value.version === 1) {
      return {
        ...nothing(`${this.file} is of an older form, whose approvals do not count; approve again`),
        isOutdated: true,
      };
    }
    return nothing(`${this.file} is not a trust store of version 2; move it away and approve again`);
  }

  stamps(): readonly (string | undefined)[] {
    const ownership = [findRealPath(dirname(this.directory)) ?? '', this.directory].map(readOwnershipStamp);
    return [...ownership, readFileStamp(this.file, { follow: false })];
  }

  async approvalsFor(
    projectDir: string,
  ): Promise<{ approvals: readonly Approval[]; off: readonly string[]; trouble?: string | undefined }> {
    const { store, trouble } = await this.#read();
    const key = resolveProjectKey(projectDir);
    const project = Object.hasOwn(store.projects, key) ? store.projects[key] : undefined;
    return { approvals: project?.approvals ?? [], off: project?.off ?? [], trouble };
  }

  /** Returns the nearest directory first; the home directory and its parents are ignored. */
  async guardedAbove(
    projectDir: string,
    isGuard: (approval: Approval) => boolean = (approval) => toKnownGuard(approval) !== undefined,
  ): Promise<string[]> {
    const { store } = await this.#read();
    const home = resolveProjectKey(dirname(this.directory));
    const inner = resolveProjectKey(projectDir);
    return Object.entries(store.projects)
      .filter(([outer, { approvals }]) => {
        const isAbove = toPathWithin(outer, inner) !== undefined && !isWithin(outer, home);
        return isAbove && approvals.some(isGuard);
      })
      .map(([outer]) => outer)
      .sort((a, b) => b.length - a.length);
  }

  /** Holds the lock file while it reads, changes and writes, so that no concurrent change is lost. */
  async change(
    projectDir: string,
    change: (approvals: readonly Approval[]) => readonly Approval[],
    texts: readonly string[] = [],
    switchOff: (names: readonly string[]) => readonly string[] = (names) => names,
  ): Promise<void> {
    const key = resolveProjectKey(projectDir);
    const problem = this.#placeProblem();
    if (problem !== undefined)
      throw new HookwrightError('invalid_config', `Nothing is approved or revoked: ${problem}`);
    await ensureDirectory(this.directory);
    await withLockFile(`${this.file}.lock`, MAX_LOCK_WAIT_MS, async (isOurs) => {
      const { store, trouble, isOutdated = false } = await this.#read();
      if (trouble !== undefined && !isOutdated) {
        throw new HookwrightError('invalid_config', `Nothing is approved or revoked. ${trouble}`, {
          details: { file: this.file },
        });
      }
      const before = Object.hasOwn(store.projects, key) ? store.projects[key] : undefined;
      const approvals = [...change(before?.approvals ?? [])];
      const others = Object.entries(store.projects).filter(([directory]) => directory !== key);
      const off = [...new Set(switchOff(before?.off ?? []))];
      const kept = { approvals, ...(off.length === 0 ? {} : { off }) };
      const isEmpty = approvals.length === 0 && off.length === 0;
      const projects = isEmpty ? others : [...others, [key, kept] as const];
      const text = `${JSON.stringify({ version: 2, projects: Object.fromEntries(projects) }, undefined, 2)}\n`;
      if (Buffer.byteLength(text) > MAX_STORE_BYTES) {
        throw new HookwrightError('invalid_config', `${this.file} would have more than ${MAX_STORE_BYTES} bytes`);
      }
      if (!(await isOurs())) {
        throw new HookwrightError('invalid_config', `Another process took over ${this.file} meanwhile; try again`);
      }
      await writePrivateFile(this.file, text, 0o600);
      await this.#keepTexts(texts, [...others.flatMap(([, known]) => known.approvals), ...approvals]);
    });
  }

  async isOff(projectDir: string, name: string): Promise<boolean> {
    return (await this.approvalsFor(projectDir)).off.includes(name);
  }

  async setOff(projectDir: string, name: string, isOff: boolean): Promise<void> {
    if ((await this.isOff(projectDir, name)) === isOff) return;
    const change = (names: readonly string[]) => [...names.filter((one) => one !== name), ...(isOff ? [name] : [])];
    await this.change(projectDir, (approvals) => approvals, [], change);
  }

  /** Approvals do not depend on the texts: without a text, a later review shows only its hash. */
  async #keepTexts(texts: readonly string[], approvals: readonly Approval[]): Promise<void> {
    const hashes = approvals.flatMap(({ files }) => files.map((file) => file.sha256 ?? ''));
    try {
      await this.texts.keepOnly(new Set(hashes));
      await this.texts.keep(texts);
    } catch (error) {
      if (!HookwrightError.is(error) && readErrorCode(error) === undefined) throw error;
    }
  }
}

const resolveProjectKey = (projectDir: string): string => findRealPath(projectDir) ?? projectDir;

/** A change takes milliseconds, so a process that holds the lock longer has died. */
const STALE_LOCK_MS = 10_000;
export const MAX_LOCK_WAIT_MS = 15_000;
const LOCK_RETRY_MS = 15;

const createLock = async (path: string, token: string): Promise<boolean> => {
  try {
    await writeFile(path, token, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (readErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
};

const removeStaleLock = async (path: string): Promise<void> => {
  try {
    const { mtimeMs } = await lstat(path);
    // If the clock was set back, the lock is from the future.
    if (Math.abs(Date.now() - mtimeMs) < STALE_LOCK_MS) return;
    // Several processes may find the lock stale: one renames it, the others find no lock or a new one.
    const aside = `${path}.${randomUUID()}`;
    await rename(path, aside);
    await rm(aside, { force: true });
  } catch (error) {
    if (!isMissingFileError(error)) throw error;
  }
};

const holdsLock = async (path: string, token: string): Promise<boolean> => {
  try {
    return (await readFile(path, 'utf8')) === token;
  } catch (error) {
    if (isMissingFileError(error)) return false;
    throw error;
  }
};

/**
 * Runs `work` under a lock file. After a suspension of the machine another process may have taken the lock, so `work`
 * must call `isOurs` right before a change that must not happen twice.
 */
export const withLockFile = async <T>(
  path: string,
  patienceMs: number,
  work: (isOurs: () => Promise<boolean>) => Promise<T>,
): Promise<T> => {
  const token = randomUUID();
  const startedAt = performance.now();
  try {
    while (!(await createLock(path, token))) {
      if (performance.now() - startedAt > patienceMs) {
        throw new Error(`another process holds it for more than ${patienceMs} ms; remove it if none does`);
      }
      await removeStaleLock(path);
      await sleep(LOCK_RETRY_MS);
    }
  } catch (error) {
    throw new HookwrightError('invalid_config', `${path} could not be taken: ${describeThrown(error)}`, {
      details: { path },
      cause: error,
    });
  }
  try {
    return await work(() => holdsLock(path, token));
  } finally {
    if (await holdsLock(path, token)) await rm(path, { force: true });
  }
};

/** A longer script is kept only as a hash: a terminal could not show its differences. */
export const MAX_SCRIPT_TEXT_BYTES = 262_144;

const MAX_APPROVED_TEXT_FILE_BYTES = 8 * MAX_SCRIPT_TEXT_BYTES;

const APPROVED_TEXT_FILE_PATTERN = /^([0-9a-f]{64})\.json$/;

/** Stores texts of approved scripts, so that a review can show changes. Uses a text only if its hash is approved. */
export class ApprovedTexts {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  #pathOf(hash: string): string {
    return join(this.#directory, `${hash}.json`);
  }

  async textOf(hash: string): Promise<string | undefined> {
    const { value } = readPrivateJson(this.#pathOf(hash), { maxBytes: MAX_APPROVED_TEXT_FILE_BYTES, private: true });
    const text = isRecord(value) ? value.text : undefined;
    return typeof text === 'string' && sha256(text) === hash ? text : undefined;
  }

  async keep(texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return;
    await ensureDirectory(this.#directory);
    const giveTurn = createSlicer();
    for (const text of texts) {
      await giveTurn();
      const hash = sha256(text);
      if ((await this.textOf(hash)) === undefined) this.#write(this.#pathOf(hash), text);
    }
  }

  /** `textOf` ignores a file that a power failure left incomplete, so nothing waits for the disk. */
  #write(path: string, text: string): void {
    rmSync(path, { force: true });
    createFileNow(path, Buffer.from(`${escapeUnprintable(JSON.stringify({ text }))}\n`));
  }

  async keepOnly(hashes: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#directory).catch((error: unknown) => {
      if (isMissingFileError(error)) return [];
      throw error;
    });
    for (const name of names) {
      const [, hash] = APPROVED_TEXT_FILE_PATTERN.exec(name) ?? [];
      if (hash !== undefined && !hashes.has(hash)) await rm(join(this.#directory, name), { force: true });
    }
  }
}
