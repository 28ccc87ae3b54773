/** The grammar of `if`, which Claude Code has for its permissions: `Bash(git push *)`, `Edit(src/**)`, `mcp__github__*`. */
export interface CallPattern {
  /** The name of a tool; `*` stands for any characters. */
  readonly tool: string;
  /** What the call is about; `undefined` for every call of the tool. */
  readonly about: string | undefined;
}

/** A pattern as a file may have it. Code is none: a field of the event, or a method with a text in quotes. */
export const CALL_PATTERN =
  /^\s*(?!tool_(?:input|name)\b|\w+(?:\.\w+)+\(\s*["'])([A-Za-z_*][\w.*:/-]*)(?:\(([\s\S]*)\))?\s*$/;

/** `undefined` if the text is no pattern. */
export const readCallPattern = (text: string): CallPattern | undefined => {
  const [, tool, about] = CALL_PATTERN.exec(text) ?? [];
  return tool === undefined ? undefined : { tool, about: about === '' || about === '*' ? undefined : about };
};

/** A text in quotes that a piece of code looks for. */
const CODE = /\btool_(?:input|name)\b.*?(["'])(.+?)\1|\w\.\w+\(\s*(["'])(.+?)\3/s;

/** What to do about an `if` that cannot be read. */
export const conditionHint = (condition: unknown): string => {
  const texts: readonly unknown[] = Array.isArray(condition) ? condition : [condition];
  const [, , inField, , inCall] = texts.map((text) => CODE.exec(String(text))).find((code) => code !== null) ?? [];
  const sought = inField ?? inCall;
  return sought === undefined
    ? 'write the name of a tool, and in brackets what its calls are about: "Bash(git push *)"'
    : `it is a pattern and no code: write the name of a tool, and in brackets the text: "Bash(*${sought}*)"`;
};

/** An `if` as it is written: one pattern or several, of which one has to fit. */
export const conditionTexts = (condition: string | readonly string[]): readonly string[] =>
  typeof condition === 'string' ? [condition] : condition;

/** `undefined` if it can be read. */
export const whyNoCondition = (condition: unknown): string | undefined => {
  const isList = Array.isArray(condition) && condition.length > 0;
  const texts: readonly unknown[] = isList ? condition : [condition];
  const unread = texts.find((text) => typeof text !== 'string' || readCallPattern(text) === undefined);
  return unread === undefined ? undefined : (JSON.stringify(unread) ?? String(unread));
};
