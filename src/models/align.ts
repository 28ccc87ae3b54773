/** Matches the new messages or text parts of a rewrite with the old ones, so that only their text changes. */
export interface MessagePiece {
  readonly kind: string;
  readonly text: string;
}

type PiecePair = readonly [before: number, after: number];

const MAX_EDITS = 2_000;
const MAX_COMPARED_PAIRS = 250_000;
const MAX_COMPARED_CHARACTERS = 256;

/**
 * Returns for each new piece the index of the old piece that it comes from. Equal pieces are matched first. Between two
 * matches, pieces of one kind are paired by position, or by likeness if their numbers differ.
 */
export const alignPieces = (
  before: readonly MessagePiece[],
  after: readonly MessagePiece[],
): readonly (number | undefined)[] => {
  const origins = new Array<number | undefined>(after.length).fill(undefined);
  const end: PiecePair = [before.length, after.length];
  let [oldStart, newStart] = [0, 0];
  for (const [oldIndex, newIndex] of [...pairEqualPieces(before, after), end]) {
    for (const [gapOld, gapNew] of pairPiecesBetweenMatches(
      before.slice(oldStart, oldIndex),
      after.slice(newStart, newIndex),
    )) {
      origins[newStart + gapNew] = oldStart + gapOld;
    }
    if (newIndex < after.length) origins[newIndex] = oldIndex;
    [oldStart, newStart] = [oldIndex + 1, newIndex + 1];
  }
  return origins;
};

const isEqualPiece = (one: MessagePiece | undefined, other: MessagePiece | undefined): boolean =>
  one !== undefined && other !== undefined && one.kind === other.kind && one.text === other.text;

const pairEqualPieces = (before: readonly MessagePiece[], after: readonly MessagePiece[]): PiecePair[] => {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && isEqualPiece(before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && isEqualPiece(before[before.length - 1 - tail], after[after.length - 1 - tail]))
    tail += 1;

  const pairs: PiecePair[] = [];
  for (let index = 0; index < head; index += 1) pairs.push([index, index]);
  const middle = findCommonSubsequence(
    before.slice(head, before.length - tail),
    after.slice(head, after.length - tail),
  );
  for (const [oldIndex, newIndex] of middle) pairs.push([head + oldIndex, head + newIndex]);
  for (let index = tail; index > 0; index -= 1) pairs.push([before.length - index, after.length - index]);
  return pairs;
};

/** Myers, "An O(ND) Difference Algorithm and Its Variations" (1986). Gives up after `MAX_EDITS` edits. */
const findCommonSubsequence = (before: readonly MessagePiece[], after: readonly MessagePiece[]): PiecePair[] => {
  if (before.length === 0 || after.length === 0) return [];
  const limit = Math.min(before.length + after.length, MAX_EDITS);
  const furthest = new Int32Array(2 * limit + 3);
  const at = (diagonals: Int32Array, diagonal: number, centre: number): number => diagonals[diagonal + centre] ?? -1;
  const startOf = (diagonals: Int32Array, diagonal: number, edits: number, centre: number): number => {
    const fromAbove = at(diagonals, diagonal + 1, centre);
    const fromLeft = at(diagonals, diagonal - 1, centre);
    return diagonal === -edits || (diagonal !== edits && fromLeft < fromAbove) ? diagonal + 1 : diagonal - 1;
  };

  const trace: Int32Array[] = [];
  const centre = limit + 1;
  for (let edits = 0; edits <= limit; edits += 1) {
    // Saves only the diagonals that `edits` steps can have reached, so the centre of a saved row is `edits + 1`.
    trace.push(furthest.slice(centre - edits - 1, centre + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const previous = startOf(furthest, diagonal, edits, centre);
      let oldIndex = at(furthest, previous, centre) + (previous < diagonal ? 1 : 0);
      while (isEqualPiece(before[oldIndex], after[oldIndex - diagonal])) oldIndex += 1;
      furthest[diagonal + centre] = oldIndex;
      if (oldIndex >= before.length && oldIndex - diagonal >= after.length) {
        return readPairsFromTrace(before.length, after.length, trace, startOf, at);
      }
    }
  }
  return [];
};

const readPairsFromTrace = (
  oldEnd: number,
  newEnd: number,
  trace: readonly Int32Array[],
  startOf: (diagonals: Int32Array, diagonal: number, edits: number, centre: number) => number,
  at: (diagonals: Int32Array, diagonal: number, centre: number) => number,
): PiecePair[] => {
  const pairs: PiecePair[] = [];
  let [oldIndex, newIndex] = [oldEnd, newEnd];
  for (const [edits, diagonals] of [...trace.entries()].reverse()) {
    const previous = startOf(diagonals, oldIndex - newIndex, edits, edits + 1);
    const [oldStop, newStop] =
      edits === 0 ? [0, 0] : [at(diagonals, previous, edits + 1), at(diagonals, previous, edits + 1) - previous];
    while (oldIndex > oldStop && newIndex > newStop) {
      oldIndex -= 1;
      newIndex -= 1;
      pairs.push([oldIndex, newIndex]);
    }
    [oldIndex, newIndex] = [oldStop, newStop];
  }
  return pairs.reverse();
};

const pairPiecesBetweenMatches = (before: readonly MessagePiece[], after: readonly MessagePiece[]): PiecePair[] => {
  if (before.length === 0 || after.length === 0) return [];
  // A hook has probably rewritten every piece, so pieces are paired by position.
  if (before.length === after.length && before.every(({ kind }, index) => kind === after[index]?.kind)) {
    return before.map((_, index) => [index, index]);
  }
  return before.length * after.length > MAX_COMPARED_PAIRS ? pairInOrder(before, after) : pairByLikeness(before, after);
};

const pairInOrder = (before: readonly MessagePiece[], after: readonly MessagePiece[]): PiecePair[] => {
  const pairs: PiecePair[] = [];
  let start = 0;
  for (const [newIndex, { kind }] of after.entries()) {
    let oldIndex = start;
    while (oldIndex < before.length && before[oldIndex]?.kind !== kind) oldIndex += 1;
    if (oldIndex === before.length) continue;
    pairs.push([oldIndex, newIndex]);
    start = oldIndex + 1;
  }
  return pairs;
};

/** Finds the non-crossing pairs of greatest total weight. A pair weighs 1, and up to 1.5 if its texts are alike. */
const pairByLikeness = (before: readonly MessagePiece[], after: readonly MessagePiece[]): PiecePair[] => {
  const width = after.length + 1;
  const best = new Float64Array((before.length + 1) * width);
  const bestFrom = (oldIndex: number, newIndex: number): number => best[oldIndex * width + newIndex] ?? 0;
  const together = (oldIndex: number, newIndex: number): number =>
    weighPair(before[oldIndex], after[newIndex]) + bestFrom(oldIndex + 1, newIndex + 1);
  for (let oldIndex = before.length - 1; oldIndex >= 0; oldIndex -= 1) {
    for (let newIndex = after.length - 1; newIndex >= 0; newIndex -= 1) {
      const apart = Math.max(bestFrom(oldIndex + 1, newIndex), bestFrom(oldIndex, newIndex + 1));
      best[oldIndex * width + newIndex] = Math.max(apart, together(oldIndex, newIndex));
    }
  }

  const pairs: PiecePair[] = [];
  let [oldIndex, newIndex] = [0, 0];
  while (oldIndex < before.length && newIndex < after.length) {
    const here = bestFrom(oldIndex, newIndex);
    if (weighPair(before[oldIndex], after[newIndex]) > 0 && here === together(oldIndex, newIndex)) {
      pairs.push([oldIndex, newIndex]);
      [oldIndex, newIndex] = [oldIndex + 1, newIndex + 1];
    } else if (here === bestFrom(oldIndex + 1, newIndex)) oldIndex += 1;
    else newIndex += 1;
  }
  return pairs;
};

const weighPair = (one: MessagePiece | undefined, other: MessagePiece | undefined): number =>
  one === undefined || other === undefined || one.kind !== other.kind
    ? 0
    : 1 + measureLikeness(one.text, other.text) / 2;

const measureLikeness = (one: string, other: string): number => {
  const longer = Math.min(Math.max(one.length, other.length), 2 * MAX_COMPARED_CHARACTERS);
  const shorter = Math.min(one.length, other.length);
  const window = Math.min(shorter, MAX_COMPARED_CHARACTERS);
  let head = 0;
  while (head < window && one[head] === other[head]) head += 1;
  let tail = 0;
  const rest = Math.min(window, shorter - head);
  while (tail < rest && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return (head + tail) / (longer + 1);
};
