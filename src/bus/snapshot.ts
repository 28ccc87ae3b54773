import { copiesItself, MAX_JSON_DEPTH, ownCopy } from '../kit/index.ts';

/** As many objects and lists as a message may have; shared parts count each time. */
const MAX_VALUES = 250_000;

/**
 * To freeze an object or a list of thousands of members takes longer than to copy it. Such a one is a copy all the same: what watchers
 * write there reaches other watchers, and nobody else.
 */
const MAX_FROZEN = 1_000;

let left = 0;
/** What is one and the same in a message stays so in its copy, as the merged output that is there twice. */
let copies: Map<object, object> | undefined;

/**
 * What watchers get of a message: a copy that nobody can write into. It is one for all of them, so that none can change what
 * another sees, let alone what the engine runs on or what the caller gave. What cannot be copied is handed on as it is:
 * functions, errors, and a message that refuses to be read.
 */
export function snapshotOf<Message extends object>(message: Message): Message;
export function snapshotOf(message: object): unknown {
  left = MAX_VALUES;
  try {
    return frozen(message, 0);
  } catch {
    return message;
  } finally {
    copies = undefined;
  }
}

const frozen = (value: object, depth: number): object => {
  left -= 1;
  if (depth > MAX_JSON_DEPTH || left < 0) throw new RangeError('too large to be copied');
  if (Array.isArray(value)) {
    const copy = value.map((item: unknown) => (isObject(item) ? frozen(item, depth + 1) : item));
    return copy.length > MAX_FROZEN ? copy : Object.freeze(copy);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return copyOfInstance(value);
  const copy: Record<string, unknown> = { ...value };
  let members = 0;
  for (const key in copy) {
    members += 1;
    const member = copy[key];
    if (isObject(member)) copy[key] = frozen(member, depth + 1);
  }
  return members > MAX_FROZEN ? copy : Object.freeze(copy);
};

const copyOfInstance = (value: object): object => {
  if (!copiesItself(value)) return value;
  const known = copies?.get(value);
  if (known !== undefined) return known;
  const copy = value[ownCopy]();
  if (!isObject(copy)) return value;
  copies ??= new Map();
  copies.set(value, copy);
  return copy;
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
