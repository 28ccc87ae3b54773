import { type LookupAddress, lookup as lookUp } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { EndpointAddress } from './target.ts';

/** Finds the addresses of a name. */
export type Resolve = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export const resolveByName: Resolve = (hostname, callback) => lookUp(hostname, { all: true }, callback);

/** An address that is out of bounds. */
export class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress';
}

/**
 * The look-up of one connection: what it finds is what is connected to, so a name cannot lead elsewhere between the check
 * and the connection. One address out of bounds among several is one too many.
 */
export const guardedLookup =
  (target: EndpointAddress, resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const refusal = addresses.map(({ address }) => target.refuses(address)).find((reason) => reason !== undefined);
      if (refusal !== undefined) return callback(new BlockedAddress(refusal), '', 0);
      const [first] = addresses;
      if (first === undefined) return callback(new Error(`${hostname} has no address`), '', 0);
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
