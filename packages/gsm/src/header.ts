import { identifierOf, languageOf, type National } from './alphabet.ts';

/*
 * User data headers: a length octet and information elements (3GPP TS 23.040, section 9.2.3.24).
 */

/**
 * Says that this is part `number` of a message with `total` parts. All parts of the message have the same reference of
 * 8 or 16 bits.
 */
export interface Concatenation {
  readonly kind: 'concatenation';
  readonly bits: 8 | 16;
  readonly reference: number;
  readonly total: number;
  readonly number: number;
}

/** Application port addressing, with ports of 8 or 16 bits. */
export interface Ports {
  readonly kind: 'ports';
  readonly bits: 8 | 16;
  readonly destination: number;
  readonly source: number;
}

/** Selects a national table, locking or single shift, by its national language identifier. */
export interface Shift {
  readonly kind: 'locking-shift' | 'single-shift';
  readonly identifier: number;
}

/**
 * An undecoded information element. This package does not know the id of the element, or a receiver must ignore the
 * element.
 */
export interface Opaque {
  readonly kind: 'opaque';
  readonly id: number;
  readonly data: Uint8Array;
  /**
   * Why a receiver must ignore this element. `length`: the length of the element is wrong. `numbering`: `total` is 0,
   * or `number` is not 1 to `total`.
   */
  readonly fault?: 'length' | 'numbering';
}

export type InformationElement = Concatenation | Ports | Shift | Opaque;

/**
 * The information elements of a header in order, and the length of the header including its length octet. The text
 * begins after the header.
 */
export interface Header {
  readonly ok: true;
  readonly elements: readonly InformationElement[];
  readonly length: number;
}

/**
 * Why a header cannot be read. `missing`: the input has no octets. `truncated`: the header is longer than the input.
 * `element`: the last element does not end at the end of the header. For `element`, a receiver ignores the header, and
 * the text begins at `length`.
 */
export interface HeaderFault {
  readonly ok: false;
  readonly fault: 'missing' | 'truncated' | 'element';
  readonly length: number;
}

const concatenation8 = 0x00;
const ports8 = 0x04;
const ports16 = 0x05;
const concatenation16 = 0x08;
const singleShift = 0x24;
const lockingShift = 0x25;

/**
 * Parses the user data header at the start of the octets. Elements that a receiver must ignore get the kind `opaque`.
 * Never throws.
 */
export function parseHeader(octets: Uint8Array): Header | HeaderFault {
  const headerLength = octets[0];
  if (headerLength === undefined) return { ok: false, fault: 'missing', length: 0 };
  const length = headerLength + 1;
  if (length > octets.length) return { ok: false, fault: 'truncated', length: octets.length };
  const elements: InformationElement[] = [];
  let at = 1;
  while (at < length) {
    const id = octets[at] ?? 0;
    const start = at + 2;
    const end = start + (octets[at + 1] ?? 0);
    if (start > length || end > length) return { ok: false, fault: 'element', length };
    elements.push(readElement(id, new Uint8Array(octets.subarray(start, end))));
    at = end;
  }
  return { ok: true, elements, length };
}

/**
 * Builds a user data header from its elements; the inverse of `parseHeader`. Throws RangeError if the elements have
 * more than 255 octets, or a number does not fit its octets.
 */
export function buildHeader(elements: readonly InformationElement[]): Uint8Array {
  const octets = [0];
  for (const element of elements) {
    const { id, data } = writeElement(element);
    octets.push(id, data.length, ...data);
  }
  octets[0] = octets.length - 1;
  if (octets.some((octet) => !(Number.isInteger(octet) && octet >= 0 && octet <= 0xff))) {
    throw new RangeError('a number in the user data header is too large for its octets');
  }
  return Uint8Array.from(octets);
}

/**
 * Makes the concatenation element of one part. Throws RangeError unless 1 <= number <= total <= 255 and the reference
 * fits into `bits`.
 */
export function concatenation(part: Omit<Concatenation, 'kind'>): Concatenation {
  const { bits, reference, total, number } = part;
  const fits = [reference, total, number].every((value) => Number.isInteger(value));
  if (!fits || number < 1 || number > total || total > 0xff || reference < 0 || reference >= 2 ** bits) {
    throw new RangeError(`part ${number} of ${total} with reference ${reference} cannot be written in ${bits} bits`);
  }
  return { kind: 'concatenation', bits, reference, total, number };
}

/** Returns the information elements that select these national tables, in the order of their ids. */
export function shiftsOf(national: National): Shift[] {
  const shifts: Shift[] = [];
  if (national.single) shifts.push({ kind: 'single-shift', identifier: identifierOf(national.single) });
  if (national.locking) shifts.push({ kind: 'locking-shift', identifier: identifierOf(national.locking) });
  return shifts;
}

/**
 * Returns the national tables that the header selects. If several elements have the same kind, the last element counts.
 * Reserved identifiers are ignored.
 */
export function nationalOf(elements: readonly InformationElement[]): National {
  let national: National = {};
  for (const element of elements) {
    if (element.kind !== 'locking-shift' && element.kind !== 'single-shift') continue;
    const language = languageOf(element.identifier);
    if (!language) continue;
    national = { ...national, [element.kind === 'single-shift' ? 'single' : 'locking']: language };
  }
  return national;
}

/** Returns the concatenation element of a header. If the header has several, the last element counts. */
export function concatenationOf(elements: readonly InformationElement[]): Concatenation | undefined {
  return elements.findLast((element) => element.kind === 'concatenation');
}

function readElement(id: number, data: Uint8Array): InformationElement {
  const bits = id === concatenation16 || id === ports16 ? 16 : 8;
  const [first = 0, second = 0] = data;
  switch (id) {
    case concatenation8:
    case concatenation16: {
      if (data.length !== 2 + bits / 8) return { kind: 'opaque', id, data, fault: 'length' };
      const [total = 0, number = 0] = data.subarray(bits / 8);
      if (number < 1 || number > total) return { kind: 'opaque', id, data, fault: 'numbering' };
      return { kind: 'concatenation', bits, reference: bits === 8 ? first : (first << 8) | second, total, number };
    }
    case ports8:
    case ports16: {
      if (data.length !== bits / 4) return { kind: 'opaque', id, data, fault: 'length' };
      if (bits === 8) return { kind: 'ports', bits, destination: first, source: second };
      const [third = 0, fourth = 0] = data.subarray(2);
      return { kind: 'ports', bits, destination: (first << 8) | second, source: (third << 8) | fourth };
    }
    case singleShift:
    case lockingShift:
      if (data.length !== 1) return { kind: 'opaque', id, data, fault: 'length' };
      return { kind: id === singleShift ? 'single-shift' : 'locking-shift', identifier: first };
    default:
      return { kind: 'opaque', id, data };
  }
}

function writeElement(element: InformationElement): Pick<Opaque, 'id'> & { data: readonly number[] | Uint8Array } {
  switch (element.kind) {
    case 'concatenation': {
      const { bits, reference, total, number } = element;
      const id = bits === 8 ? concatenation8 : concatenation16;
      return { id, data: [...octetsOf(reference, bits), total, number] };
    }
    case 'ports': {
      const { bits, destination, source } = element;
      return { id: bits === 8 ? ports8 : ports16, data: [...octetsOf(destination, bits), ...octetsOf(source, bits)] };
    }
    case 'single-shift':
      return { id: singleShift, data: [element.identifier] };
    case 'locking-shift':
      return { id: lockingShift, data: [element.identifier] };
    default:
      return { id: element.id, data: element.data };
  }
}

function octetsOf(value: number, bits: 8 | 16): number[] {
  // The values are not masked to 8 bits, because `buildHeader` must see and refuse an octet over 255.
  return bits === 8 ? [value] : [Math.floor(value / 0x100), value % 0x100];
}
