// Suggests the matcher to write for one in the form of another tool or with a mistake.

/** As a regular expression, tool names separated by commas or spaces match no tool. */
export const UNQUOTED_LIST_PATTERN = /^\s*\w[\w-]*(?:(?:\s*[,;|]\s*|\s+)\w[\w-]*)+\s*[,;|]?\s*$/;

/** `{Bash,Write}`, `"Bash"` and `/Bash/` are forms of other languages. */
const ENCLOSED_PATTERN = /^(?:\{(.*[a-z].*)\}|["'`]([^"'`]+)["'`]|\/([^/]+)\/[a-z]*)$/i;

const PERMISSION_PATTERN = /^(\w+)\(([^()|]*?)(?::\*|\*)\)$/;

/** In JSON, `"\bBash\b"` contains control characters, because each backslash must be doubled. */
const CONTROL_CHARACTER_PATTERN = /\p{Cc}/u;

export const suggestMatcher = (matcher: string): string | undefined => {
  const text = matcher.trim().replace(ENCLOSED_PATTERN, '$1$2$3').trim();
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
  const [, tool, command] = PERMISSION_PATTERN.exec(text) ?? [];
  if (tool === undefined || command === undefined)
    return text === matcher.trim() ? undefined : `write "matcher": ${JSON.stringify(text)}`;
  const condition = command.trim() === '' ? '' : `, and in the hook "if": "${tool}(${command.trim()} *)"`;
  return `write "matcher": "${tool}"${condition}`;
};
