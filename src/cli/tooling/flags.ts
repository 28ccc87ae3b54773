import type { ArgumentSpec, FlagSpec } from '../arguments/spec.ts';

export const trustFlag = {
  'trust-project': {
    kind: 'switch',
    summary: 'use abilities and hooks of the project although nobody approved them; nothing is stored',
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

/** Flags of commands that ask hooks and may run something. */
export const callFlags = {
  ci: { kind: 'switch', summary: 'the caller is a pipeline; so it is where CI is set' },
  environment: {
    kind: 'text',
    value: 'name',
    summary: 'where this runs, for abilities that may not be used everywhere',
  },
  caller: {
    kind: 'text',
    value: 'source',
    summary: 'who calls; you, or a pipeline where CI is set',
    choices: ['background_job', 'ci_pipeline', 'manual_cli'],
  },
  'skip-unapproved': {
    kind: 'list',
    value: 'id',
    summary: 'go on without these hooks, which would check this and are not approved or cannot be read',
  },
  ...trustFlag,
} as const satisfies Readonly<Record<string, FlagSpec>>;

export const inputFlag = {
  input: {
    kind: 'text',
    value: 'json',
    summary: 'what the ability takes, as a JSON object; @file reads a file, - reads stdin',
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

export const abilityArgument = {
  name: 'ability',
  summary: 'its id, or with --operation one of the operations it does',
  required: true,
} as const satisfies ArgumentSpec;

export const operationFlag = {
  operation: { kind: 'switch', summary: 'what is named is an operation; the ability that does it is meant' },
} as const satisfies Readonly<Record<string, FlagSpec>>;
