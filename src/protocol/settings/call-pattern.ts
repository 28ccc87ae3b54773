/** The grammar of `if`, taken from permissions of Claude Code: `Bash(git push *)`, `Edit(src/**)`, `mcp__github__*`. */
export interface CallPattern {
  /** Name of a tool; `*` matches any characters. */
  readonly tool: string;
  /** Pattern for the input of the call; `undefined` matches every call. */
  readonly about: string | undefined;
}

/** A valid pattern. Code is rejected: a field of the event, or a method call with a quoted text. */
export const CALL_PATTERN =
  /^\s*(?!tool_(?:input|name)\b|\w+(?:\.\w+)+\(\s*["'])([A-Za-z_*][\w.*:/-]*)(?:\(([\s\S]*)\))?\s*$/;

export const readCallPattern = (text: string): CallPattern | undefined => {
  const [, tool, about] = CALL_PATTERN.exec(text) ?? [];
  return tool === undefined ? undefined : { tool, about: about === '' || about === '*' ? undefined : about };
};

const CODE = /\btool_(?:input|name)\b.*?(["'])(.+?)\1|\w\.\w+\(\s*(["'])(.+?)\3/s;

/** Suggests a correction for an invalid `if`. */
export const conditionHint = (condition: unknown): string => {
  const texts: readonly unknown[] = Array.isArray(condition) ? condition : [condition];
  const [, , inField, , inCall] = texts.map((text) => CODE.exec(String(text))).find((code) => code !== null) ?? [];
  const sought = inField ?? inCall;
  return sought === undefined
    ? 'write the name of a tool, and in brackets what its calls are about: "Bash(git push *)"'
    : `it is a pattern and no code: write the name of a tool, and in brackets the text: "Bash(*${sought}*)"`;
};

/** The patterns of an `if`. The hook runs if one of them matches. */
export const conditionTexts = (condition: string | readonly string[]): readonly string[] =>
  typeof condition === 'string' ? [condition] : condition;

/** The part of an `if` that cannot be read; `undefined` if all of it can. */
export const whyNoCondition = (condition: unknown): string | undefined => {
  const isList = Array.isArray(condition) && condition.length > 0;
  const texts: readonly unknown[] = isList ? condition : [condition];
  const unread = texts.find((text) => typeof text !== 'string' || readCallPattern(text) === undefined);
  return unread === undefined ? undefined : (JSON.stringify(unread) ?? String(unread));
};
