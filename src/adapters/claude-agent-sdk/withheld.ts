import { isRecord } from '../../kit/index.ts';

/** Says of which shape something is; with another word the SDK would not take it. */
const shapeKeys: ReadonlySet<string> = new Set(['type', 'mode']);

/**
 * A result without what it said, and with the reason in its place. It keeps its shape: the SDK drops what has another, and
 * would show its model the result.
 */
export const withheldOutput = (output: unknown, reason: string): unknown => {
  let isSaid = false;
  const say = (): string => {
    const words = isSaid ? '' : reason;
    isSaid = true;
    return words;
  };
  const hide = (value: unknown, key?: string): unknown => {
    if (typeof value === 'string') return key !== undefined && shapeKeys.has(key) ? value : say();
    if (Array.isArray(value)) return value.map((one) => hide(one));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hide(one, name)]));
  };
  const hidden = hide(output);
  return isSaid ? hidden : reason;
};
