/** A range of IP addresses in CIDR notation (RFC 4632; RFC 4291, section 2.3). */
export interface AddressRange {
  /** Text such as `192.0.2.0/24`, or a single address. */
  readonly text: string;
  /**
   * Eight words of 16 bits. An IPv4 address is mapped into IPv6 (RFC 4291, section 2.5.5.2), so that it matches the
   * same range over both protocols.
   */
  readonly words: readonly number[];
  /** The prefix length: how many first bits of `words` must be equal. */
  readonly bits: number;
}

const words = 8;
const wordBits = 16;
const allBits = words * wordBits;
/** The number of bits before an IPv4 address that is mapped into IPv6. */
const mappedBits = 96;
const lengthPattern = /^(?:0|[1-9]\d{0,2})$/;

/** Undefined if the text is no range, or if a bit after the prefix length is not 0. */
export function parseRange(text: string): AddressRange | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const parsed = parseAddress(address);
  if (!parsed || rest.length > 0) return undefined;
  if (length === undefined) return { text, words: parsed, bits: allBits };
  if (!lengthPattern.test(length)) return undefined;
  const bits = Number(length) + (address.includes(':') ? 0 : mappedBits);
  if (bits > allBits || !endsInZeros(parsed, bits)) return undefined;
  return { text, words: parsed, bits };
}

/** The words of an address, of 16 bits each. Undefined if the text is no address. Ignores an IPv6 zone. */
export function parseAddress(text: string): readonly number[] | undefined {
  return text.includes(':') ? parseV6(text.replace(/%.*$/, '')) : parseV4(text);
}

export function isWithin(ranges: readonly AddressRange[], address: readonly number[]): boolean {
  return ranges.some((range) => hasPrefix(range, address));
}

function hasPrefix(range: AddressRange, address: readonly number[]): boolean {
  let left = range.bits;
  for (let at = 0; left > 0; at++, left -= wordBits) {
    const shift = Math.max(0, wordBits - left);
    if ((range.words[at] ?? 0) >>> shift !== (address[at] ?? 0) >>> shift) return false;
  }
  return true;
}

function endsInZeros(address: readonly number[], bits: number): boolean {
  return address.every((word, at) => {
    const counted = Math.min(wordBits, Math.max(0, bits - at * wordBits));
    return (word & (0xff_ff >>> counted)) === 0;
  });
}

const octetPattern = /^(?:0|[1-9]\d{0,2})$/;
const octets = 4;

function parseV4(text: string): number[] | undefined {
  const parts = text.split('.', octets + 1);
  if (parts.length !== octets) return undefined;
  // Leading zeros are refused, because some programs read such numbers as octal.
  if (!parts.every((part) => octetPattern.test(part) && Number(part) <= 255)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
  return [0, 0, 0, 0, 0, 0xff_ff, a * 256 + b, c * 256 + d];
}

const groupPattern = /^[0-9a-f]{1,4}$/i;
/** The longest text of an IPv6 address: eight groups, with the last two groups in IPv4 notation. */
const textMax = 45;

function parseV6(text: string): number[] | undefined {
  if (text.length > textMax) return undefined;
  const [before = '', after, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const head = parseGroups(before, after === undefined);
  const tail = after === undefined ? [] : parseGroups(after, true);
  if (!head || !tail) return undefined;
  const missing = words - head.length - tail.length;
  // `::` replaces at least one group (RFC 4291, section 2.2).
  if (after === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function parseGroups(text: string, isEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const groups = text.split(':');
  const values: number[] = [];
  for (const [at, group] of groups.entries()) {
    if (groupPattern.test(group)) {
      values.push(Number.parseInt(group, 16));
      continue;
    }
    const v4 = isEnd && at === groups.length - 1 ? parseV4(group) : undefined;
    if (!v4) return undefined;
    values.push(...v4.slice(-2));
  }
  return values;
}

/** A list of allowed values, or `any`, which allows every value. An empty list allows no value. */
export type AllowList<T> = readonly T[] | 'any';
