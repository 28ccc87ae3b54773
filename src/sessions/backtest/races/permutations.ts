/** An order of things, given by their numbers. */
export type Order = readonly number[];

export const inOrder = (count: number): Order => Array.from({ length: count }, (_, index) => index);

const moved = (order: Order, from: number, to: number): Order => {
  const others = order.filter((_, index) => index !== from);
  return [...others.slice(0, to), ...order.slice(from, from + 1), ...others.slice(to)];
};

function* everyOrder(rest: Order, begun: Order = []): Generator<Order> {
  if (rest.length === 0) yield begun;
  for (const [index, next] of rest.entries()) {
    yield* everyOrder(
      rest.filter((_, at) => at !== index),
      [...begun, next],
    );
  }
}

/** Numbers that look random and are the same in every run. */
const steadyNumbers = (): (() => number) => {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
};

const shuffled = (order: Order, random: () => number): Order => {
  const copy = [...order];
  for (let index = copy.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [copy[index], copy[other]] = [copy[other] ?? 0, copy[index] ?? 0];
  }
  return copy;
};

/** The telling ones first: all turned round, then one thing last or first, then neighbours swapped, then any. */
function* someOrders(count: number): Generator<Order> {
  const straight = inOrder(count);
  yield straight.toReversed();
  for (const index of straight.toReversed()) yield moved(straight, index, count - 1);
  for (const index of straight) yield moved(straight, index, 0);
  for (const index of straight.slice(1)) yield moved(straight, index, index - 1);
  const random = steadyNumbers();
  for (;;) yield shuffled(straight, random);
}

/** At most so many different orders, the straight one not among them; the same ones each time. */
export const ordersOf = (count: number, limit: number): Order[] => {
  const straight = inOrder(count);
  const found = new Map([[straight.join(), straight]]);
  // 8 things have 40,320 orders: small enough to go through, and more than anybody tries.
  const possible =
    count <= 8 ? straight.reduce((product, index) => product * (index + 1), 1) : Number.POSITIVE_INFINITY;
  const wanted = Math.min(limit, possible);
  for (const order of possible <= limit ? everyOrder(straight) : someOrders(count)) {
    if (found.size >= wanted) break;
    found.set(order.join(), order);
  }
  return [...found.values()].slice(1);
};

/** From the straight order to this one by swapping neighbours, one pair at each step. */
export const stepsTo = (order: Order): Order[] => {
  let current = inOrder(order.length);
  const steps = [current];
  for (const [place, wanted] of order.entries()) {
    for (let at = current.indexOf(wanted); at > place; at -= 1) {
      current = moved(current, at, at - 1);
      steps.push(current);
    }
  }
  return steps;
};

/** The two that changed places between two orders of which the one follows from the other by one swap. */
export const swappedBetween = (a: Order, b: Order): [number, number] | undefined => {
  const at = a.findIndex((one, index) => one !== b[index]);
  const [first, second] = [a[at], a[at + 1]];
  return first === undefined || second === undefined ? undefined : [Math.min(first, second), Math.max(first, second)];
};
