import { localTime } from '../kit/index.ts';
import type { Clock, Logger } from '../protocol/index.ts';
import type { ConfiguredHook } from './configured-hook.ts';

/** How a pause ends before its time. */
export const END_PAUSE = 'hookwright enable --all';

/** What is said about hooks that a person switched off for a while. */
export const pausedUntil = (until: number): string =>
  `hooks are switched off until ${localTime(until)}; ${END_PAUSE} switches them on again`;

const PAUSE_OVER = 'The time is over for which hooks were switched off: they run again';

/** A pause begins and ends by itself, at the first look after that: nothing has to be loaded again, and no timer runs. */
export class PauseFollower {
  readonly #ask: () => number | undefined;
  readonly #logger: Logger | undefined;
  /** Until when hooks were off at the last look, if they were. */
  until: number | undefined;

  constructor(ask: () => number | undefined, logger: Logger | undefined) {
    this.#ask = ask;
    this.#logger = logger;
  }

  /** Whether it changed since the last look; logged unless the caller reports it. */
  look(clock: Clock, isTold = false): boolean {
    const said = this.#ask();
    // With each event; the clock costs more than all the rest of it.
    if (said === undefined && this.until === undefined) return false;
    const until = said === undefined || said <= clock.now() ? undefined : said;
    if (until === this.until) return false;
    this.until = until;
    if (isTold) return true;
    if (until === undefined) this.#logger?.log?.(PAUSE_OVER);
    else this.#logger?.warn?.(pausedUntil(until));
    return true;
  }
}

/** A pause is for hooks that were read from files: what a program brings in its code is its own affair. */
export const isPausable = ({ source }: Pick<ConfiguredHook, 'source'>): boolean => source.file !== undefined;

/** The same hook as long as the pause lasts. One that is off for good has that said of it. */
export const paused = (hook: ConfiguredHook, until: number): ConfiguredHook =>
  !isPausable(hook) || hook.barriers.includes('hooks-disabled')
    ? hook
    : { ...hook, barriers: ['hooks-disabled', ...hook.barriers], switchedOff: pausedUntil(until) };
