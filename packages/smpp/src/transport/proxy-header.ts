import { SocketAddress, type Socket } from 'node:net';

/*
 * The header with which a load balancer begins a connection, to name the client of it: the PROXY protocol, version 2
 * (https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt, section 2.2). TLS begins after the header.
 */

/** The addresses of a client, as a balancer or the socket names them. */
export interface Peer {
  readonly address: string;
  readonly port: number;
}

/**
 * `wants`: further octets are needed, this many in total. `fault`: why the octets are no header. `client`: a complete
 * header; undefined if it names nobody, as in a balancer's own check of its servers.
 */
export type ProxyHeader =
  | { readonly wants: number }
  | { readonly fault: string }
  | { readonly client: Peer | undefined };

const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const headOctets = signature.length + 4;
/** The most octets after the head. Balancers add fields of their own, some hundreds of octets with a certificate's name. */
const bodyMax = 4096;

/** The longest wait for a header. A balancer sends it at once; a lost packet is repeated after 1 s, and then after 3 s. */
export const proxyHeaderMs = 5000;

/** The octets of source address, destination address, source port and destination port, by family and transport. */
const families: Readonly<Record<number, { readonly octets: number; readonly address: (octets: Buffer) => string }>> = {
  [0x11]: { octets: 12, address: (octets) => octets.subarray(0, 4).join('.') },
  [0x21]: { octets: 36, address: v6 },
};
const unspecified = 0x00;

/** Reads a header. Fields after the addresses are skipped. */
export function readProxyHeader(octets: Buffer): ProxyHeader {
  if (octets.length < headOctets) return { wants: headOctets };
  if (octets.toString('latin1', 0, 6) === 'PROXY ') return { fault: 'a header of version 1, not 2' };
  if (!octets.subarray(0, signature.length).equals(signature)) return { fault: 'no header' };
  const [command = 0, family = 0] = octets.subarray(signature.length);
  const length = octets.readUInt16BE(headOctets - 2);
  if (command >> 4 !== 2) return { fault: `a header of version ${command >> 4}, not 2` };
  if (command > 0x21) return { fault: `an unknown command ${command & 0xf}` };
  if (length > bodyMax) return { fault: `a header of ${length} octets, more than ${bodyMax}` };
  if (octets.length < headOctets + length) return { wants: headOctets + length };
  if (command === 0x20 || family === unspecified) return { client: undefined };
  const known = families[family];
  if (!known) return { fault: `a client without TCP over IPv4 or IPv6 (family 0x${family.toString(16)})` };
  if (length < known.octets) return { fault: `${length} octets, too few for the addresses` };
  const body = octets.subarray(headOctets);
  return { client: { address: known.address(body), port: body.readUInt16BE(known.octets - 4) } };
}

/** The text that the address of a socket would have. */
function v6(octets: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => octets.readUInt16BE(2 * at).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

/**
 * Reads the header from a new connection, of which nothing else has been read, and calls `done` once. Octets after the
 * header stay in the socket. `done` is not called if the peer ends the connection without an octet.
 */
export function receiveProxyHeader(
  socket: Socket,
  done: (header: Exclude<ProxyHeader, { readonly wants: number }>) => void,
): void {
  let head = Buffer.alloc(0);
  const read = () => {
    for (let header = readProxyHeader(head); ; header = readProxyHeader(head)) {
      if (!('wants' in header)) return finish(header);
      const more: Buffer | null = socket.read(header.wants - head.length);
      if (!more) return;
      head = Buffer.concat([head, more]);
      if (head.length < header.wants) return finish({ fault: 'an incomplete header' });
    }
  };
  const finish = (header: Parameters<typeof done>[0]) => {
    stop();
    done(header);
  };
  const end = () => {
    stop();
    socket.destroy();
  };
  const timer = setTimeout(() => finish({ fault: `no header within ${proxyHeaderMs / 1000} s` }), proxyHeaderMs);
  const stop = () => {
    clearTimeout(timer);
    socket.off('readable', read).off('end', end).off('close', end).off('error', end);
  };
  socket.on('readable', read).on('end', end).on('close', end).on('error', end);
  read();
}
