import { describeThrown } from '../../kit/index.ts';

const REGEX = /^\/(.+)\/([a-z]*)$/s;

/** What a text has to be like: it contains another one, or matches a regular expression written between slashes. */
export interface WantedText {
  matches(text: string): boolean;
}

/** Throws what the parser of regular expressions throws. */
export const wantedText = (written: string): WantedText => {
  const [, source, flags] = REGEX.exec(written) ?? [];
  if (source === undefined) return { matches: (text) => text.includes(written) };
  const pattern = new RegExp(source, flags);
  return {
    matches: (text) => {
      // With the flags g and y a pattern goes on where it was.
      pattern.lastIndex = 0;
      return pattern.test(text);
    },
  };
};

/** Why a text cannot be read as a regular expression, if it is meant as one. */
export const whyNoPattern = (written: string): string | undefined => {
  try {
    wantedText(written);
    return undefined;
  } catch (error) {
    return describeThrown(error);
  }
};
