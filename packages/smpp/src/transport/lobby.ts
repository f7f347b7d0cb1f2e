import { isIPv4, type Server as NetServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { receiveProxyHeader, type Peer } from './proxy-header.ts';

/*
 * The lobby limits the connections of a listener, below its protocol: SMPP or HTTP, with or without TLS. Anybody can open
 * a connection, so a new connection is a guest until its protocol admits it, and guests are replaced by newer guests.
 */

/**
 * The longest PDU that we read before the bind. A normal bind has about 100 octets (3.4 section 4.1). A bind whose
 * fields are too long has more.
 */
export const unboundPduLengthMax = 1024;
/** The most octets of our answers that may wait to be sent to a peer that is not bound. */
export const unboundOutputOctets = 4096;

/**
 * What would be lost if the connection ended now. `idle`: nothing. `waiting`: the peer waits for an answer, and can ask
 * again. `busy`: the peer must get its answer, so the connection is never replaced.
 */
export type Standing = 'idle' | 'waiting' | 'busy';

/** Load balancers that begin each connection with a PROXY protocol header, which names the client. */
export interface Balancers {
  readonly includes: (address: string) => boolean;
  /** Called before a connection is closed because its header is missing or wrong. */
  readonly refused: (balancer: string, fault: string) => void;
}

/** The place of a connection. */
export interface Place {
  /** The client, also behind a balancer. */
  readonly client: Peer;
  readonly network: string;
  /** When the peer connected. */
  readonly since: number;
  /** Ends the connection at once. */
  readonly end: () => void;
  /** The protocol sets this function. Until then the connection is idle, for example during its TLS handshake. */
  standing: () => Standing;
  /** Who has admitted the connection, such as the name of an operator; undefined for a guest. */
  party?: string;
}

export interface LobbyOptions {
  /** The most connections. */
  readonly max: number;
  /** The most guests in total, and of one network. Default: `max`. */
  readonly guestsMax?: number;
  readonly guestsOfNetworkMax?: number;
  /** The most admitted connections in total, and of one party. Default: `max`. */
  readonly admittedMax?: number;
  readonly partyMax?: number;
  /** Whether many clients share this IP address, as behind a proxy. `guestsOfNetworkMax` does not apply to it. */
  readonly isShared?: (address: string) => boolean;
  readonly balancers?: Balancers | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** The time in which a client that speaks immediately has done so, even over TLS or a slow network. */
const silentMs = 2000;

/**
 * Makes room for new connections. At a limit, a new connection replaces the oldest connection that has said nothing for
 * two seconds. If there is none, it replaces one of the network with the most connections. Therefore many idle
 * connections or half handshakes cannot block a client that speaks immediately, and one address cannot block the
 * others. If no connection may be replaced, the new one is closed. Admitted connections have places of their own, which
 * their parties share in the same way. Then a new guest may have a key, so it is never closed unread: it replaces the
 * guest that has waited longest.
 */
export class Lobby {
  readonly #options: Required<Omit<LobbyOptions, 'balancers'>>;
  readonly #balancers: Balancers | undefined;
  readonly #guests = new Groups();
  /** The guests that have said nothing yet, in the order of arrival. */
  readonly #silent = new Set<Place>();
  readonly #admitted = new Groups();
  readonly #places = new Map<string, Place>();

  constructor(options: LobbyOptions) {
    const { max, guestsMax = max, guestsOfNetworkMax = max, admittedMax = max, partyMax = max } = options;
    const { isShared: isGiven = () => false, balancers, now } = options;
    const isShared = (address: string) => isGiven(address) || balancers?.includes(address) === true;
    this.#options = { max, guestsMax, guestsOfNetworkMax, admittedMax, partyMax, isShared, now };
    this.#balancers = balancers;
  }

  /** The number of guests. */
  get size(): number {
    return this.#guests.size;
  }

  /**
   * Gives a place to each connection of the server, or closes it. The server's own listeners of `connection` get the
   * connection after that, and after the header of a balancer. So call this when the server has them. Several servers
   * may share a lobby. A connection that a TLS server has passed to an HTTP server keeps its place. Node's
   * `maxConnections` must not be set, because Node would close the new connection instead of an old one.
   */
  watch(server: NetServer): void {
    const listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const pass = () => {
        for (const listener of listeners) listener.call(server, socket);
      };
      if (socket instanceof TLSSocket) pass();
      else this.#receive(socket, pass);
    });
  }

  #receive(socket: Socket, pass: () => void): void {
    const peer = peerOf(socket);
    let place: Place | undefined;
    const seat = (client: Peer): boolean => {
      if (place) this.leave(place);
      place = this.enter(client.address, () => void socket.destroy(), client.port);
      if (place) this.#places.set(peer, place);
      return place !== undefined;
    };
    // The address is missing if the peer has reset the connection already.
    const { remoteAddress: address, remotePort: port = 0 } = socket;
    if (address === undefined || !seat({ address, port })) {
      socket.destroy();
      return;
    }
    socket.once('close', () => {
      if (place) this.leave(place);
      if (this.#places.get(peer) === place) this.#places.delete(peer);
    });
    if (this.#balancers?.includes(address) !== true) {
      pass();
      return;
    }
    receiveProxyHeader(socket, (header) => {
      if ('fault' in header) this.#balancers?.refused(address, header.fault);
      else if (!header.client || seat(header.client)) {
        pass();
        return;
      }
      socket.destroy();
    });
  }

  /** The place of a connection of a watched server; undefined if it is closed. The socket may be the TLS socket, too. */
  placeOf(socket: Socket): Place | undefined {
    return this.#places.get(peerOf(socket));
  }

  /** Returns a place for a new connection, or undefined if the connection must be closed. */
  enter(address: string, end: () => void, port = 0): Place | undefined {
    const { max, guestsMax, guestsOfNetworkMax, isShared, now } = this.#options;
    const network = networkOf(address);
    const own = this.#guests.of(network);
    const isOwnFull = own.size >= guestsOfNetworkMax && !isShared(address);
    if (isOwnFull && !this.#end(firstIdle(own) ?? this.#longest([own]))) return undefined;
    const isFull = this.#guests.size >= guestsMax || this.#guests.size + this.#admitted.size >= max;
    if (isFull && !this.#end(this.#leastWelcome(network))) return undefined;
    const place: Place = { client: { address, port }, network, since: now(), end, standing: () => 'idle' };
    this.#guests.add(network, place);
    this.#silent.add(place);
    return place;
  }

  /** To call when the peer has sent something: a bind or a request. */
  hear(place: Place): void {
    this.#silent.delete(place);
  }

  /**
   * Admits a connection for a party. At a limit, it replaces an idle connection of its party, or else the oldest one of
   * the party with the most. If none may be replaced, returns false, and the connection stays a guest.
   */
  admit(place: Place, party: string): boolean {
    if (place.party === party) return true;
    const { admittedMax, partyMax } = this.#options;
    const own = this.#admitted.of(party);
    if (own.size >= partyMax && !this.#end(firstIdle(own))) return false;
    const isFull = place.party === undefined && this.#admitted.size >= admittedMax;
    if (isFull && !this.#end(this.#leastMissed(own.size))) return false;
    this.leave(place);
    place.party = party;
    this.#admitted.add(party, place);
    return true;
  }

  /** Frees the place of a connection that has ended. A second call for the same place has no effect. */
  leave(place: Place): void {
    if (place.party !== undefined) this.#admitted.remove(place.party, place);
    this.#guests.remove(place.network, place);
    this.#silent.delete(place);
  }

  /** The place of the guest that a new guest of this network replaces. */
  #leastWelcome(network: string): Place | undefined {
    const [silent] = this.#silent;
    if (silent && this.#options.now() - silent.since >= silentMs) return silent;
    const own = this.#guests.of(network);
    const largest = this.#guests.largest();
    const others = largest.size > own.size ? firstIdle(largest) : undefined;
    const found = others ?? firstIdle(own);
    if (found) return found;
    for (const each of this.#silent) if (this.#guests.of(each.network).size > own.size) return each;
    // All guests wait for an answer. The newest guest has waited the shortest time.
    if (largest.size > own.size + 1) return [...largest].findLast((each) => each.standing() === 'waiting');
    // A network replaces its own guests first, so that a few networks cannot replace those of all others.
    return this.#longest(own.size > 0 ? [own] : this.#guests.all());
  }

  /** The place of the guest that has waited longest for an answer, where guests may be admitted. */
  #longest(groups: Iterable<ReadonlySet<Place>>): Place | undefined {
    if (this.#options.admittedMax === this.#options.max) return undefined;
    let found: Place | undefined;
    for (const group of groups) {
      const first = [...group].find((each) => each.standing() === 'waiting');
      if (first && (!found || first.since < found.since)) found = first;
    }
    return found;
  }

  /** The place of the admitted connection that is replaced by a connection of a party with `own` connections. */
  #leastMissed(own: number): Place | undefined {
    const largest = this.#admitted.largest();
    const idle = firstIdle(largest);
    return idle ?? (largest.size > own + 1 ? [...largest].find((each) => each.standing() === 'waiting') : undefined);
  }

  #end(place: Place | undefined): boolean {
    if (!place) return false;
    this.leave(place);
    place.end();
    return true;
  }
}

/** Groups the places by network or party, each group in the order of arrival. */
class Groups {
  readonly #groups = new Map<string, Set<Place>>();
  size = 0;

  of(name: string): ReadonlySet<Place> {
    return this.#groups.get(name) ?? none;
  }

  all(): Iterable<ReadonlySet<Place>> {
    return this.#groups.values();
  }

  largest(): ReadonlySet<Place> {
    let found = none;
    for (const group of this.#groups.values()) if (group.size > found.size) found = group;
    return found;
  }

  add(name: string, place: Place): void {
    const group = this.#groups.get(name) ?? new Set();
    this.#groups.set(name, group.add(place));
    this.size += 1;
  }

  remove(name: string, place: Place): void {
    const group = this.#groups.get(name);
    if (!group?.delete(place)) return;
    this.size -= 1;
    if (group.size === 0) this.#groups.delete(name);
  }
}

const none: ReadonlySet<Place> = new Set();

function firstIdle(places: ReadonlySet<Place>): Place | undefined {
  for (const place of places) if (place.standing() === 'idle') return place;
  return undefined;
}

/** Names a connection of a peer. Two connections from the same port of a peer differ in our address. */
function peerOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
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
