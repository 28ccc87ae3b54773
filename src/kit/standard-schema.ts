// Validates values with a Standard Schema (standardschema.dev), such as a zod schema.
import { isRecord, shorten } from './json.ts';

/** The part of the interface that hookwright uses. zod, valibot and arktype implement it. */
export interface StandardSchema<Input = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: Input } | undefined;
  };
}

export const isStandardSchema = (value: unknown): value is StandardSchema =>
  (isRecord(value) || typeof value === 'function') &&
  '~standard' in value &&
  isRecord(value['~standard']) &&
  typeof value['~standard'].validate === 'function';

const formatIssuePath = (issue: Record<string, unknown>): string =>
  (Array.isArray(issue.path) ? issue.path : [])
    .map((part: unknown) => (isRecord(part) ? part.key : part))
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');

const describeStandardIssue = (issue: unknown, root: string): string =>
  isRecord(issue) ? `${root}${formatIssuePath(issue)}: ${shorten(String(issue.message))}` : `${root} does not fit`;

export const formatStandardIssues = (result: unknown, root: string): string[] =>
  isRecord(result) && Array.isArray(result.issues)
    ? result.issues.map((issue) => describeStandardIssue(issue, root))
    : [];

export const checkByStandard = async (schema: StandardSchema, input: unknown): Promise<string[]> =>
  formatStandardIssues(await schema['~standard'].validate(input), 'input');
