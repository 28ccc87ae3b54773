/** Numbers that look random and are the same for a seed. */
export const randomOf = (seed) => {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit) => Math.floor(next() * limit);
  return {
    below,
    between: (from, to) => from + below(to - from + 1),
    chance: (part) => next() < part,
    pick: (list) => list[below(list.length)],
  };
};
