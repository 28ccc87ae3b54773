/** Checks values against a Standard Schema, such as one of zod. */
import { isRecord, shorten } from './json.ts';

/**
 * What zod, valibot, arktype and others have in common (standardschema.dev), as far as it is needed here: given in code,
 * any of their schemas describes a value.
 */
export interface StandardSchema<Input = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    /** Never there; for the compiler. */
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

/** The issues in the result of a schema, by the name of the value that it checked. */
export const standardIssues = (result: unknown, root: string): string[] =>
  isRecord(result) && Array.isArray(result.issues) ? result.issues.map((issue) => describeIssue(issue, root)) : [];

/** Where an input differs from what a schema of another library takes; nothing when it fits. */
export const checkByStandard = async (schema: StandardSchema, input: unknown): Promise<string[]> => {
  return standardIssues(await schema['~standard'].validate(input), 'input');
};
