/* What a carrier did in the last days, in slots of ten minutes. */

import { traffic } from '@morsel/api/admin/running/traffic.ts';
import { useQuery } from '@tanstack/react-query';
import { calls, valueOf } from '../../app/client.ts';
import { Chart, everySlot } from '../../ui/chart.tsx';
import { Card, Empty, Failure, GoTo, Loading } from '../../ui/ui.tsx';
import { words } from '../../words/words.ts';

const { ofCarrier } = traffic.operations;
const refetchMs = 30_000;
const slotMs = 600_000;
/** The slots of a day. */
const slotsShown = 144;
const noTraffic = { accepted: 0, refused: 0, delivered: 0, failed: 0 };

export function CarrierHistory({ name }: { readonly name: string }) {
  const found = useQuery({
    queryKey: [ofCarrier.path, name],
    queryFn: () => valueOf(calls.traffic.ofCarrier({ carrier: name })),
    refetchInterval: refetchMs,
  });
  if (found.error) return <Failure error={found.error} />;
  const to = Math.ceil(Date.now() / slotMs) * slotMs;
  const from = to - slotsShown * slotMs;
  const slots = everySlot(found.data?.items ?? [], { from, to, stepMs: slotMs }, noTraffic);
  return (
    <Card title={words.carrier.history}>
      {found.isPending && <Loading />}
      {found.data?.items.length === 0 && <Empty next={<GoTo page="messages" />}>{words.carrier.noHistory}</Empty>}
      {found.data && found.data.items.length > 0 && (
        <Chart
          label={words.carrier.history}
          from={from}
          to={to}
          times={slots.map(({ at }) => at)}
          lines={[
            { label: words.carrier.accepted, tone: 'accent', values: slots.map(({ accepted }) => accepted) },
            { label: words.carrier.delivered, tone: 'good', values: slots.map(({ delivered }) => delivered) },
            { label: words.carrier.refused, tone: 'warn', values: slots.map(({ refused }) => refused) },
            { label: words.carrier.failed, tone: 'bad', values: slots.map(({ failed }) => failed) },
          ]}
        />
      )}
    </Card>
  );
}
