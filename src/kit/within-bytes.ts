/** A text of no more bytes than that, not cut within a character. */
export const withinBytes = (text: string, bytes: number): string => {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
};
