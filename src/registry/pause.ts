import type { ConfiguredHook } from './configured-hook.ts';

/** How a pause ends before its time. */
export const END_PAUSE = 'hookwright off --end';

/** What is said about hooks that a person switched off for a while. */
export const pausedUntil = (until: number): string =>
  `hookwright off switched hooks off until ${new Date(until).toISOString()}; ${END_PAUSE} switches them on again`;

/** A pause is for hooks that were read from files: what a program brings in its code is its own affair. */
export const isPausable = ({ source }: Pick<ConfiguredHook, 'source'>): boolean => source.file !== undefined;

/** The same hook as long as the pause lasts. One that is off for good has that said of it. */
export const paused = (hook: ConfiguredHook, until: number): ConfiguredHook =>
  !isPausable(hook) || hook.barriers.includes('hooks-disabled')
    ? hook
    : { ...hook, barriers: ['hooks-disabled', ...hook.barriers], pause: pausedUntil(until) };
