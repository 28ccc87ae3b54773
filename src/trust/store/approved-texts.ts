import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../kit/index.ts';
import { ensureDirectory, isMissing, readOwnJson, sha256, writeOwnFile } from '../../kit/node.ts';

/** Only the hash of a longer script is kept: a terminal cannot show its difference. */
export const MAX_TEXT_BYTES = 262_144;

/** JSON writes what cannot be seen with six letters. */
const MAX_FILE_BYTES = 8 * MAX_TEXT_BYTES;

const NAME = /^([0-9a-f]{64})\.json$/;

/**
 * What scripts said when they were approved, by hash, so that a changed one can be shown beside what it was. Nothing is
 * trusted because of it: a text counts only where its hash is the one that was approved.
 */
export class ApprovedTexts {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  #pathOf(hash: string): string {
    return join(this.#directory, `${hash}.json`);
  }

  async textOf(hash: string): Promise<string | undefined> {
    const { value } = readOwnJson(this.#pathOf(hash), { maxBytes: MAX_FILE_BYTES, private: true });
    const text = isRecord(value) ? value.text : undefined;
    return typeof text === 'string' && sha256(text) === hash ? text : undefined;
  }

  async keep(texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return;
    await ensureDirectory(this.#directory);
    for (const text of texts) await writeOwnFile(this.#pathOf(sha256(text)), `${JSON.stringify({ text })}\n`, 0o600);
  }

  /** Takes away what no approval knows any more. */
  async keepOnly(hashes: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#directory).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const name of names) {
      const [, hash] = NAME.exec(name) ?? [];
      if (hash !== undefined && !hashes.has(hash)) await rm(join(this.#directory, name), { force: true });
    }
  }
}
