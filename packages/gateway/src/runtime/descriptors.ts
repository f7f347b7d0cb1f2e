import { readFileSync } from 'node:fs';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/** The most connections that clients may have, by kind. */
export interface ClientConnections {
  readonly http: number;
  /** For each of the two SMPP ports. */
  readonly smpp: number;
}

/** The usual soft limit, for systems without /proc. */
const limitDefault = 1_024;
const limitMin = 256;

/**
 * Descriptors that clients cannot use: the database and its threads take some 50, the admin listener up to 100, links to
 * carriers and webhooks the rest. It is a quarter of all, because links and webhooks grow with the installation.
 */
const reserveMin = 192;
const reserveMax = 4_096;
const reserveShare = 0.25;

/** The share of HTTP in the clients' connections. The two SMPP ports share the rest. */
const httpShare = 0.75;
/** An HTTP connection costs some 10 KiB, and up to 64 KiB more while requests wait in it. */
const httpMax = 20_000;
const smppMax = 5_000;

/** File descriptors that this process may have open. Node raises the soft limit to the hard one when it starts. */
export function descriptorLimit(): number {
  try {
    const soft = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === 'unlimited' ? Infinity : Number(soft ?? limitDefault);
  } catch {
    return limitDefault;
  }
}

/** Divides the descriptors, or returns a sentence that says what to do if there are too few. */
export function shareDescriptors(limit: number): Result<ClientConnections, string> {
  if (limit < limitMin) {
    return refused(
      `this process may open ${limit} files and connections, and morsel needs at least ${limitMin}: raise the limit ` +
        '(ulimit -n, or LimitNOFILE in a systemd unit); 65536 is enough for most',
    );
  }
  const reserve = Math.min(reserveMax, Math.max(reserveMin, limit * reserveShare));
  const clients = limit - reserve;
  const http = Math.floor(Math.min(httpMax, clients * httpShare));
  return ok({ http, smpp: Math.floor(Math.min(smppMax, (clients * (1 - httpShare)) / 2)) });
}
