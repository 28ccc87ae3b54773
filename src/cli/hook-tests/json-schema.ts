import * as z from 'zod/mini';
import { hookTestFileSchema } from './format.ts';

/** The JSON Schema of a file of tests, in the form that editors understand best. */
export const hookTestJsonSchema = (): Record<string, unknown> => {
  const { $schema: _draft, ...schema } = z.toJSONSchema(hookTestFileSchema(), { target: 'draft-7', io: 'input' });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Tests of hooks',
    description: 'A .hookwright/tests/<name>.test.json: JSON, in which comments and trailing commas are fine.',
    allowComments: true,
    allowTrailingCommas: true,
    ...schema,
  };
};
