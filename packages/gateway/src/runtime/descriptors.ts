import { readFileSync } from 'node:fs';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';

export interface ClientConnections {
  readonly http: number;
  /** Most connections on each of the two SMPP ports. */
  readonly smpp: number;
}

/** The limit that is assumed on systems without /proc. */
const limitDefault = 1_024;
const limitMin = 256;

/**
 * Descriptors that client connections may not use: the database and its threads need about 50, the admin listener up to
 * 150. A quarter of all is reserved, because large installations have more links and webhooks.
 */
const reserveMin = 192;
const reserveMax = 4_096;
const reserveShare = 0.25;

/** HTTP gets this share of the client connections. The two SMPP ports share the remaining connections. */
const httpShare = 0.75;
/** An HTTP connection needs about 10 KiB of memory, and up to 64 KiB more while it has waiting requests. */
const httpMax = 20_000;
const smppMax = 5_000;

/** The limit of this process. Node raises the soft limit to the hard limit when it starts. */
export function descriptorLimit(): number {
  try {
    const soft = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === 'unlimited' ? Infinity : Number(soft ?? limitDefault);
  } catch {
    return limitDefault;
  }
}

/** Divides the file descriptors between HTTP and SMPP, or returns an error if there are too few. */
export function shareDescriptors(limit: number): Result<ClientConnections, string> {
  if (limit < limitMin) {
    return refused(
      `this process may open ${limit} files and connections, and morsel needs at least ${limitMin}: raise the limit ` +
        '(ulimit -n, or LimitNOFILE in a systemd unit); 65536 is enough for most installations',
    );
  }
  const reserve = Math.min(reserveMax, Math.max(reserveMin, limit * reserveShare));
  const clients = limit - reserve;
  const http = Math.floor(Math.min(httpMax, clients * httpShare));
  return ok({ http, smpp: Math.floor(Math.min(smppMax, (clients * (1 - httpShare)) / 2)) });
}
