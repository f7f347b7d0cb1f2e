import { isWithin, parseRange, type AddressRange } from '@morsel/api/values/address-range.ts';

/*
 * Decides which IP addresses a webhook may call: public addresses, and private networks only if the operator allows
 * them. An IPv4 address equals its form mapped into IPv6: ::ffff:10.0.0.1 is 10.0.0.1.
 */

interface SpecialRange {
  readonly range: AddressRange;
  readonly is: string;
}

/** Ranges that are not globally reachable, from IANA's special-purpose registries of IPv4 and IPv6 (RFC 6890). */
const specialRanges: readonly SpecialRange[] = (
  [
    ['0.0.0.0/8', 'this host'],
    ['10.0.0.0/8', 'private'],
    ['100.64.0.0/10', 'shared by customers of a provider'],
    ['127.0.0.0/8', 'loopback'],
    ['169.254.0.0/16', 'link-local'],
    ['172.16.0.0/12', 'private'],
    ['192.0.0.0/24', 'reserved for protocols'],
    ['192.0.2.0/24', 'for documentation'],
    ['192.88.99.0/24', 'a 6to4 relay'],
    ['192.168.0.0/16', 'private'],
    ['198.18.0.0/15', 'for benchmarks'],
    ['198.51.100.0/24', 'for documentation'],
    ['203.0.113.0/24', 'for documentation'],
    ['224.0.0.0/4', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.0/4', 'reserved'],
    ['::1', 'loopback'],
    ['::', 'no address'],
    ['::/96', 'an IPv4 address in disguise'],
    ['::ffff:0:0:0/96', 'an IPv4 address in disguise'],
    ['64:ff9b::/96', 'an IPv4 address in disguise (NAT64)'],
    ['64:ff9b:1::/48', 'an IPv4 address in disguise (NAT64)'],
    ['2002::/16', 'an IPv4 address in disguise (6to4)'],
    ['2001::/32', 'an IPv4 address in disguise (Teredo)'],
    ['2001::/23', 'reserved for protocols'],
    ['2001:db8::/32', 'for documentation'],
    ['3fff::/20', 'for documentation'],
    ['100::/64', 'a black hole'],
    ['fc00::/7', 'private'],
    ['fe80::/10', 'link-local'],
    ['fec0::/10', 'private'],
    ['ff00::/8', 'multicast'],
  ] as const
).map(([text, is]) => ({ range: rangeOf(text), is }));

/** Global unicast addresses of IPv6 (RFC 4291, section 2.4), and IPv4. All other ranges are reserved. */
const assigned = ['2000::/3', '::ffff:0:0/96'].map(rangeOf);

/**
 * The reason why a webhook may not call this address; undefined if the address is public or the operator allowed it.
 */
export function reasonToRefuse(address: readonly number[], allowed: readonly AddressRange[]): string | undefined {
  if (isWithin(allowed, address)) return undefined;
  const special = specialRanges.find(({ range }) => isWithin([range], address));
  if (special) return special.is;
  return isWithin(assigned, address) ? undefined : 'reserved';
}

/**
 * A special range that makes `range` too wide, because `range` contains it and more; undefined if the operator may
 * allow `range`. A range that is too wide may include networks that the operator forgot, such as a cloud's metadata
 * service (169.254.169.254).
 */
export function tooWideFor(range: AddressRange): string | undefined {
  const disguised = ipv4In(range);
  if (disguised) return tooWideFor(disguised);
  if (specialRanges.some((special) => contains(special.range, range))) {
    return disguises.find((each) => contains(range, each.range))?.range.text;
  }
  return specialRanges.find((special) => contains(range, special.range))?.range.text;
}

/**
 * IPv6 ranges that embed an IPv4 address, with the number of bits before it. Teredo inverts the bits of the IPv4
 * address.
 */
const disguises = (
  [
    ['::/96', 96],
    ['::ffff:0:0:0/96', 96],
    ['64:ff9b::/96', 96],
    // Networks choose a prefix of up to 96 bits in this range (RFC 8215, section 5). A shorter prefix may contain all
    // of IPv4.
    ['64:ff9b:1::/48', 96],
    ['2002::/16', 16],
    ['2001::/32', 96],
  ] as const
).map(([text, before]) => ({ range: rangeOf(text), before, isTurned: text === '2001::/32' }));

/** The range of IPv4 addresses that an IPv6 range embeds; undefined if it embeds none. */
function ipv4In(range: AddressRange): AddressRange | undefined {
  const disguise = disguises.find((each) => contains(each.range, range));
  if (!disguise) return undefined;
  const { before, isTurned } = disguise;
  const bits = Math.min(32, Math.max(0, range.bits - before));
  const [high = 0, low = 0] = range.words.slice(before / 16, before / 16 + 2);
  const value = ((isTurned ? ~(high * 65_536 + low) : high * 65_536 + low) & maskOf(bits)) >>> 0;
  return { text: range.text, words: [0, 0, 0, 0, 0, 0xff_ff, value >>> 16, value & 0xff_ff], bits: 96 + bits };
}

function maskOf(bits: number): number {
  return bits === 0 ? 0 : -1 << (32 - bits);
}

function contains(outer: AddressRange, inner: AddressRange): boolean {
  return outer.bits <= inner.bits && isWithin([outer], inner.words);
}

function rangeOf(text: string): AddressRange {
  const range = parseRange(text);
  if (!range) throw new Error(`${text} is no range`);
  return range;
}
