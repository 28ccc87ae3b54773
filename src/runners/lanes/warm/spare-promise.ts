import { isSameList } from '../../../kit/index.ts';
import { RUN_MARKER } from '../../environment.ts';
import type { ProcessRequest } from '../../process/run-process.ts';
import { filesOf, stampOf } from './stamps.ts';

type Launch = Pick<ProcessRequest, 'file' | 'args' | 'cwd' | 'env'>;

/** The same variables, but for the one that is another in each process. */
const isSameEnvironment = (a: Launch['env'], b: Launch['env']): boolean => {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name === RUN_MARKER || a[name] === b[name]);
};

/**
 * What a process that is started ahead will do when its event comes: what its hook means now, in files as they are now.
 * Should any of that be another, it is no longer what the hook means.
 */
export class SparePromise {
  readonly #launch: Launch;
  readonly #watch: readonly string[];
  readonly #files: readonly string[];
  readonly #stamps: readonly string[];

  constructor(launch: Launch, watch: readonly string[] = []) {
    this.#launch = launch;
    this.#watch = [...watch];
    this.#files = filesOf(launch, watch);
    this.#stamps = this.#files.map(stampOf);
  }

  holdsFor(launch: Launch, watch: readonly string[] = []): boolean {
    const { file, args, cwd, env } = this.#launch;
    return (
      launch.file === file &&
      launch.cwd === cwd &&
      isSameList(launch.args, args) &&
      isSameList(watch, this.#watch) &&
      isSameEnvironment(launch.env, env) &&
      isSameList(this.#files.map(stampOf), this.#stamps)
    );
  }
}
