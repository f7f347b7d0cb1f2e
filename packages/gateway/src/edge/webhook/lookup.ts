import { Resolver } from 'node:dns/promises';
import { isLocalhost, localhost } from '../../core/notification/webhook-url.ts';

/** The IPv4 and IPv6 addresses of a name. Rejects if there are none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** Time for one lookup. A few name servers can be asked in it. */
const lookupMaxMs = 5_000;
const serverTimeoutMs = 1_500;
const serverTries = 2;

/** Each address is checked. No honest name has more. */
const addressesMax = 32;

/** A name without addresses, or with too many. The message is for the operator. */
export class LookupFault extends Error {}

/**
 * Asks the name servers directly. The system's own lookup would use one of the process's few threads for such work, and a
 * silent name server would block it.
 */
export const lookup: Lookup = async (name) => {
  if (isLocalhost(name)) return [localhost];
  const resolver = new Resolver({ timeout: serverTimeoutMs, tries: serverTries });
  const timer = setTimeout(() => resolver.cancel(), lookupMaxMs);
  try {
    // One family of addresses is enough.
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [...valueOf(v4), ...valueOf(v6)];
    if (addresses.length > addressesMax) throw new LookupFault(`its name has more than ${addressesMax} addresses`);
    if (addresses.length === 0) throw new LookupFault(sentenceOf(v4));
    return addresses;
  } finally {
    clearTimeout(timer);
  }
};

function valueOf(settled: PromiseSettledResult<string[]>): readonly string[] {
  return settled.status === 'fulfilled' ? settled.value : [];
}

function sentenceOf(settled: PromiseSettledResult<string[]>): string {
  const reason: unknown = settled.status === 'rejected' ? settled.reason : undefined;
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : 'ENODATA';
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'the name servers do not know its name';
  if (code === 'ECANCELLED' || code === 'ETIMEOUT') return 'no name server answered in time';
  return `its name could not be looked up (${code})`;
}
