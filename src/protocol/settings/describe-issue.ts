// Describes problems that zod finds, with the value that was found.
import type * as z from 'zod/mini';
import { describeValue, formatSuggestion, readAtPath } from '../../kit/index.ts';

export const describeExpected = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${issue.expected}`;
    case 'invalid_value':
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'expected text that is not empty' : `expected more than ${issue.minimum}`;
    default:
      return issue.message === 'Invalid input' ? 'expected something else' : issue.message;
  }
};

export interface DescribedIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export interface FieldExpectations {
  readonly knownAt: (path: readonly PropertyKey[]) => readonly string[];
  readonly expectations?: Readonly<Record<string, string>>;
}

/** zod's own messages need a language pack and omit the value that was found. */
export const describeIssue = (
  issue: z.core.$ZodIssue,
  value: unknown,
  { knownAt, expectations = {} }: FieldExpectations,
): DescribedIssue[] => {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = knownAt(path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `is not known here${formatSuggestion(key, known) || `; known are ${known.join(', ')}`}`,
    }));
  }
  const expected = expectations[path.map(String).join('.')] ?? describeExpected(issue);
  return [{ path, message: `${expected}, got ${describeValue(readAtPath(value, path))}` }];
};
