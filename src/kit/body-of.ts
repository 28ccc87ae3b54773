import type { IncomingMessage } from 'node:http';

/** What came with a request; nothing where that is more than it may be. */
export const bodyOf = async (request: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> => {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    if (!Buffer.isBuffer(piece)) continue;
    bytes += piece.length;
    if (bytes > mostBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};
