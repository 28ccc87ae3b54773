/** Flags and arguments of the commands that call abilities. */
import type { ArgumentSpec, FlagSpec } from '../arguments/spec.ts';

export const trustFlag = {
  'trust-project': {
    kind: 'switch',
    summary: 'use project abilities and hooks without approval; nothing is stored',
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

export const callFlags = {
  ci: { kind: 'switch', summary: 'the caller is a pipeline; default if CI is set' },
  environment: {
    kind: 'text',
    value: 'name',
    summary: 'the environment of this run, for abilities that are limited to some',
  },
  caller: {
    kind: 'text',
    value: 'source',
    summary: 'the caller; default: you, or a pipeline if CI is set',
    choices: ['background_job', 'ci_pipeline', 'manual_cli'],
  },
  'skip-unapproved': {
    kind: 'list',
    value: 'id',
    summary: 'continue without these hooks if they are not approved or cannot be read',
  },
  ...trustFlag,
} as const satisfies Readonly<Record<string, FlagSpec>>;

export const inputFlag = {
  input: {
    kind: 'text',
    value: 'json',
    summary: 'the input of the ability, as a JSON object; @file reads a file, - reads stdin',
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

export const abilityArgument = {
  name: 'ability',
  summary: 'its id, or with --operation one of its operations',
  required: true,
} as const satisfies ArgumentSpec;

export const operationFlag = {
  operation: { kind: 'switch', summary: '<ability> is an operation; use the ability that performs it' },
} as const satisfies Readonly<Record<string, FlagSpec>>;
