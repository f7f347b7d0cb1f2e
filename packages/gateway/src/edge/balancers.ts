import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { Balancers } from '@morsel/smpp';
import { isTrusted } from './http/connection/client-address.ts';
import type { RefusalLog } from './refusal-log.ts';

/** The load balancers of a listener, whose connections begin with a PROXY protocol header. */
export function balancersWithin(
  ranges: readonly AddressRange[] = [],
  refusals: Pick<RefusalLog, 'noteConnection'>,
): Balancers | undefined {
  if (ranges.length === 0) return undefined;
  return {
    includes: (address) => isTrusted(address, ranges),
    refused: (balancer, reason) => refusals.noteConnection(balancer, reason),
  };
}
