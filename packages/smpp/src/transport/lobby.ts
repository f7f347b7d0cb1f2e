import { isIPv4 } from 'node:net';

/*
 * The lobby limits connections that are not bound yet. Anybody can open a connection, so connections that are not bound
 * are few and get few resources.
 */

/**
 * The longest PDU that we read before the bind. A bind has about 100 octets (3.4 section 4.1); a bind with fields that
 * are too long has more.
 */
export const unboundPduLengthMax = 1024;
/** The most octets of our answers that may wait to be sent to a peer that is not bound. */
export const unboundOutputOctets = 4096;

/** A guest of the lobby: a connection that is not bound yet. */
export interface Guest {
  /** Whether the connection has not sent a bind yet. */
  isSilent(): boolean;
  /** Ends the connection at once. */
  drop(): void;
}

/** The place of a guest in the lobby. `since` is the time when the guest connected. */
export interface Place {
  readonly key: string;
  readonly since: number;
  guest: Guest;
}

/** The time in which a client that binds immediately has sent its bind, even over TLS or a slow network. */
const idleMs = 2000;

/**
 * Limits the connections that are not bound yet, in total and for each address. If the lobby is full, a new connection
 * replaces the oldest connection that has sent no bind. Therefore many idle connections cannot block a client that
 * binds immediately. If all connections have sent a bind, a new connection replaces one from the address with the most
 * connections. Therefore one address with many binds cannot block other addresses.
 */
export class Lobby {
  readonly #max: number;
  readonly #maxOfAddress: number;
  readonly #now: () => number;
  /** The places of each address, in the order of arrival. */
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
   * Returns a place for the guest. Returns undefined if the lobby is full and no other guest may be replaced; then the
   * caller must close the connection.
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

  /** Frees the place of a guest that is bound or has disconnected. A second call for the same place has no effect. */
  leave(place: Place): void {
    this.#all.delete(place);
    const ofAddress = this.#places.get(place.key);
    ofAddress?.delete(place);
    if (ofAddress?.size === 0) this.#places.delete(place.key);
  }

  /**
   * Returns the place of the guest that the new guest replaces. `own` is the number of guests from the new guest's
   * address, including the new guest.
   */
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
 * Returns the network of an IP address, which the lobby counts as one address: the IPv4 address, or the first 64 bits
 * of the IPv6 address (RFC 6177).
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
