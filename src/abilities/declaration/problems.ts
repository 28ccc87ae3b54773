// Creates the problems that report mistakes in declarations.
import { abilityEventTypes } from '../../events/index.ts';
import { appendToPath, describeValue, findNearestName, omitUndefined } from '../../kit/index.ts';
import { type ConfigProblem, ConfigSource, handlerKinds, type NoticeCode } from '../../protocol/index.ts';

/** Path of a field, without list positions → the expected value in words. */
const expectedValueByField: Readonly<Record<string, string>> = {
  '': 'a declaration: id, event_type, enabled, blocking and handler',
  id: 'a name of letters, digits, "-", "_" and ".", e.g. guard-edit-file',
  event_type: `one of ${abilityEventTypes.join(', ')}`,
  enabled: 'true or false',
  blocking: 'true or false',
  summary: 'a text',
  match: 'an object with ability_scope, min_duration_ms or only_if_changed_paths',
  'match.ability_scope': 'a glob over ability ids or a list of them',
  'match.min_duration_ms': 'milliseconds as a number, 0 or more',
  'match.only_if_changed_paths': 'a glob over paths or a list of them',
  handler: 'an object with kind and command',
  'handler.kind': `one of ${handlerKinds.join(', ')}`,
  'handler.command': 'a script or a command line, e.g. ./guards/edit.sh',
  'handler.args': 'a list of texts',
  'handler.timeout_ms': 'milliseconds as a number over 0',
  on_fault: 'skip or fail',
  effects: 'a list of texts and of single keys with a text',
};

export const listKeysAt = (path: string): readonly string[] => {
  const prefix = path === '' ? '' : `${path}.`;
  return Object.keys(expectedValueByField)
    .filter((key) => key !== '' && key.startsWith(prefix) && !key.slice(prefix.length).includes('.'))
    .map((key) => key.slice(prefix.length));
};

const choicesByField: Readonly<Record<string, readonly string[]>> = {
  event_type: abilityEventTypes,
  'handler.kind': handlerKinds,
};

const booleanBySpelling: Readonly<Record<string, string>> = {
  yes: 'true',
  on: 'true',
  y: 'true',
  no: 'false',
  off: 'false',
  n: 'false',
};

const findHint = (field: string, value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined;
  const near = findNearestName(value, choicesByField[field] ?? []);
  if (near !== undefined) return `did you mean "${near}"?`;
  const truth = expectedValueByField[field] === 'true or false' ? booleanBySpelling[value.toLowerCase()] : undefined;
  if (truth !== undefined) return `write ${truth}`;
  const seconds = field.endsWith('_ms') ? /^\s*(\d+(?:\.\d+)?)\s*s\s*$/i.exec(value)?.[1] : undefined;
  return seconds === undefined ? undefined : `write ${Math.round(Number(seconds) * 1_000)}`;
};

export interface DeclarationProblem {
  readonly code: NoticeCode;
  readonly skipped: boolean;
  readonly isError?: boolean;
  readonly path: string;
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  readonly hint?: string;
}

export const createMismatchProblem = (path: string, value: unknown): DeclarationProblem => {
  const field = path.replace(/\[\d+\]/g, '');
  const expected =
    expectedValueByField[field] ?? expectedValueByField[field.replace(/\.[^.]*$/, '')] ?? 'something else';
  const found = describeValue(value);
  const hint = findHint(field, value);
  const what = path === '' ? 'The file' : path;
  const message = `${what} must be ${expected}, found ${found}${hint === undefined ? '' : `; ${hint}`}`;
  return omitUndefined({ code: 'invalid-value', skipped: true, path, message, expected, found, hint });
};

export const createUnknownKeyProblem = (path: string, key: string): DeclarationProblem => {
  const known = listKeysAt(path);
  const near = findNearestName(key, known);
  const section = Object.keys(expectedValueByField)
    .find((each) => each.endsWith(`.${key}`))
    ?.replace(/\.[^.]*$/, '');
  const hint =
    section !== undefined && section !== path
      ? `put it below ${section}:`
      : near === undefined
        ? `known keys: ${known.join(', ')}`
        : `did you mean "${near}"?`;
  const full = appendToPath(path, key);
  return {
    code: 'unknown-key',
    skipped: false,
    path: full,
    message: `the key "${full}" is unknown and has no effect; ${hint}`,
    hint,
  };
};

export const createDeclarationWarning = (path: string, message: string): DeclarationProblem => ({
  code: 'invalid-value',
  skipped: false,
  path,
  message,
});

export const createFileProblem = (
  file: string,
  code: 'unreadable-file' | 'removed' | 'not-loaded',
  message: string,
): ConfigProblem => ({
  code,
  severity: code === 'removed' ? 'warning' : 'error',
  skipped: code !== 'removed',
  path: '',
  source: ConfigSource.Project,
  message,
  file,
});
