import { Resolver } from 'node:dns/promises';
import { isLocalhost, localhost } from '../../core/notification/webhook-url.ts';

/** What a name leads to: addresses of both families. Rejects where there are none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** A name server that needs longer is as good as none; a few of them may be asked in this time. */
const lookupMaxMs = 5_000;
const serverTimeoutMs = 1_500;
const serverTries = 2;

/** Each is looked at: more would be nobody's honest name. */
const addressesMax = 32;

/** Names that lead nowhere, or to too many places. */
export class LookupFault extends Error {}

/**
 * Asks name servers alone, each name for itself: the system's own lookup would take one of the few threads that the whole
 * process has for such things, and a name server that does not answer would keep it.
 */
export const lookup: Lookup = async (name) => {
  if (isLocalhost(name)) return [localhost];
  const resolver = new Resolver({ timeout: serverTimeoutMs, tries: serverTries });
  const timer = setTimeout(() => resolver.cancel(), lookupMaxMs);
  try {
    // One family may have none, or no answer: the other is enough.
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [...valueOf(v4), ...valueOf(v6)];
    if (addresses.length > addressesMax) throw new LookupFault('its name has too many addresses');
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
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'its name is not known to the name servers';
  if (code === 'ECANCELLED' || code === 'ETIMEOUT') return 'no name server answered in time';
  return `its name could not be looked up (${code})`;
}
