import { rmSync } from 'node:fs';
import { fileText } from '../file-text.ts';
import { ownFiles } from './own-files.ts';

/** The file in which one run of a hook may write down variables for the session. */
export class EnvironmentFile {
  readonly #made = ownFiles.write('environment.sh', '');

  /** Where it lies, for the hook. */
  get path(): string | undefined {
    return 'path' in this.#made ? this.#made.path : undefined;
  }

  get trouble(): string | undefined {
    return 'trouble' in this.#made ? this.#made.trouble : undefined;
  }

  /** What the hook wrote; the file is gone after that. */
  take(): string {
    if (this.path === undefined) return '';
    const text = fileText(this.path);
    rmSync(this.path, { force: true });
    return text;
  }
}
