import { readBeginning } from '../../kit/node.ts';
import { ownFiles } from './own-files.ts';

/** Nobody writes down so much by hand, and half a line must not be run. */
const MAX_BYTES = 65_536;

/** The file in which one run of a hook may write down variables for the session. */
export class EnvironmentFile {
  readonly #made = ownFiles.write('environment.sh', '');
  #trouble = 'trouble' in this.#made ? this.#made.trouble : undefined;

  /** Where it lies, for the hook. */
  get path(): string | undefined {
    return 'path' in this.#made ? this.#made.path : undefined;
  }

  /** Why nothing of it counts. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** What the hook wrote; the file is gone after that. */
  take(): string {
    if (this.path === undefined) return '';
    const text = readBeginning(this.path, MAX_BYTES + 1)?.toString('utf8') ?? '';
    ownFiles.remove(this.path);
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
    this.#trouble = `it has more than ${MAX_BYTES} bytes`;
    return '';
  }
}
