import * as z from 'zod/mini';

/**
 * A list, read up to the first element that does not fit. A `z.array` goes on and gathers what is wrong with each of the
 * others: for a hostile list that takes longer than a host may stand still, and runs out of stack in the end.
 */
export const listOf = <Element extends z.ZodMiniType>(element: Element) =>
  z.custom<z.output<Element>[]>(
    (value) => Array.isArray(value) && value.every((each) => element.safeParse(each).success),
  );
