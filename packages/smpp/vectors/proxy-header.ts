import { isIPv6 } from 'node:net';

/* Headers of the PROXY protocol, version 2, as load balancers send them. */

export interface ProxyHeaderParts {
  readonly source?: string;
  readonly port?: number;
  /** The low half is the command: 1 for a client, 0 for the balancer itself. */
  readonly command?: number;
  readonly family?: number;
  /** What follows the addresses. */
  readonly rest?: Uint8Array;
}

/** A header for a client at an address; without an address, it names nobody. */
export function proxyHeader({ source = '', port = 1024, rest = Buffer.alloc(0), ...more }: ProxyHeaderParts): Buffer {
  const isSix = isIPv6(source);
  const usual = source === '' ? 0 : isSix ? 0x21 : 0x11;
  const ports = Buffer.alloc(source === '' ? 0 : 4);
  if (source !== '') ports.writeUInt16BE(port);
  const body = Buffer.concat([octetsOf(source), octetsOf(source), ports, rest]);
  const { command = source === '' ? 0x20 : 0x21, family = usual } = more;
  const head = Buffer.from([command, family]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length);
  return Buffer.concat([Buffer.from('0d0a0d0a000d0a515549540a', 'hex'), head, length, body]);
}

/** The octets of an IPv4 address, or of an IPv6 address in eight groups. */
function octetsOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address === '' ? [] : address.split('.').map(Number));
  return Buffer.from(
    address
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );
}
