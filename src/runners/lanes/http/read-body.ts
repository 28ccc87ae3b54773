import type { IncomingMessage } from 'node:http';
import { type Duplex, pipeline, Writable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ByteCollector } from '../../process/byte-collector.ts';

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** What we can read, for the endpoint to choose from. */
export const acceptedEncodings = 'gzip, deflate, br';

/** The answer has more bytes than anybody will read. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

const unpackersFor = (encoding: string): Duplex[] | undefined => {
  if (encoding === '' || encoding === 'identity') return [];
  const make = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  return make === undefined ? undefined : [make()];
};

/**
 * Reads a body to its end, and returns a function for what has come so far. What counts is its size when unpacked, for a small body can be packed to unfold to a large
 * one; beyond the limit nothing more is read, and the connection is closed.
 */
export const readBody = (
  response: IncomingMessage,
  maxBytes: number,
  done: (error?: Error) => void,
): (() => Uint8Array) => {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  const unpackers = unpackersFor(encoding);
  const collector = new ByteCollector(maxBytes);
  if (unpackers === undefined) {
    response.destroy();
    done(new Error(`the answer is packed as "${encoding}", which is none of ${acceptedEncodings}`));
    return () => collector.bytes();
  }
  // Said from here and not from the end of the pipeline: since Node 22 that waits for the response to close, which it does
  // not while the endpoint has more to send.
  let isOver = false;
  const end = (error: Error | undefined): void => {
    if (isOver) return;
    isOver = true;
    done(error);
  };
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, next) => {
      if (collector.add(chunk)) {
        next();
        return;
      }
      const tooLarge = new BodyTooLarge(`the answer has more than ${maxBytes} bytes`);
      end(tooLarge);
      next(tooLarge);
    },
  });
  for (const unpacker of unpackers) unpacker.once('error', end);
  pipeline([response, ...unpackers, sink], (error) => end(error ?? undefined));
  return () => collector.bytes();
};
