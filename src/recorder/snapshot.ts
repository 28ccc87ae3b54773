import { isRecord } from '../protocol/json.ts';

/** That many objects and arrays of a message are copied: under 3 µs, whatever the message. Most have fewer than twenty. */
const MAX_COPIES = 64;

/** Longer ones would take longer to copy than a publisher should wait. */
const MAX_LENGTH = 10_000;

type Container = unknown[] | Record<string, unknown>;

/** What has a form of its own is left to the encoder; a spread would lose it. */
const copyOf = (value: object): Container | undefined => {
  if (Array.isArray(value)) return value.length > MAX_LENGTH ? undefined : value.slice();
  if (value instanceof Error || value instanceof Map || value instanceof Set || 'toJSON' in value) return undefined;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return undefined;
  return { ...value };
};

/** Replaces the objects and arrays in a container by copies, and adds these to the list, until it is full. */
const copyMembers = (container: Container, copies: Container[]): void => {
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length; index += 1) {
      const copy = copyMember(container[index], copies);
      if (copy !== undefined) container[index] = copy;
    }
    return;
  }
  for (const key in container) {
    // Assigned, it would be the prototype.
    if (key === '__proto__') continue;
    const copy = copyMember(container[key], copies);
    if (copy !== undefined) container[key] = copy;
  }
};

const copyMember = (member: unknown, copies: Container[]): Container | undefined => {
  if (typeof member !== 'object' || member === null || copies.length >= MAX_COPIES) return undefined;
  const copy = copyOf(member);
  if (copy !== undefined) copies.push(copy);
  return copy;
};

/**
 * A message as it is now, to be written later: agents go on with the objects they publish, and push to the conversation
 * they showed us. Level by level, so that what lies near the top is copied first; what lies beyond the limit is shared.
 */
export const snapshot = <Message extends object>(message: Message): Message => {
  try {
    const copy = { ...message };
    if (!isRecord(copy)) return message;
    const copies: Container[] = [copy];
    for (let next = 0; next < copies.length && copies.length < MAX_COPIES; next += 1) {
      const container = copies[next];
      if (container !== undefined) copyMembers(container, copies);
    }
    return copy;
  } catch {
    // Something in it throws when it is read. The encoder says what.
    return message;
  }
};
