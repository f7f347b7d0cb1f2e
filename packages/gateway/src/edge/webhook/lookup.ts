import { Resolver } from 'node:dns/promises';
import { faultCode } from '../../core/base/fault-code.ts';
import { isLocalhost, localhost } from '../../core/notification/webhook-url.ts';

/** Finds the addresses of a host name. Rejects if the name has none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** The time limit of one lookup. In this time the gateway can query a few name servers. */
const lookupMaxMs = 5_000;
const serverTimeoutMs = 1_500;
const serverTries = 2;

/** The most addresses of a host name. Each address is checked, and no usual host name has more. */
const addressesMax = 32;

/** The error text is for the operator. */
export class LookupFault extends Error {}

/** Asks the name servers directly: the system's lookup has few threads, which a silent name server would block. */
export const lookup: Lookup = async (name) => {
  if (isLocalhost(name)) return [localhost];
  const resolver = new Resolver({ timeout: serverTimeoutMs, tries: serverTries });
  const timer = setTimeout(() => resolver.cancel(), lookupMaxMs);
  try {
    // The lookup succeeds if the name has IPv4 or IPv6 addresses.
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [...valueOf(v4), ...valueOf(v6)];
    if (addresses.length > addressesMax)
      throw new LookupFault(`the host name of the webhook has more than ${addressesMax} addresses`);
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
  const code = faultCode(reason, 'ENODATA');
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'the name servers do not know the host name of the webhook';
  if (code === 'ECANCELLED' || code === 'ETIMEOUT') return 'no name server answered in time';
  return `the host name of the webhook could not be looked up (${code})`;
}
