/** Flags and arguments of the commands that call abilities. */
import { type ArgumentSpec, defineFlags } from '../arguments/spec.ts';

export const trustFlag = defineFlags({
  'trust-project': {
    kind: 'switch',
    summary: 'use project abilities and hooks without approval; nothing is stored',
  },
});

export const callFlags = defineFlags({
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
});

export const inputFlag = defineFlags({
  input: {
    kind: 'text',
    value: 'json',
    summary: 'the input of the ability, as a JSON object; @file reads a file, - reads stdin',
  },
});

export const abilityArgument = {
  name: 'ability',
  summary: 'its id, or with --operation one of its operations',
  required: true,
} as const satisfies ArgumentSpec;

export const operationFlag = defineFlags({
  operation: { kind: 'switch', summary: '<ability> is an operation; use the ability that performs it' },
});
