// Suggests corrections for keys, values and matchers that users know from other tools or write by mistake.
import { findNearestName } from '../../kit/index.ts';

/** As a regular expression, tool names separated by commas or spaces match no tool. */
export const UNQUOTED_LIST_PATTERN = /^\s*\w[\w-]*(?:(?:\s*[,;|]\s*|\s+)\w[\w-]*)+\s*[,;|]?\s*$/;

/** `{Bash,Write}`, `"Bash"` and `/Bash/` are forms of other languages. */
const ENCLOSED_PATTERN = /^(?:\{(.*[A-Za-z].*)\}|["'`]([^"'`]+)["'`]|\/([^/]+)\/[a-z]*)$/;

const PERMISSION_PATTERN = /^(\w+)\(([^()|]*?)(?::\*|\*)\)$/;

/** In JSON, `"\bBash\b"` contains control characters, because each backslash must be doubled. */
const CONTROL_CHARACTER_PATTERN = /\p{Cc}/u;

export const suggestMatcher = (matcher: string): string | undefined => {
  const text = matcher.trim();
  if (/[\s,;]/.test(text) && UNQUOTED_LIST_PATTERN.test(text)) {
    const words = text.split(/[\s,;|]+/).filter((word) => word !== '');
    return `write "matcher": ${JSON.stringify(words.join('|'))}`;
  }
  const control = CONTROL_CHARACTER_PATTERN.exec(text)?.[0];
  if (control !== undefined) {
    const written = JSON.stringify(text);
    const sign = JSON.stringify(control).slice(1, -1);
    return `in JSON ${sign} is a control character: write "matcher": ${written.replaceAll('\\', '\\\\')}`;
  }
  const [, inBraces, inQuotes, inSlashes] = ENCLOSED_PATTERN.exec(text) ?? [];
  const enclosed = inBraces ?? inQuotes ?? inSlashes;
  if (enclosed !== undefined) return suggestMatcher(enclosed) ?? `write "matcher": ${JSON.stringify(enclosed.trim())}`;
  const [, tool, command] = PERMISSION_PATTERN.exec(text) ?? [];
  if (tool === undefined || command === undefined) return undefined;
  const condition = command.trim() === '' ? '' : `, and in the hook "if": "${tool}(${command.trim()} *)"`;
  return `write "matcher": "${tool}"${condition}`;
};

export const suggestPattern = (matcher: string): string | undefined =>
  /^[\w*-]+$/.test(matcher)
    ? `for any text write .* in a regular expression: "${matcher.replaceAll('*', '.*')}"`
    : undefined;

/** Keys of other tools → hookwright's key with the same meaning. */
const suggestedKeys: Readonly<Record<string, string>> = {
  cmd: 'command',
  run: 'command',
  exec: 'command',
  script: 'command',
  when: 'if',
  condition: 'if',
  onError: 'onFault',
  onFailure: 'onFault',
  failMode: 'onFault',
  environment: 'env',
  dir: 'cwd',
  workingDirectory: 'cwd',
  tool: 'matcher',
  tools: 'matcher',
  match: 'matcher',
  pattern: 'matcher',
};

const keyExplanations: Readonly<Record<string, string>> = {
  matcher: 'write it beside "hooks"',
  sequential: 'write it beside "hooks"',
  if: 'write it into each hook',
  onFault: 'write it into each hook',
  timeout: 'write it into each hook',
  failClosed: 'write "onFault": "deny"',
  fail_closed: 'write "onFault": "deny"',
  enabled: 'to switch a hook off: hookwright disable <name>',
  disabled: 'to switch a hook off: hookwright disable <name>',
};

const getSuggestedWord = (words: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.hasOwn(words, word) ? words[word] : undefined;

export const suggestKey = (key: string, known: readonly string[]): string => {
  const other = getSuggestedWord(suggestedKeys, key);
  const near = other !== undefined && known.includes(other) ? other : findNearestName(key, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  return getSuggestedWord(keyExplanations, key) ?? `known keys: ${known.join(', ')}`;
};

/** Values of other tools for `type` and `onFault` → hookwright's value. */
const suggestedValues: Readonly<Record<string, string>> = {
  shell: 'command',
  script: 'command',
  bash: 'command',
  exec: 'command',
  block: 'deny',
  fail: 'deny',
  closed: 'deny',
  'fail-closed': 'deny',
  open: 'allow',
  'fail-open': 'allow',
  ignore: 'allow',
  continue: 'allow',
  warn: 'allow',
};

export const suggestValue = (found: unknown, choices: readonly string[]): string | undefined => {
  if (typeof found !== 'string') return undefined;
  const other = getSuggestedWord(suggestedValues, found.toLowerCase());
  const near = other !== undefined && choices.includes(other) ? other : findNearestName(found, choices);
  return near === undefined ? undefined : `did you mean "${near}"?`;
};
