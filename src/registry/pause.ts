// A pause: the user disables all hooks from files until a time.
import { formatLocalTime } from '../kit/index.ts';
import type { Clock, Logger } from '../protocol/index.ts';
import type { ConfiguredHook } from './configured-hook.ts';

export const END_PAUSE = 'hookwright enable --all';

export const pausedUntil = (until: number): string =>
  `hooks are switched off until ${formatLocalTime(until)}; ${END_PAUSE} switches them on again`;

const PAUSE_OVER = 'The time is over for which hooks were switched off: they run again';

/** Notices at each check that a pause began or ended; needs no reload and no timer. */
export class PauseFollower {
  readonly #readEnd: () => number | undefined;
  readonly #logger: Logger | undefined;
  /** The end of the pause at the last check; `undefined` without a pause. */
  until: number | undefined;

  constructor(readEnd: () => number | undefined, logger: Logger | undefined) {
    this.#readEnd = readEnd;
    this.#logger = logger;
  }

  /** Whether the pause changed since the last check; logs it unless the caller reports it. */
  look(clock: Clock, isReported = false): boolean {
    const wished = this.#readEnd();
    // Runs with each event, and reading the clock would cost more than the rest.
    if (wished === undefined && this.until === undefined) return false;
    const until = wished === undefined || wished <= clock.now() ? undefined : wished;
    if (until === this.until) return false;
    this.until = until;
    if (isReported) return true;
    if (until === undefined) this.#logger?.log?.(PAUSE_OVER);
    else this.#logger?.warn?.(pausedUntil(until));
    return true;
  }
}

/** A pause affects hooks from files; hooks from code belong to the program. */
export const isPausable = ({ source }: Pick<ConfiguredHook, 'source'>): boolean => source.file !== undefined;

/** Adds the pause to a hook, unless all hooks are disabled anyway. */
export const pausedHook = (hook: ConfiguredHook, until: number): ConfiguredHook =>
  !isPausable(hook) || hook.barriers.includes('hooks-disabled')
    ? hook
    : { ...hook, barriers: ['hooks-disabled', ...hook.barriers], switchedOff: pausedUntil(until) };
