import { createScanner } from 'jsonc-parser';

/** A bracket that closes another kind than the one that is open there. */
export interface WrongBracket {
  readonly offset: number;
  readonly found: '}' | ']';
  /** The bracket that stays open. */
  readonly open: { readonly offset: number; readonly character: '{' | '[' };
}

const closing = { '{': '}', '[': ']' } as const;

/** The first `]` where a `}` has to come before it, or the other way round. */
export const wrongBracket = (text: string): WrongBracket | undefined => {
  const scanner = createScanner(text, true);
  const opened: WrongBracket['open'][] = [];
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    // Not the length of the token: behind a backslash at the end of the text that never becomes nothing.
    if (offset >= text.length) return undefined;
    const character = text[offset];
    if (character === '{' || character === '[') opened.push({ offset, character });
    if (character === '}' || character === ']') {
      const open = opened.pop();
      if (open !== undefined && closing[open.character] !== character) return { offset, found: character, open };
    }
  }
};
