import { isIPv4 } from 'node:net';

/*
 * Connections that are not bound yet, from the first packet on. They may be anybody's: what one of them may take is little,
 * and there are only so many of them.
 */

/** Octets of a PDU before the bind. A bind has some 100 (3.4 section 4.1), and over-long fields are read, too. */
export const unboundPduLengthMax = 1024;
/** Octets of our answers to enquire_link, and of our nacks, that such a peer does not read. */
export const unboundOutputOctets = 4096;

/** A connection while it is not bound. */
export interface Guest {
  /** It has not said yet who it is. */
  isSilent(): boolean;
  /** Ends it at once. */
  drop(): void;
}

/** The place of a guest in the lobby, and since when it has it. */
export interface Place {
  readonly key: string;
  readonly since: number;
  guest: Guest;
}

/** Who binds as soon as it is connected has said so by then, behind a slow line or TLS, too. */
const idleMs = 2000;

/**
 * Keeps how many connections wait for their bind, all and of one address. When it is full the oldest that has not said who
 * it is makes room for the newest: whoever binds as soon as it is connected gets in, however many others only sit there. Where
 * all are busy the address with the most makes room for one with fewer: nor do many that bind without end keep it out.
 */
export class Lobby {
  readonly #max: number;
  readonly #maxOfAddress: number;
  readonly #now: () => number;
  /** By address; a set keeps the order of coming. */
  readonly #places = new Map<string, Set<Place>>();
  readonly #all = new Set<Place>();

  constructor(options: { readonly max: number; readonly maxOfAddress: number; readonly now: () => number }) {
    this.#max = options.max;
    this.#maxOfAddress = options.maxOfAddress;
    this.#now = options.now;
  }

  get size(): number {
    return this.#all.size;
  }

  /** A place, or undefined if there is none: all who are here wait for our answer, and no address has more than this one. */
  enter(address: string, guest: Guest): Place | undefined {
    const key = networkOf(address);
    const ofAddress = this.#places.get(key) ?? new Set<Place>();
    if (ofAddress.size >= this.#maxOfAddress && !this.#drop(oldestSilent(ofAddress))) return undefined;
    if (this.#all.size >= this.#max && !this.#drop(this.#leastWelcome(ofAddress.size + 1))) return undefined;
    const place = { key, since: this.#now(), guest };
    ofAddress.add(place);
    this.#places.set(key, ofAddress);
    this.#all.add(place);
    return place;
  }

  /** It is bound, or gone. A second time changes nothing. */
  leave(place: Place): void {
    this.#all.delete(place);
    const ofAddress = this.#places.get(place.key);
    ofAddress?.delete(place);
    if (ofAddress?.size === 0) this.#places.delete(place.key);
  }

  /** Who makes room for the newest, with which there are `own` of its address. */
  #leastWelcome(own: number): Place | undefined {
    const silent = oldestSilent(this.#all);
    if (silent && this.#now() - silent.since >= idleMs) return silent;
    let most: ReadonlySet<Place> = new Set();
    for (const places of this.#places.values()) if (places.size > most.size) most = places;
    if (most.size > own) return oldestSilent(most) ?? [...most].at(-1);
    return silent && (this.#places.get(silent.key)?.size ?? 0) >= own ? silent : undefined;
  }

  #drop(place: Place | undefined): boolean {
    if (!place) return false;
    this.leave(place);
    place.guest.drop();
    return true;
  }
}

function oldestSilent(places: ReadonlySet<Place>): Place | undefined {
  for (const place of places) if (place.guest.isSilent()) return place;
  return undefined;
}

/** What counts as one address: an IPv4 address, however it is written, or the 64 bits of an IPv6 network that one customer has (RFC 6177). */
export function networkOf(address: string): string {
  const mapped = address.replace(/^::ffff:/i, '');
  if (isIPv4(mapped)) return mapped;
  const [head = '', tail] = address.replace(/%.*$/, '').toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...(tail ?? '').split(':')];
  return all.slice(0, 4).join(':');
}
