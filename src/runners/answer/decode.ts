// Decodes the output of a process as UTF-8, or as UTF-16 if it begins with a byte order mark.
import { isUtf8 } from 'node:buffer';
import { withoutByteOrderMark } from '../../kit/index.ts';
import { type Notice, notice } from '../../protocol/index.ts';

export interface DecodedText {
  readonly text: string;
  readonly warnings: readonly Notice[];
}

const noWarnings: readonly Notice[] = [];
const emptyText: DecodedText = { text: '', warnings: noWarnings };
const REPLACEMENT_CHARACTER = '\ufffd';

const decodeUtf16 = (bytes: Buffer, stream: string, isBigEndian: boolean): DecodedText => {
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 2));
  const littleEndian = isBigEndian ? Buffer.from(whole).swap16() : whole;
  const warnings =
    whole.length === bytes.length
      ? noWarnings
      : [notice('invalid-encoding', `${stream} is UTF-16 and ends within a character`)];
  return { text: withoutByteOrderMark(littleEndian.toString('utf16le')), warnings };
};

/** PowerShell writes UTF-16. Invalid UTF-8 becomes U+FFFD with a warning. */
export const decode = (output: string | Uint8Array, stream: string): DecodedText => {
  if (output.length === 0) return emptyText;
  if (typeof output === 'string') return { text: withoutByteOrderMark(output), warnings: noWarnings };
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, stream, false);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, stream, true);
  const text = withoutByteOrderMark(bytes.toString('utf8'));
  // The replacement character is valid UTF-8 if the hook printed it itself.
  if (!text.includes(REPLACEMENT_CHARACTER) || isUtf8(bytes)) return { text, warnings: noWarnings };
  return { text, warnings: [notice('invalid-encoding', `${stream} has bytes that are not UTF-8; they were replaced`)] };
};
