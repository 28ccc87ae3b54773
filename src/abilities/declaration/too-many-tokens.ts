import { Lexer } from 'yaml';
import type { YamlProblem } from './read-yaml.ts';

/** A declaration has some fifty. Parsing costs much more than counting, and in odd texts more than it should. */
const MAX_TOKENS = 20_000;

/** Counting them is not worth it where there cannot be that many. */
const SHORT = 4_096;

/** Looks at a text before it is parsed, so that no text of a permitted size keeps the agent waiting. */
export const tooManyTokens = (text: string): YamlProblem | undefined => {
  if (text.length <= SHORT) return undefined;
  let tokens = 0;
  let offset = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    offset += token.length;
    if (tokens > MAX_TOKENS) return { offset, message: `the file has more than ${MAX_TOKENS} parts` };
  }
  return undefined;
};
