/* The metrics of carriers and of their links. */

import type { LinkStatus } from '../../flow/routing/carrier-link.ts';
import { histogram, many, type DeclaredMetric, type Sample } from './declare.ts';
import type { Frame } from './frame.ts';
import type { CarrierMeter } from '../../flow/metrics/meters.ts';

const ofCarrier = ['carrier'];
const ofLink = ['carrier', 'link'];
const since = 'since the gateway started';

export const carrierMetrics: readonly DeclaredMetric[] = [
  many(
    'gauge',
    {
      name: 'morsel_carrier_active',
      labels: ofCarrier,
      help: 'Whether the operator lets the carrier send (1), or has paused or drained it (0).',
    },
    ({ carriers }) => carriers.map(({ name, isActive }) => [{ carrier: name }, Number(isActive)]),
  ),
  ofLinks('gauge', 'morsel_link_bound', 'Whether the link is bound to the carrier (1) or not (0).', ({ state }) =>
    Number(state === 'bound' || state === 'throttled'),
  ),
  ofLinks(
    'gauge',
    'morsel_link_throttled',
    'Whether the link pauses because the carrier throttles it (1) or not (0).',
    ({ state }) => Number(state === 'throttled'),
  ),
  ofLinks(
    'gauge',
    'morsel_link_window_size',
    'Requests that the link may have in flight.',
    ({ windowMax }) => windowMax,
  ),
  ofLinks(
    'gauge',
    'morsel_link_in_flight_requests',
    'Requests without an answer of the carrier yet.',
    ({ windowUsed }) => windowUsed,
  ),
  ofLinks(
    'gauge',
    'morsel_link_pace_parts_per_second',
    'Parts a second that the link sends at most; missing if there is no limit.',
    ({ pace }) => pace ?? undefined,
  ),
  ofLinks(
    'counter',
    'morsel_link_submitted_total',
    `Parts written to the socket ${since}.`,
    ({ submitted }) => submitted,
  ),
  ofLinks(
    'counter',
    'morsel_link_accepted_total',
    `Parts that the carrier accepted ${since}.`,
    ({ accepted }) => accepted,
  ),
  ofLinks('counter', 'morsel_link_refused_total', `Parts that the carrier refused ${since}.`, ({ refused }) => refused),
  ofLinks(
    'counter',
    'morsel_link_throttled_total',
    `Parts that the carrier answered with throttling ${since}.`,
    ({ throttles }) => throttles,
  ),
  ofLinks(
    'counter',
    'morsel_link_reconnects_total',
    `Ends of the connection and failed binds ${since}.`,
    ({ reconnects }) => reconnects,
  ),
  ofLinks(
    'counter',
    'morsel_link_surplus_deliveries_total',
    `Receipts and inbound messages that came faster than they could be stored ${since}.`,
    ({ surplus }) => surplus,
  ),
  ofLinks(
    'counter',
    'morsel_link_unreadable_deliveries_total',
    `Deliveries that could not be parsed ${since}.`,
    ({ unreadable }) => unreadable,
  ),
  many(
    'counter',
    {
      name: 'morsel_carrier_outcomes_total',
      labels: ['carrier', 'outcome'],
      help: `Attempts to send a part, by the outcome that was stored ${since}.`,
    },
    (frame) => ofMeters(frame, ({ outcomes }) => Object.entries(outcomes), 'outcome'),
  ),
  many(
    'counter',
    {
      name: 'morsel_carrier_receipts_total',
      labels: ['carrier', 'result'],
      help: `Receipts of the carrier, by their match with a part ${since}.`,
    },
    (frame) => ofMeters(frame, ({ receipts }) => Object.entries(receipts), 'result'),
  ),
  many(
    'counter',
    {
      name: 'morsel_carrier_inbound_total',
      labels: ofCarrier,
      help: `Parts of inbound messages from the carrier ${since}.`,
    },
    ({ carriers, meters }) =>
      carriers.map(({ id, name }) => [{ carrier: name }, meters.carriers.get(id)?.inbound ?? 0]),
  ),
  histogram(
    {
      name: 'morsel_carrier_receipt_delay_seconds',
      labels: ofCarrier,
      help: 'Seconds from the claim of a part to a receipt that changed its state.',
    },
    ({ carriers, meters }) =>
      carriers.flatMap(({ id, name }) => {
        const meter = meters.carriers.get(id);
        return meter ? [[{ carrier: name }, meter.receiptSeconds] as const] : [];
      }),
  ),
  ofStore(
    'morsel_carrier_waiting_parts',
    'Waiting parts that the carrier may take, up to 100000. A part may count for several carriers.',
    ({ waiting }) => waiting,
  ),
  ofStore(
    'morsel_carrier_oldest_waiting_seconds',
    'Seconds since the oldest waiting part that the carrier may take became due; 0 if none waits. Among the first 100000.',
    ({ oldest }, now) => (oldest === null ? 0 : Math.max(0, now - oldest) / 1_000),
  ),
  ofStore(
    'morsel_carrier_in_doubt_parts',
    'Parts that were written to the socket without an answer of the carrier, up to 100000.',
    ({ inDoubt }) => inDoubt,
  ),
  ofStore(
    'morsel_carrier_unmatched_receipts',
    'Stored receipts that match no part, up to 100000.',
    ({ unmatched }) => unmatched,
  ),
];

function ofLinks(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  read: (status: LinkStatus) => number | undefined,
): DeclaredMetric {
  return many(type, { name, help, labels: ofLink }, ({ carriers }) =>
    carriers.flatMap(({ name: carrier, links }) =>
      links.flatMap((status): Sample<number>[] => {
        const value = read(status);
        return value === undefined ? [] : [[{ carrier, link: String(status.link) }, value]];
      }),
    ),
  );
}

function ofMeters(
  { carriers, meters }: Frame,
  read: (meter: CarrierMeter) => [string, number][],
  label: string,
): readonly Sample<number>[] {
  return carriers.flatMap(({ id, name: carrier }) => {
    const meter = meters.carriers.get(id);
    return meter ? read(meter).map(([word, value]): Sample<number> => [{ carrier, [label]: word }, value]) : [];
  });
}

type CarrierFigure = NonNullable<Frame['figures']>['carriers'][number];

function ofStore(name: string, help: string, read: (figure: CarrierFigure, now: number) => number): DeclaredMetric {
  return many('gauge', { name, help, labels: ofCarrier }, ({ carriers, figures, now }) => {
    const names = new Map(carriers.map((each) => [each.id, each.name]));
    return (figures?.carriers ?? []).flatMap((figure): Sample<number>[] => {
      const carrier = names.get(figure.id);
      return carrier === undefined ? [] : [[{ carrier }, read(figure, now)]];
    });
  });
}
