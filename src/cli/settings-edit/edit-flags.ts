import type { FlagSpec } from '../arguments/spec.ts';
import { scopes } from './settings-files.ts';

/** Flags of commands that change settings. */
export const dryRunFlag = {
  'dry-run': { kind: 'switch', summary: 'show what would be written, and write nothing' },
} as const satisfies Readonly<Record<string, FlagSpec>>;

export const scopeFlag = {
  scope: {
    kind: 'text',
    value: 'whose',
    summary: 'whose settings; default: those that configure the hook',
    choices: scopes,
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

/** The scope that was given, as one. */
export const scopeOf = (given: string | undefined): (typeof scopes)[number] | undefined =>
  scopes.find((scope) => scope === given);
