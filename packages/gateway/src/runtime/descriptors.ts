import { readFileSync } from 'node:fs';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/** How many connections clients may have, of each kind. */
export interface ClientConnections {
  readonly http: number;
  /** Of each of the two SMPP ports. */
  readonly smpp: number;
}

/** What most systems give a process that asks for nothing, for those that do not say in /proc. */
const limitDefault = 1_024;
const limitMin = 256;

/**
 * Kept from clients: the database and its threads have some 50, the admin listener up to 100, and the rest is for links to carriers
 * and for webhooks. A quarter, as those grow with what runs here.
 */
const reserveMin = 192;
const reserveMax = 4_096;
const reserveShare = 0.25;

/** Of what clients may have. The two SMPP ports share the rest. */
const httpShare = 0.75;
/** A connection of HTTP costs some 10 KiB, and up to 64 KiB more while requests wait in it. */
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

/** Shares the descriptors out, or a sentence that says what to do where they are too few to run. */
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
