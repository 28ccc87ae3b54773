import { urlAlphabet } from 'nanoid';

const LENGTH = 21;
const random = new Uint8Array(LENGTH * 195);
const decoder = new TextDecoder();

/** Many ids in one text, so that random numbers are drawn and letters put together once for all of them. */
const draw = (): string => {
  crypto.getRandomValues(random);
  return decoder.decode(random.map((byte) => urlAlphabet.charCodeAt(byte & 63)));
};

let ids = '';
let used = 0;

/** A nanoid: 21 letters of its alphabet, each from six random bits. Cut from a longer text it costs less than half of one by itself. */
export const createId = (): string => {
  if (used === ids.length) {
    ids = draw();
    used = 0;
  }
  used += LENGTH;
  return ids.slice(used - LENGTH, used);
};
