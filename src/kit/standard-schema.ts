// Validates values with a Standard Schema, such as one of zod.
import { isRecord, shorten } from './json.ts';

/**
 * The part of the Standard Schema interface (standardschema.dev) that is used here. zod, valibot, arktype and others
 * have it.
 */
export interface StandardSchema<Input = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    /** Exists for the compiler only. */
    readonly types?: { readonly input: Input } | undefined;
  };
}

export const isStandardSchema = (value: unknown): value is StandardSchema =>
  (isRecord(value) || typeof value === 'function') &&
  '~standard' in value &&
  isRecord(value['~standard']) &&
  typeof value['~standard'].validate === 'function';

const pathOf = (issue: Record<string, unknown>): string =>
  (Array.isArray(issue.path) ? issue.path : [])
    .map((part: unknown) => (isRecord(part) ? part.key : part))
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');

const describeIssue = (issue: unknown, root: string): string =>
  isRecord(issue) ? `${root}${pathOf(issue)}: ${shorten(String(issue.message))}` : `${root} does not fit`;

/** The issues in the result of a schema, each with the path below `root`. */
export const standardIssues = (result: unknown, root: string): string[] =>
  isRecord(result) && Array.isArray(result.issues) ? result.issues.map((issue) => describeIssue(issue, root)) : [];

/** The issues of an input under a schema of another library; empty if it is valid. */
export const checkByStandard = async (schema: StandardSchema, input: unknown): Promise<string[]> => {
  return standardIssues(await schema['~standard'].validate(input), 'input');
};
