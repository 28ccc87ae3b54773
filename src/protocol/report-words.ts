// The wording of all reports: names of hooks, missing approvals, problems of settings.
import { printable } from '../kit/index.ts';
import type { ConfigProblem } from './settings/settings.ts';
import type { SkipReason } from './skip-reasons.ts';

const missingApprovalTexts = {
  untrusted: 'it is not approved',
  'changed-since-trusted': 'it changed after it was approved',
} as const;

export type MissingApproval = keyof typeof missingApprovalTexts;

export const isUnapproved = (reason: SkipReason | undefined): reason is MissingApproval =>
  reason !== undefined && Object.hasOwn(missingApprovalTexts, reason);

export const explainMissingApproval = (reason: MissingApproval, detail?: string): string =>
  `${missingApprovalTexts[reason]}${detail === undefined ? '' : ` (${detail})`}`;

export const REVIEW_HINT = 'review it: hookwright trust';

export const describeUnapproved = (reason: MissingApproval, detail?: string): string =>
  `${explainMissingApproval(reason, detail)}; ${REVIEW_HINT}`;

const MAX_NAME_LENGTH = 32;

const SCRIPT_PATTERN = /(?:^|[/\\\s"'])([\w.-]+\.(?:sh|bash|zsh|py|mjs|cjs|js|ts|rb|pl|ps1|php))(?=["'\s]|$)/;

/** A hook without a name has its command line as name; a long one is shortened to its script or its start. */
export const shortenHookName = (name: string): string => {
  if (name.length <= MAX_NAME_LENGTH || !/[\s/\\"']/.test(name)) return name;
  const [, script] = SCRIPT_PATTERN.exec(name) ?? [];
  if (script !== undefined && script.length <= MAX_NAME_LENGTH) return script;
  return `${name.slice(0, MAX_NAME_LENGTH - 1).trimEnd()}…`;
};

export const findByName = <T>(wish: string, all: readonly T[], nameOf: (one: T) => string): readonly T[] => {
  const exactly = all.filter((one) => nameOf(one) === wish);
  if (exactly.length > 0) return exactly;
  const shortly = all.filter((one) => shortenHookName(nameOf(one)) === wish);
  return new Set(shortly.map(nameOf)).size === 1 ? shortly : [];
};

const removeBaseDirectory = (file: string, base: string | undefined): string => {
  if (base === undefined || base === '' || !file.startsWith(base)) return file;
  const rest = file.slice(base.length);
  return /^[\\/]./.test(rest) ? rest.slice(1) : file;
};

/**
 * For example `.hookwright/settings.json:7:20 hooks.BeforeTool[0] must be an object`. Files below `base` are relative
 * to it.
 */
export const formatProblem = (
  { file, line, column, message, hint }: Pick<ConfigProblem, 'file' | 'line' | 'column' | 'message' | 'hint'>,
  base?: string,
): string => {
  const text = hint === undefined || message.includes(hint) ? message : `${message}; ${hint}`;
  if (file === undefined) return printable(text);
  const position = line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`;
  return printable(`${removeBaseDirectory(file, base)}${position} ${text}`);
};
