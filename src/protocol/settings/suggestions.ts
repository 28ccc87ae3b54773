// Suggests corrections for keys and values that users know from other tools or write by mistake.
import { findNearestName } from '../../kit/index.ts';

export const suggestPattern = (matcher: string): string | undefined =>
  /^[\w*-]+$/.test(matcher)
    ? `for any text write .* in a regular expression: "${matcher.replaceAll('*', '.*')}"`
    : undefined;

type SuggestionTable = Readonly<Record<string, readonly string[]>>;

/** hookwright's key → keys of other tools with the same meaning. */
const suggestedKeys: SuggestionTable = {
  command: ['cmd', 'run', 'exec', 'script'],
  if: ['when', 'condition'],
  onFault: ['onError', 'onFailure', 'failMode', 'failClosed', 'fail_closed'],
  env: ['environment'],
  cwd: ['dir', 'workingDirectory'],
  matcher: ['tool', 'tools', 'match', 'pattern'],
};

const keyExplanations: SuggestionTable = {
  'to switch a hook off: hookwright disable <name>': ['enabled', 'disabled'],
  'write it into a group, beside its "hooks"': ['matcher', 'sequential'],
  'write it into each hook': ['if', 'onFault', 'timeout', 'verdict'],
};

const findSuggestion = (table: SuggestionTable, written: string): string | undefined =>
  Object.keys(table).find((suggestion) => table[suggestion]?.includes(written));

const suggestName = (other: string | undefined, written: string, known: readonly string[]): string | undefined => {
  const near = other !== undefined && known.includes(other) ? other : findNearestName(written, known);
  return near && `did you mean "${near}"?`;
};

export const suggestKey = (key: string, known: readonly string[]): string =>
  suggestName(findSuggestion(suggestedKeys, key), key, known) ??
  findSuggestion(keyExplanations, key) ??
  `known keys: ${known.join(', ')}`;

/** hookwright's value for `type` and `onFault` → values of other tools. */
const suggestedValues: SuggestionTable = {
  command: ['shell', 'script', 'bash', 'exec'],
  deny: ['block', 'fail', 'closed', 'fail-closed'],
  allow: ['open', 'fail-open', 'ignore', 'continue', 'warn'],
};

export const suggestValue = (found: unknown, choices: readonly string[]): string | undefined =>
  typeof found === 'string'
    ? suggestName(findSuggestion(suggestedValues, found.toLowerCase()), found, choices)
    : undefined;
