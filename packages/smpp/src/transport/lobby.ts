import { isIPv4 } from 'node:net';

/*
 * The lobby holds the connections that are not bound yet. Anybody can open one, so they are few and get few resources.
 */

/** The longest PDU before the bind. A bind has about 100 octets (3.4 section 4.1), more if its fields are too long. */
export const unboundPduLengthMax = 1024;
/** The most octets of our answers that may wait for a peer before its bind. */
export const unboundOutputOctets = 4096;

/** A connection while it is not bound. */
export interface Guest {
  /** Whether it has sent no bind yet. */
  isSilent(): boolean;
  /** Ends the connection at once. */
  drop(): void;
}

/** The place of a guest in the lobby. `since` is when it came. */
export interface Place {
  readonly key: string;
  readonly since: number;
  guest: Guest;
}

/** A client that binds right after it connects has sent its bind by then, even over TLS or a slow line. */
const idleMs = 2000;

/**
 * Limits the connections that wait for their bind, in all and from one address. If the lobby is full, the oldest
 * guest that has sent no bind makes room for the newest. A client that binds at once thus gets in, however many idle
 * connections there are. If all guests have sent a bind, the address with the most guests makes room for an address
 * with fewer. An address that binds all the time therefore cannot keep others out.
 */
export class Lobby {
  readonly #max: number;
  readonly #maxOfAddress: number;
  readonly #now: () => number;
  /** The places of each address. A set keeps the order of arrival. */
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

  /**
   * A place for the guest; undefined if all guests wait for our answer and no address has more guests than this one.
   */
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

  /** Frees a place, because the guest is bound or gone. A second call has no effect. */
  leave(place: Place): void {
    this.#all.delete(place);
    const ofAddress = this.#places.get(place.key);
    ofAddress?.delete(place);
    if (ofAddress?.size === 0) this.#places.delete(place.key);
  }

  /** The guest that makes room for a new one. `own` counts the guests of its address, the new one included. */
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

/**
 * The network that counts as one address: an IPv4 address in any notation, or the first 64 bits of an IPv6 address
 * (RFC 6177).
 */
export function networkOf(address: string): string {
  const mapped = address.replace(/^::ffff:/i, '');
  if (isIPv4(mapped)) return mapped;
  const [head = '', tail] = address.replace(/%.*$/, '').toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...(tail ?? '').split(':')];
  return all.slice(0, 4).join(':');
}
