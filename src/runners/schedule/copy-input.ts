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

/** A deep copy of a JSON value, without looking at its shape first. */
const deepCopy = (value: object): object => {
  if (Array.isArray(value)) {
    const copy: unknown[] = value.slice();
    for (let index = 0; index < copy.length; index += 1) {
      const item = copy[index];
      if (typeof item === 'object' && item !== null) copy[index] = deepCopy(item);
    }
    return copy;
  }
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === 'object' && member !== null && !isPrototypeKey(key)) copy[key] = deepCopy(member);
  }
  return copy;
};

/**
 * Copies an input deeply, as often as needed: each hook gets an input of its own, and what it does to it stays there. From the
 * second copy on the shape of the value is known. Far faster than `structuredClone` for the inputs that hooks get.
 */
export const inputCopier = (input: object): (() => object) => {
  let isFirst = true;
  let shape: Shape | undefined;
  const own = { ...input };
  return () => {
    if (isFirst) {
      isFirst = false;
      return deepCopy(own);
    }
    shape ??= shapeOf(own);
    return copyRecord(own, shape);
  };
};
