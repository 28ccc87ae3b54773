/** Copies and freezes a message, so that no listener can change it for another listener or for the engine. */
import { canCopyItself, copyMethod, MAX_JSON_DEPTH } from '../kit/index.ts';

/**
 * Above this many objects and arrays the original message is passed on uncopied. A shared object counts each time it
 * occurs.
 */
const MAX_COPIED_VALUES = 250_000;

const MAX_SMALL_VALUE_MEMBERS = 64;

let valuesLeft = 0;
let copiesSoFar: Map<object, object> | undefined;

/** Functions, errors, and messages whose getters throw are passed on uncopied. */
export function snapshotOf<Message extends object>(message: Message): Message;
export function snapshotOf(message: object): unknown {
  valuesLeft = MAX_COPIED_VALUES;
  try {
    return freezeValue(message, 0);
  } catch {
    return message;
  } finally {
    copiesSoFar = undefined;
  }
}

const freezeValue = (value: object, depth: number): object => {
  valuesLeft -= 1;
  if (depth > MAX_JSON_DEPTH || valuesLeft < 0) throw new RangeError('too large to be copied');
  const known = copiesSoFar?.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) return freezeList(value, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return freezeInstance(value, depth);
  const keys = Object.keys(value);
  if (keys.length > MAX_SMALL_VALUE_MEMBERS) return rememberCopy(value, freezeTable(value, keys, depth));
  const copy: Record<string, unknown> = { ...value };
  for (const key of keys) {
    const member = copy[key];
    if (isObject(member)) copy[key] = freezeValue(member, depth + 1);
  }
  return Object.freeze(copy);
};

const freezeList = (list: readonly unknown[], depth: number): object => {
  const copy = list.slice();
  for (let index = 0; index < copy.length; index += 1) {
    const item = copy[index];
    if (isObject(item)) copy[index] = freezeValue(item, depth + 1);
  }
  Object.freeze(copy);
  return list.length > MAX_SMALL_VALUE_MEMBERS ? rememberCopy(list, copy) : copy;
};

const freezeTable = (value: object, keys: readonly string[], depth: number): object => {
  const copy: Record<string, unknown> = {};
  for (const key of keys) {
    const member: unknown = Reflect.get(value, key);
    const own = isObject(member) ? freezeValue(member, depth + 1) : member;
    if (key === '__proto__') Object.defineProperty(copy, key, { value: own, enumerable: true });
    else copy[key] = own;
  }
  return Object.freeze(copy);
};

const freezeInstance = (value: object, depth: number): object => {
  if (!canCopyItself(value)) return value;
  const copy = value[copyMethod]((member) => (isObject(member) ? freezeValue(member, depth + 1) : member));
  return isObject(copy) ? rememberCopy(value, Object.freeze(copy)) : value;
};

const rememberCopy = (value: object, copy: object): object => {
  copiesSoFar ??= new Map();
  copiesSoFar.set(value, copy);
  return copy;
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
