// Follows a pause, in which the user disabled all hooks from files until a time.
import { formatLocalTime } from '../kit/index.ts';
import { type Clock, callSafely, type Logger } from '../protocol/index.ts';
import type { ConfiguredHook } from './configured-hook.ts';

export const END_PAUSE_COMMAND = 'hookwright enable --all';

export const formatPausedUntil = (until: number): string =>
  `hooks are switched off until ${formatLocalTime(until)}; ${END_PAUSE_COMMAND} switches them on again`;

const PAUSE_OVER_TEXT = 'The time is over for which hooks were switched off: they run again';

export class PauseFollower {
  readonly #readEnd: () => number | undefined;
  readonly #logger: Logger | undefined;
  until: number | undefined;

  constructor(readEnd: () => number | undefined, logger: Logger | undefined) {
    this.#readEnd = readEnd;
    this.#logger = logger;
  }

  /** Returns whether the pause began or ended since the last check; logs it unless the caller reports it. */
  update(clock: Clock, isReported = false): boolean {
    const wished = callSafely(this.#logger, 'getHooksOffUntil', this.#readEnd);
    // This runs at each event, and reading the clock takes longer than the rest.
    if (wished === undefined && this.until === undefined) return false;
    const until = wished === undefined || wished <= clock.now() ? undefined : wished;
    if (until === this.until) return false;
    this.until = until;
    if (isReported) return true;
    if (until === undefined) this.#logger?.log?.(PAUSE_OVER_TEXT);
    else this.#logger?.warn?.(formatPausedUntil(until));
    return true;
  }
}

/** Hooks without a file belong to the program, so a pause does not apply to them. */
export const pauseHook = (hook: ConfiguredHook, until: number): ConfiguredHook =>
  hook.source.file === undefined || hook.skipReasons.includes('hooks-disabled')
    ? hook
    : { ...hook, skipReasons: ['hooks-disabled', ...hook.skipReasons], switchedOff: formatPausedUntil(until) };
