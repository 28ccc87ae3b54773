import * as z from 'zod/mini';

/** A schema that claims what its guard found out, and no more; what it read is handed on without a copy. */
export const guarded = <Claimed>(guard: (value: unknown) => value is Claimed, expected?: string) =>
  z.custom<Claimed>(guard, expected);
