import { paths } from '@morsel/api/paths.ts';
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

export function probes({ readiness, hasBoundLink }: ReadyNeeds): readonly HttpRoute[] {
  return [
    { ...paths.health, isProbe: true, run: async () => ok('{"status":"ok"}') },
    {
      ...paths.ready,
      isProbe: true,
      run: async ({ request: { url = '' } }) => {
        const ready = readiness.ready();
        if (ready.ok && asksForCarriers.test(url) && !hasBoundLink()) return noBoundLink;
        return ready.ok ? ok('{"status":"ready"}') : ready;
      },
    },
  ];
}

const noBoundLink = refused<Rejection>({
  code: 'unavailable',
  detail: 'no carrier of the service has a bound link: messages are accepted and wait',
});
