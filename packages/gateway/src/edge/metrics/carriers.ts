/* The metrics of carriers and of their links. */

import type { LinkStatus } from '../../flow/routing/carrier-link.ts';
import { histogram, many, type DeclaredMetrics, type DeclaredNumber, type Sample } from './declare.ts';
import type { Frame } from './frame.ts';
import type { CarrierMeter } from '../../flow/metrics/meters.ts';

const since = 'since the gateway started';

export const carrierMetrics: DeclaredMetrics = {
  morsel_carrier_active: many(
    'Whether the operator lets the carrier send (1), or has paused or drained it (0).',
    ['carrier'],
    ({ carriers }) => carriers.map(({ name, isActive }) => [{ carrier: name }, Number(isActive)]),
  ),
  morsel_link_bound: ofLinks('Whether the link is bound to the carrier (1) or not (0).', ({ state }) =>
    Number(state === 'bound' || state === 'throttled'),
  ),
  morsel_link_throttled: ofLinks(
    'Whether the link pauses because the carrier throttles it (1) or not (0).',
    ({ state }) => Number(state === 'throttled'),
  ),
  morsel_link_window_size: ofLinks('Requests that the link may have in flight.', ({ windowMax }) => windowMax),
  morsel_link_in_flight_requests: ofLinks('Requests without an answer of the carrier yet.', (link) => link.windowUsed),
  morsel_link_pace_parts_per_second: ofLinks(
    'Parts a second that the link sends at most; missing if there is no limit.',
    ({ pace }) => pace ?? undefined,
  ),
  morsel_link_submitted_total: ofLinks(`Parts written to the socket ${since}.`, ({ submitted }) => submitted),
  morsel_link_accepted_total: ofLinks(`Parts that the carrier accepted ${since}.`, ({ accepted }) => accepted),
  morsel_link_refused_total: ofLinks(`Parts that the carrier refused ${since}.`, ({ refused }) => refused),
  morsel_link_throttled_total: ofLinks(
    `Parts that the carrier answered with throttling ${since}.`,
    ({ throttles }) => throttles,
  ),
  morsel_link_reconnects_total: ofLinks(
    `Ends of the connection and failed binds ${since}.`,
    ({ reconnects }) => reconnects,
  ),
  morsel_link_surplus_deliveries_total: ofLinks(
    `Receipts and inbound messages that came faster than they could be stored ${since}.`,
    ({ surplus }) => surplus,
  ),
  morsel_link_unreadable_deliveries_total: ofLinks(
    `Deliveries that could not be parsed ${since}.`,
    ({ unreadable }) => unreadable,
  ),
  morsel_carrier_outcomes_total: ofMeters(
    `Attempts to send a part, by the outcome that was stored ${since}.`,
    'outcome',
    ({ outcomes }) => outcomes,
  ),
  morsel_carrier_receipts_total: ofMeters(
    `Receipts of the carrier, by their match with a part ${since}.`,
    'result',
    ({ receipts }) => receipts,
  ),
  morsel_carrier_inbound_total: many(
    `Parts of inbound messages from the carrier ${since}.`,
    ['carrier'],
    ({ carriers, meters }) =>
      carriers.map(({ id, name }) => [{ carrier: name }, meters.carriers.get(id)?.inbound ?? 0]),
  ),
  morsel_carrier_receipt_delay_seconds: histogram(
    'Seconds from the claim of a part to a receipt that changed its state.',
    ['carrier'],
    ({ carriers, meters }) =>
      carriers.flatMap(({ id, name }) => {
        const meter = meters.carriers.get(id);
        return meter ? [[{ carrier: name }, meter.receiptSeconds] as const] : [];
      }),
  ),
  morsel_carrier_waiting_parts: ofStore(
    'Waiting parts that the carrier may take, up to 100000. A part may count for several carriers.',
    ({ waiting }) => waiting,
  ),
  morsel_carrier_oldest_waiting_seconds: ofStore(
    'Seconds since the oldest waiting part that the carrier may take became due; 0 if none waits. Among the first 100000.',
    ({ oldest }, now) => (oldest === null ? 0 : Math.max(0, now - oldest) / 1_000),
  ),
  morsel_carrier_in_doubt_parts: ofStore(
    'Parts that were written to the socket without an answer of the carrier, up to 100000.',
    ({ inDoubt }) => inDoubt,
  ),
  morsel_carrier_unmatched_receipts: ofStore(
    'Stored receipts that match no part, up to 100000.',
    ({ unmatched }) => unmatched,
  ),
};

function ofLinks(help: string, read: (status: LinkStatus) => number | undefined): DeclaredNumber {
  return many(help, ['carrier', 'link'], ({ carriers }) =>
    carriers.flatMap(({ name: carrier, links }) =>
      links.flatMap((status): Sample<number>[] => {
        const value = read(status);
        return value === undefined ? [] : [[{ carrier, link: String(status.link) }, value]];
      }),
    ),
  );
}

function ofMeters(
  help: string,
  label: string,
  read: (meter: CarrierMeter) => { readonly [word: string]: number },
): DeclaredNumber {
  return many(help, ['carrier', label], ({ carriers, meters }) =>
    carriers.flatMap(({ id, name: carrier }) => {
      const meter = meters.carriers.get(id);
      return Object.entries(meter ? read(meter) : {}).map(
        ([word, value]) => [{ carrier, [label]: word }, value] as const,
      );
    }),
  );
}

type CarrierFigure = NonNullable<Frame['figures']>['carriers'][number];

function ofStore(help: string, read: (figure: CarrierFigure, now: number) => number): DeclaredNumber {
  return many(help, ['carrier'], ({ carriers, figures, now }) => {
    const names = new Map(carriers.map((each) => [each.id, each.name]));
    return (figures?.carriers ?? []).flatMap((figure): Sample<number>[] => {
      const carrier = names.get(figure.id);
      return carrier === undefined ? [] : [[{ carrier }, read(figure, now)]];
    });
  });
}
