/** Stands in the place of a secret and says what it was: the name of the key, or the kind of secret. */
export const markFor = (what: string): string => `[redacted: ${what.replace(/[^\w .-]/g, '').slice(0, 60)}]`;

const MARK = /\[redacted: [\w .-]{0,60}\]/;

export const holdsMark = (text: string): boolean => MARK.test(text);

/** Whether a text says what a redacted text says: a mark in the one stands for anything in the other. */
export const sameButForMarks = (redacted: string, text: string): boolean => {
  const [first = '', ...rest] = redacted.split(new RegExp(MARK, 'g'));
  const last = rest.pop();
  if (last === undefined) return redacted === text;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
};
