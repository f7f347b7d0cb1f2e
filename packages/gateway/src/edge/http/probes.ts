import { endpoints } from '@morsel/api/endpoints.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Readiness } from '../../flow/readiness.ts';
import type { HttpRoute } from './routes.ts';

/* The answers to load balancers and supervisors. Every listener has them. */

export interface ReadyNeeds {
  readonly readiness: Pick<Readiness, 'ready'>;
  /** Whether a carrier has a bound link, at any node. */
  readonly hasBoundLink: () => boolean;
}

const asksForCarriers = /[?&]carriers=1(?:&|$)/;

const { health, ready } = endpoints;

export function probes({ readiness, hasBoundLink }: ReadyNeeds): readonly HttpRoute[] {
  return [
    { path: health.path, methods: health.methods, isProbe: true, run: async () => ok('{"status":"ok"}') },
    {
      path: ready.path,
      methods: ready.methods,
      isProbe: true,
      run: async ({ request: { url = '' } }) => {
        const isReady = readiness.ready();
        if (isReady.ok && asksForCarriers.test(url) && !hasBoundLink()) return noBoundLink;
        return isReady.ok ? ok('{"status":"ready"}') : isReady;
      },
    },
  ];
}

const noBoundLink = refused<Rejection>({
  code: 'unavailable',
  detail: 'no carrier of the service has a bound link: messages are accepted and wait',
});
