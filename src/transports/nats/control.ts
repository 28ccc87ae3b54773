/** What hosts and callers say to each other about requests is short. */
const MAX_BYTES = 2 ** 20;

export const asBytes = (text: string): Uint8Array => Buffer.from(text);

/** JSON of the broker; `undefined` for anything else, which gets no response. */
export const readJson = (data: Uint8Array): unknown => {
  if (data.byteLength === 0 || data.byteLength > MAX_BYTES) return undefined;
  try {
    return JSON.parse(textIn(data));
  } catch {
    return undefined;
  }
};

export const textIn = (data: Uint8Array): string => Buffer.from(data).toString('utf8');
