import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { Counts } from '../../flow/account/counts.ts';
import type { HttpLimits } from '../http/connection/limits.ts';
import { probes, type ReadyNeeds } from '../http/probes.ts';
import { startHttp, type HttpOptions, type HttpServer } from '../http/server.ts';
import { balancersWithin } from '../balancers.ts';
import { RefusalLog } from '../refusal-log.ts';
import { checkBodyHeaders } from './morsel/body.ts';

/* Opens the HTTP listener of the clients' APIs. */

/** A GET with a long text may need the whole head. The longest text, 255 parts of 153 characters, has 229 KiB in JSON. */
const limits: HttpLimits = { headMax: 64 * 1024, bodyMax: 256 * 1024 };

export interface ClientListenerOptions
  extends ReadyNeeds, Omit<HttpOptions, 'name' | 'checkBody' | 'limits' | 'refusals' | 'places' | 'unanswered'> {
  readonly connectionsMax: number;
  readonly balancers?: readonly AddressRange[] | undefined;
  readonly counts?: Pick<Counts, 'refused'> | undefined;
}

export function startClientListener(options: ClientListenerOptions): Promise<HttpServer> {
  const { routes, clock, log, counts, connectionsMax } = options;
  const refusals = new RefusalLog(log, clock, counts);
  return startHttp({
    ...options,
    name: 'the HTTP API',
    routes: [...probes(options), ...routes],
    checkBody: checkBodyHeaders,
    limits,
    refusals,
    places: {
      max: connectionsMax,
      guestsOfNetworkMax: Math.ceil(connectionsMax / 2),
      balancers: balancersWithin(options.balancers, refusals),
    },
    // A connection with an unanswered request stays open: its client must learn whether its message was accepted.
    unanswered: 'busy',
  });
}
