/*
 * The state of a carrier: how many links are bound, since when no link is, and the full errors of links that are not.
 */

import { healthOf } from '@morsel/api/admin/routing/carrier-health.ts';
import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { printable } from '@morsel/api/fields/shown.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { calls, valueOf } from '../../app/client.ts';
import { ageText, localTime } from '../../app/format.ts';
import { KnownContext } from '../../app/live.ts';
import type { Row } from '../../ui/list/rows.tsx';
import { Card, css } from '../../ui/ui.tsx';
import { Badge } from '../../ui/values.tsx';
import { words } from '../../words/words.ts';

type Carrier = AnswerOf<typeof carrier.operations.show>;
const refetchMs = 2_000;

export function Health({ row }: { readonly row: Pick<Carrier, 'status' | 'links' | 'linkStates'> }) {
  const { health } = words;
  const { links, bound, downSince, tone, errors } = healthOf(row);
  if (!use(KnownContext)) return <Badge tone={undefined}>{health.notKnown}</Badge>;
  const isBound = links === 'bound' || links === 'some';
  const said = {
    bound: health.bound,
    some: health.some(bound, row.links),
    down: downSince === null ? '' : health.down(localTime(downSince), ageText(Date.now() - downSince)),
    unknown: health.unknown,
  }[links];
  return (
    <>
      {row.status !== 'active' && <Badge tone="warn">{health.status[row.status]}</Badge>}{' '}
      {(isBound || (row.status !== 'drained' && row.status !== 'removed')) && <Badge tone={tone}>{said}</Badge>}
      {errors.map(({ link, lastError }) => (
        <p key={link} className={css['error']}>
          {row.links > 1 && `${health.link(link)}: `}
          {printable(lastError ?? '')}
        </p>
      ))}
    </>
  );
}

export function healthCell(row: Row) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a row of the list of carriers
  return <Health row={row as Readonly<Record<string, unknown>> & Carrier} />;
}

export function useCarriers(): readonly Carrier[] {
  const { list } = carrier.operations;
  const found = useQuery({
    queryKey: [list.path, 'health'],
    queryFn: async () => (await valueOf(calls.carrier.list())).items,
    refetchInterval: refetchMs,
  });
  return found.data ?? [];
}

/** The carriers that do not work, if there are any. */
export function CarriersInTrouble() {
  const ill = useCarriers().filter((each) => healthOf(each).tone !== 'good');
  if (ill.length === 0) return null;
  return (
    <Card title={words.health.title}>
      <dl className={css['pairs']}>
        {ill.map((each) => (
          <div key={each.name} className={css['pair']}>
            <dt>
              <Link to="/carriers/$name" params={{ name: each.name }}>
                {each.name}
              </Link>
            </dt>
            <dd>
              <Health row={each} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
