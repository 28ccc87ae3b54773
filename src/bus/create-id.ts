import { customRandom, urlAlphabet } from 'nanoid';

const pool = new Uint8Array(4_096);
let used = pool.length;

const fromPool = (size: number): Uint8Array => {
  if (used + size > pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  used += size;
  return pool.subarray(used - size, used);
};

/**
 * A nanoid. The variant for browsers, which the bundle carries because it imports nothing of Node, asks for random
 * numbers once per id: 1.9 µs. Drawn from a pool it is 0.16, as in the variant for Node.
 */
export const createId = customRandom(urlAlphabet, 21, fromPool);
