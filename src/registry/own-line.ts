import type { HookConfig } from '../protocol/index.ts';

/** `hookwright run … --as-hook`, however hookwright is started: the line that `install` writes for another agent. */
const OWN_LINE = /(?:^|\s)run\s(?:[^;&|]*\s)?--as-hook(?:\s|$)/;

export const isOwnLine = (line: string | undefined): boolean => line !== undefined && OWN_LINE.test(line);

/** Why our own line does not start us once more. */
export const OWN_LINE_HINT = 'This line starts hookwright itself. Its hooks run already, so it does not run here.';

export const startsUs = ({ command, args }: HookConfig): boolean =>
  isOwnLine([command ?? '', ...(args ?? [])].join(' '));
