import { isIP } from 'node:net';
import { type AddressKind, kindOfAddress } from './address.ts';

/** What an endpoint may be connected to, told by its URL alone. */
export interface EndpointAddress {
  readonly url: URL;
  /** The address itself, where the URL has one; no name is looked up then. */
  readonly literal?: string | undefined;
  /** Why an address that this URL leads to may not be connected to, if that is so. */
  refuses(address: string): string | undefined;
}

export type ReadTarget =
  | { readonly ok: true; readonly target: EndpointAddress }
  | { readonly ok: false; readonly message: string };

/** The host as somebody wrote it. A browser's reading of `127.1` or `0x7f.1` is not how one writes that one means this machine. */
const writtenHost = (written: string): string | undefined =>
  /^https?:\/\/(?:[^/?#@\\]*@)?(\[[^\]]*\]|[^/:?#\\]*)/i.exec(written)?.[1]?.toLowerCase();

const places: Readonly<Record<Exclude<AddressKind, 'public'>, string>> = {
  forbidden: 'which no hook may reach',
  loopback: 'on this machine',
  private: 'on a private network',
};

/** Names that are kept for this machine, whether or not a resolver knows them. */
const alsoLocalhost = /(?:^|\.)localhost\.?$/;
const LOOPBACK = '127.0.0.1';

interface Spelling {
  /** The URL says plainly that it means an inward place of this kind, and whose it is may say so. */
  readonly inward?: AddressKind | undefined;
  /** Nothing but that will do. */
  readonly only?: boolean;
  /** What to write instead. */
  readonly hint: string;
}

const spellingOf = (url: URL, written: string, host: string, mayGoInward: boolean): Spelling => {
  if (!mayGoInward) return { hint: 'a hook of a project or an extension needs the approval of exactly this URL' };
  if (url.hostname === 'localhost' && writtenHost(written) === 'localhost') {
    return { inward: 'loopback', only: true, hint: 'localhost must be this machine' };
  }
  const isPlain = isIP(host) !== 0 && writtenHost(written) === url.hostname;
  const hint = 'an internal address must be written in the URL itself, as 127.0.0.1 or localhost';
  return isPlain ? { inward: kindOfAddress(host), hint } : { hint };
};

/**
 * Reads the URL of an endpoint. `mayGoInward` says that whoever wrote it may name this machine and its networks; whatever
 * it is, no name leads there but `localhost`, and metadata services are out of reach for everybody.
 */
export const readTarget = (written: string, mayGoInward: boolean): ReadTarget => {
  if (!URL.canParse(written))
    return { ok: false, message: `the url must be absolute, as https://example.com/hook, got "${written}"` };
  const url = new URL(written);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { ok: false, message: `the url must begin with https:// or http://, got "${url.protocol}"` };
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isOtherLocalhost = alsoLocalhost.test(host) && writtenHost(written) !== 'localhost';
  const literal = isOtherLocalhost ? LOOPBACK : isIP(host) === 0 ? undefined : host;
  const { inward, only = false, hint } = spellingOf(url, written, host, mayGoInward);
  const refuses = (address: string): string | undefined => {
    const kind = kindOfAddress(address);
    const leads = address === host ? `${address} is an address` : `${host} leads to ${address},`;
    if (kind === 'public') return only ? `${leads} which is not this machine; ${hint}` : undefined;
    if (kind === 'forbidden') return `${leads} ${places.forbidden}`;
    return kind === inward ? undefined : `${leads} ${places[kind]}; ${hint}`;
  };
  return { ok: true, target: { url, literal, refuses } };
};
