import { describeThrown, whyNotJson } from '../../../kit/index.ts';

/** What is larger belongs into a file, and its path into the input. */
const MAX_INPUT_BYTES = 1_048_576;

export type TakenInput =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly problem: string };

/**
 * Copies an input once, before the first guard judges it: what a guard has seen is what is executed, even if the caller
 * changes its object in between.
 */
export const takeInput = (input: unknown): TakenInput => {
  if (input === undefined) return { ok: true, input };
  const notJson = whyNotJson({ input });
  if (notJson !== undefined) return { ok: false, problem: `the input is not plain JSON: ${notJson}` };
  try {
    const text = JSON.stringify(input);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_INPUT_BYTES) {
      const limit = `more than the ${MAX_INPUT_BYTES} there may be; put it into a file and give its path`;
      return { ok: false, problem: `the input has ${bytes} bytes, ${limit}` };
    }
    const copy: unknown = JSON.parse(text);
    return { ok: true, input: copy };
  } catch (error) {
    return { ok: false, problem: `the input cannot be read: ${describeThrown(error)}` };
  }
};
