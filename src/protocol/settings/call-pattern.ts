/**
 * Parsed `if` of a hook, in the grammar of Claude Code's permissions: `Bash(git push *)`, `Edit(src/**)`,
 * `mcp__github__*`.
 */
export interface CallPattern {
  readonly tool: string;
  /** The pattern in parentheses, compared with the input; `undefined` matches every call. */
  readonly about: string | undefined;
}

/** Rejects code that users write by mistake: `tool_input.path`, `command.includes("rm")`. */
export const CALL_PATTERN =
  /^\s*(?!tool_(?:input|name)\b|\w+(?:\.\w+)+\(\s*["'])([A-Za-z_*][\w.*:/-]*)(?:\(([\s\S]*)\))?\s*$/;

export const readCallPattern = (text: string): CallPattern | undefined => {
  const [, tool, about] = CALL_PATTERN.exec(text) ?? [];
  return tool === undefined ? undefined : { tool, about: about === '' || about === '*' ? undefined : about };
};

const CODE_PATTERN = /\btool_(?:input|name)\b.*?(["'])(.+?)\1|\w\.\w+\(\s*(["'])(.+?)\3/s;

export const suggestCondition = (condition: unknown): string => {
  const texts: readonly unknown[] = Array.isArray(condition) ? condition : [condition];
  const [, , inField, , inCall] =
    texts.map((text) => CODE_PATTERN.exec(String(text))).find((code) => code !== null) ?? [];
  const sought = inField ?? inCall;
  return sought === undefined
    ? 'write the name of a tool, and in brackets what its calls are about: "Bash(git push *)"'
    : `it is a pattern and no code: write the name of a tool, and in brackets the text: "Bash(*${sought}*)"`;
};

export const listConditionTexts = (condition: string | readonly string[]): readonly string[] =>
  typeof condition === 'string' ? [condition] : condition;

/** Returns the invalid part of an `if` as JSON; `undefined` if the `if` is valid. */
export const explainInvalidCondition = (condition: unknown): string | undefined => {
  const isList = Array.isArray(condition) && condition.length > 0;
  const texts: readonly unknown[] = isList ? condition : [condition];
  const unread = texts.find((text) => typeof text !== 'string' || readCallPattern(text) === undefined);
  return unread === undefined ? undefined : (JSON.stringify(unread) ?? String(unread));
};
