// Decides which addresses the URL of an HTTP hook may connect to.
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

export interface EndpointAddress {
  readonly url: URL;
  readonly literal?: string | undefined;
  refuses(address: string): string | undefined;
}

export type TargetResult =
  | { readonly ok: true; readonly target: EndpointAddress }
  | { readonly ok: false; readonly message: string };

/**
 * URL parsers turn `127.1` and `0x7f.1` into 127.0.0.1, so the original spelling decides whether the author clearly
 * meant this machine.
 */
const readWrittenHost = (written: string): string | undefined =>
  /^https?:\/\/(?:[^/?#@\\]*@)?(\[[^\]]*\]|[^/:?#\\]*)/i.exec(written)?.[1]?.toLowerCase();

const rangeDescriptions: Readonly<Record<Exclude<AddressKind, 'public'>, string>> = {
  forbidden: 'which no hook may reach',
  loopback: 'on this machine',
  private: 'on a private network',
};

/** RFC 6761 reserves these names for this machine, even if a resolver returns another address. */
const localhostPattern = /(?:^|\.)localhost\.?$/;
const LOOPBACK_ADDRESS = '127.0.0.1';

interface HostPermission {
  readonly allowed?: AddressKind | undefined;
  /** True if all addresses of the name must be of the allowed kind. */
  readonly only?: boolean;
  readonly hint: string;
}

const judgeHost = (url: URL, written: string, host: string, mayReachPrivateNetwork: boolean): HostPermission => {
  if (!mayReachPrivateNetwork)
    return { hint: 'a hook of a project or an extension needs the approval of exactly this URL' };
  if (url.hostname === 'localhost' && readWrittenHost(written) === 'localhost') {
    return { allowed: 'loopback', only: true, hint: 'localhost must be this machine' };
  }
  const isPlain = isIP(host) !== 0 && readWrittenHost(written) === url.hostname;
  const hint = 'an internal address must be written in the URL itself, as 127.0.0.1 or localhost';
  return isPlain ? { allowed: classifyAddress(host), hint } : { hint };
};

/**
 * Even with `mayReachPrivateNetwork`, only the name `localhost` may resolve to an internal address, and metadata
 * services are never allowed.
 */
export const readTarget = (written: string, mayReachPrivateNetwork: boolean): TargetResult => {
  if (!URL.canParse(written)) {
    const expected = /^https?:\/\//i.test(written)
      ? 'have a valid host and a port of at most 65535'
      : 'be absolute, as https://example.com/hook';
    return { ok: false, message: `the url must ${expected}, got "${written}"` };
  }
  const url = new URL(written);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { ok: false, message: `the url must begin with https:// or http://, got "${url.protocol}"` };
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isOtherLocalhost = localhostPattern.test(host) && readWrittenHost(written) !== 'localhost';
  const literal = isOtherLocalhost ? LOOPBACK_ADDRESS : isIP(host) === 0 ? undefined : host;
  const { allowed, only = false, hint } = judgeHost(url, written, host, mayReachPrivateNetwork);
  const refuses = (address: string): string | undefined => {
    const kind = classifyAddress(address);
    const leads = address === host ? `${address} is an address` : `${host} leads to ${address},`;
    if (kind === 'public') return only ? `${leads} which is not this machine; ${hint}` : undefined;
    if (kind === 'forbidden') return `${leads} ${rangeDescriptions.forbidden}`;
    return kind === allowed ? undefined : `${leads} ${rangeDescriptions[kind]}; ${hint}`;
  };
  return { ok: true, target: { url, literal, refuses } };
};

/** No hook may use a `forbidden` address: metadata services, link-local, multicast, unspecified. */
type AddressKind = 'public' | 'private' | 'loopback' | 'forbidden';

type AddressRange = readonly [kind: Exclude<AddressKind, 'public'>, network: string, prefix: number];

/** The first match is used: single addresses of metadata services precede the networks that contain them. */
const ipv4Ranges: readonly AddressRange[] = [
  ['forbidden', '100.100.100.200', 32],
  ['forbidden', '168.63.129.16', 32],
  ['forbidden', '192.0.0.0', 24],
  ['forbidden', '169.254.0.0', 16],
  ['forbidden', '0.0.0.0', 8],
  ['forbidden', '224.0.0.0', 3],
  ['loopback', '127.0.0.0', 8],
  ['private', '10.0.0.0', 8],
  ['private', '172.16.0.0', 12],
  ['private', '192.168.0.0', 16],
  ['private', '100.64.0.0', 10],
  ['private', '198.18.0.0', 15],
];

const ipv6Ranges: readonly AddressRange[] = [
  ['forbidden', 'fd00:ec2::254', 128],
  ['forbidden', 'fd20:ce::254', 128],
  ['forbidden', '::', 128],
  ['loopback', '::1', 128],
  ['forbidden', 'fe80::', 10],
  ['forbidden', 'ff00::', 8],
  ['private', 'fec0::', 10],
  ['private', 'fc00::', 7],
];

const createBlockLists = (ranges: readonly AddressRange[], family: 'ipv4' | 'ipv6') =>
  ranges.map(([kind, network, prefix]) => {
    const list = new BlockList();
    list.addSubnet(network, prefix, family);
    return { kind, list };
  });

const blockLists = { ipv4: createBlockLists(ipv4Ranges, 'ipv4'), ipv6: createBlockLists(ipv6Ranges, 'ipv6') };

const findAddressKind = (family: 'ipv4' | 'ipv6', address: string): AddressKind =>
  blockLists[family].find(({ list }) => list.check(address, family))?.kind ?? 'public';

const formatIpv4 = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

const parseGroups = (address: string): number[] => {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = '', tail] = hex.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const between = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...between, ...after].map((group) => Number.parseInt(group, 16));
};

const areAllZero = (groups: readonly number[]): boolean => groups.every((group) => group === 0);

/** IPv4 addresses inside an IPv6 address: mapped, compatible, translated or tunnelled. */
const listEmbeddedIpv4 = ([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0]: readonly number[]): string[] => {
  const last = formatIpv4(g, h);
  const isMapped = areAllZero([a, b, c, d]) && ((e === 0 && f === 0xffff) || (e === 0xffff && f === 0));
  const isCompatible = areAllZero([a, b, c, d, e, f]) && (g !== 0 || h > 1);
  const isNat64 = a === 0x64 && b === 0xff9b;
  const isIsatap = (e === 0 || e === 0x200) && f === 0x5efe;
  if (isMapped || isCompatible || isNat64 || isIsatap) return [last];
  if (a === 0x2002) return [formatIpv4(b, c)];
  // Teredo contains the server's address, and the client's with all bits inverted.
  if (a === 0x2001 && b === 0) return [formatIpv4(c, d), formatIpv4(g ^ 0xffff, h ^ 0xffff)];
  return [];
};

/**
 * An IPv6 address that embeds an internal IPv4 address is forbidden, because the form only serves to evade the check.
 */
export const classifyAddress = (address: string): AddressKind => {
  const [plain = ''] = address.split('%');
  if (isIPv4(plain)) return findAddressKind('ipv4', plain);
  if (!isIPv6(plain)) return 'forbidden';
  const embedded = listEmbeddedIpv4(parseGroups(plain));
  if (embedded.length === 0) return findAddressKind('ipv6', plain);
  return embedded.every((each) => findAddressKind('ipv4', each) === 'public') ? 'public' : 'forbidden';
};
