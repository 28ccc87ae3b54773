import { checkByStandard, describeThrown, isRecord, isStandardSchema } from '../../kit/index.ts';
import type { Args } from '../../triggers/index.ts';

/** Schemas of inputs that are no objects are rare; hooks see such an input under a name. */
export const asArgs = (input: unknown): Args => (isRecord(input) ? input : { input });

export const inputFrom = (args: Args, original: unknown): unknown => (isRecord(original) ? args : args.input);

/** An input as the tool gets it, or why it does not take it. */
export type ParsedInput = { readonly value: unknown } | { readonly whyNot: string };

const resultOf = (result: unknown): ParsedInput => {
  if (!isRecord(result) || !('success' in result)) return { whyNot: 'the schema of the tool gave no result' };
  return result.success === true ? { value: result.value } : { whyNot: describeThrown(result.error) };
};

/**
 * What a schema of the AI SDK makes of a value: a Standard Schema, as those of zod, a schema with a `validate` of its own, or a
 * function that makes one. One that only describes takes everything.
 */
export const parsedBy = async (schema: unknown, value: unknown): Promise<ParsedInput> => {
  if (isStandardSchema(schema)) {
    const result = await schema['~standard'].validate(value);
    if (isRecord(result) && !Array.isArray(result.issues) && 'value' in result) return { value: result.value };
    return { whyNot: (await checkByStandard(schema, value)).join('; ') };
  }
  if (typeof schema === 'function') return parsedBy(await schema(), value);
  if (!isRecord(schema) || typeof schema.validate !== 'function') return { value };
  return resultOf(await schema.validate(value));
};

/** Why the tool does not take arguments that hooks changed. */
export const whyNotInput = (schema: unknown, original: unknown) => async (args: unknown) => {
  const parsed = await parsedBy(schema, isRecord(args) ? inputFrom(args, original) : args);
  return 'whyNot' in parsed ? parsed.whyNot : undefined;
};

/** The same of a result that hooks put in place of the tool's; `undefined` for a tool that does not describe its results. */
export const whyNotOutput = (tool: unknown): ((output: unknown) => Promise<string | undefined>) | undefined => {
  const schema = isRecord(tool) ? tool.outputSchema : undefined;
  if (schema === undefined) return undefined;
  return async (output) => {
    const parsed = await parsedBy(schema, output);
    return 'whyNot' in parsed ? parsed.whyNot : undefined;
  };
};
