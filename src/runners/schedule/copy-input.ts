import { isPrototypeKey, isRecord } from '../../kit/index.ts';

/** Which members of a value are containers themselves; everything else is copied by the spread alone. */
type Shape = readonly (readonly [key: string, shape: Shape])[];

const flat: Shape = [];

const shapeOf = (value: object): Shape => {
  let inner: [string, Shape][] | undefined;
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (typeof member !== 'object' || member === null) continue;
    inner ??= [];
    inner.push([key, shapeOf(member)]);
  }
  return inner ?? flat;
};

const copyMember = (value: unknown, shape: Shape): unknown => {
  if (Array.isArray(value)) {
    const copy: unknown[] = value.slice();
    for (const [key, inner] of shape) copy[Number(key)] = copyMember(value[Number(key)], inner);
    return copy;
  }
  return isRecord(value) ? copyRecord(value, shape) : value;
};

const copyRecord = (value: Record<string, unknown>, shape: Shape): Record<string, unknown> => {
  const copy = { ...value };
  for (const [key, inner] of shape) {
    if (!isPrototypeKey(key)) copy[key] = copyMember(value[key], inner);
  }
  return copy;
};

/**
 * Looks at a JSON value once and returns a function that copies it deeply, as often as needed: each hook gets an input
 * of its own, and what it does to it stays there. Far faster than `structuredClone` for the inputs hooks get.
 */
export const copierOf = (input: Record<string, unknown>): (() => Record<string, unknown>) => {
  const shape = shapeOf(input);
  return () => copyRecord(input, shape);
};
