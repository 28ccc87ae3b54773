import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Where an address leads. `forbidden` is never right for a hook: metadata services, link-local, multicast, no host at all. */
export type AddressKind = 'public' | 'private' | 'loopback' | 'forbidden';

type Range = readonly [kind: Exclude<AddressKind, 'public'>, network: string, prefix: number];

/** The first that matches counts: single hosts of metadata services stand before the networks they are in. */
const ranges4: readonly Range[] = [
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

const ranges6: readonly Range[] = [
  ['forbidden', 'fd00:ec2::254', 128],
  ['forbidden', 'fd20:ce::254', 128],
  ['forbidden', '::', 128],
  ['loopback', '::1', 128],
  ['forbidden', 'fe80::', 10],
  ['forbidden', 'ff00::', 8],
  ['private', 'fec0::', 10],
  ['private', 'fc00::', 7],
];

const listOf = ([kind, network, prefix]: Range, family: 'ipv4' | 'ipv6') => {
  const list = new BlockList();
  list.addSubnet(network, prefix, family);
  return { kind, list };
};

const lists = {
  ipv4: ranges4.map((range) => listOf(range, 'ipv4')),
  ipv6: ranges6.map((range) => listOf(range, 'ipv6')),
} as const;

const kindIn = (family: 'ipv4' | 'ipv6', address: string): AddressKind =>
  lists[family].find(({ list }) => list.check(address, family))?.kind ?? 'public';

const dotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

/** The eight groups of an IPv6 address in any spelling. */
const groupsOf = (address: string): number[] => {
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

const isZero = (groups: readonly number[]): boolean => groups.every((group) => group === 0);

/** The IPv4 addresses that an IPv6 address is another way to reach: mapped, compatible, translated, tunnelled. */
const embeddedIn = ([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0]: readonly number[]): string[] => {
  const last = dotted(g, h);
  const isMapped = isZero([a, b, c, d]) && ((e === 0 && f === 0xffff) || (e === 0xffff && f === 0));
  const isCompatible = isZero([a, b, c, d, e, f]) && (g !== 0 || h > 1);
  const isNat64 = a === 0x64 && b === 0xff9b;
  const isIsatap = (e === 0 || e === 0x200) && f === 0x5efe;
  if (isMapped || isCompatible || isNat64 || isIsatap) return [last];
  if (a === 0x2002) return [dotted(b, c)];
  // Teredo: the server as it stands, the client with all its bits turned round.
  if (a === 0x2001 && b === 0) return [dotted(c, d), dotted(g ^ 0xffff, h ^ 0xffff)];
  return [];
};

/**
 * Says where an IP address leads. An IPv6 address that stands for an IPv4 address leads where that does; unless that is
 * a public place nobody has a good reason to write it so.
 */
export const kindOfAddress = (address: string): AddressKind => {
  const [plain = ''] = address.split('%');
  if (isIPv4(plain)) return kindIn('ipv4', plain);
  if (!isIPv6(plain)) return 'forbidden';
  const embedded = embeddedIn(groupsOf(plain));
  if (embedded.length === 0) return kindIn('ipv6', plain);
  return embedded.every((each) => kindIn('ipv4', each) === 'public') ? 'public' : 'forbidden';
};
