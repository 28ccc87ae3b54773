/**
 * Remembers that a message with the role of the user was a system message. Symbols and hidden members reach neither JSON
 * nor the API, so the model is told nothing that is not so, and the next hook still sees `system`.
 */
export const systemMark = Symbol.for('hookwright.system-message');

export const markSystem = <C extends object>(content: C): C =>
  Object.defineProperty(content, systemMark, { value: true });

/** What the model reads before words that are not the user's, as in prompts and the results of tools. */
export const MARKER = '[System] ';

export const withoutMarker = (text: string): string => (text.startsWith(MARKER) ? text.slice(MARKER.length) : text);
