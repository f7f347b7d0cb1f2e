import { bottleneckText, type traffic } from '@morsel/api/admin/running/traffic.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { hourMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { bottleneckOf } from '../../../../core/traffic/bottleneck.ts';
import { trafficOf } from '../../../../flow/metrics/traffic.ts';
import { slotMs } from '../../../../state/tables/route.ts';
import type { Handlers } from '../../bind.ts';
import { unknownCarrier } from '../../carrier-rows.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* Figures of this moment, from the meters, the links and the store, and the stored history of minutes and hours. */

type Now = AnswerOf<typeof traffic.operations.now>;
type Slot = AnswerOf<typeof traffic.operations.history>['items'][number];

const spans = { minute: minuteMs, hour: hourMs } as const;

export const trafficHandlers: Handlers<'traffic'> = {
  now: readNow,
  history: async ({ reader }, { span, ...page }) => {
    const found = await reader.ask('traffic', { ...page, span: spans[span] / secondMs });
    if (!found.ok) return found;
    const items = found.value.items.map((rows): Slot => {
      const { slot = 0 } = rows[0] ?? {};
      const [all = noSums] = rows.filter(({ currency }) => currency === '');
      const ofMoney = rows.filter(({ currency }) => currency !== '');
      return {
        at: slot * spans[span],
        ...countsOf(all),
        charged: ofMoney.map(({ currency, charged }) => ({ currency, amount: charged })),
      };
    });
    return ok({ items, next: found.value.next });
  },
  answers: async ({ snapshot, meters }, input) => {
    const carrier = [...snapshot().carriers.values()].find(({ name }) => name === input.carrier);
    if (!carrier) return unknownCarrier(input.carrier);
    const meter = meters.carriers.get(carrier.id);
    const outcomes = Object.entries(meter?.outcomes ?? {}).map(([outcome, attempts]) => ({ outcome, attempts }));
    const receipts = meter?.receiptSeconds.count ?? 0;
    return ok({
      outcomes: outcomes.toSorted((one, other) => other.attempts - one.attempts),
      receipts,
      receiptTimes:
        receipts === 0
          ? []
          : percents.map((percent) => ({ percent, seconds: meter?.receiptSeconds.within(percent / 100) ?? null })),
    });
  },
  ofCarrier: async ({ reader }, input) => {
    const found = await reader.ask('carrierTraffic', input);
    if (!found.ok) return found;
    if (!found.value) return unknownCarrier(input.carrier);
    const { items, next } = found.value;
    return ok({ items: items.map(({ slot, ...row }) => ({ at: slot * slotMs, ...row })), next });
  },
};

/** The sums that are not money. */
function countsOf({ messages, parts, refused, sent, bounced, delivered, failed, inbound }: typeof noSums) {
  return { messages, parts, refused, sent, bounced, delivered, failed, inbound };
}

const percents = [50, 95, 99];
const noSums = { messages: 0, parts: 0, refused: 0, sent: 0, bounced: 0, delivered: 0, failed: 0, inbound: 0 };

async function readNow(needs: OperatorNeeds): Promise<Result<Now, Rejection>> {
  const { clock, meters, nodes, journal, readiness } = needs;
  const at = clock.now();
  const waiting = await needs.present.read();
  if (!waiting.ok) return waiting;
  const { accounts, carriers } = needs.snapshot();
  const [sums] = trafficOf(meters, (account) => accounts.get(account)?.currency ?? '');
  const running = needs.links();
  const active = [...carriers.values()].filter(({ status }) => status === 'active');
  const links = active.flatMap(({ id }) => running.get(id) ?? []);
  const bound = links.filter(({ state }) => state === 'bound' || state === 'throttled');
  const commands = journal.statistics.waiting;
  const sides = {
    isHeld: readiness.isHeld,
    commands,
    queued: waiting.value.queued,
    activeCarriers: active.length,
    linksBound: bound.length,
    linksThrottled: links.filter(({ state }) => state === 'throttled').length,
    windowUsed: bound.reduce((sum, each) => sum + each.windowUsed, 0),
    windowMax: bound.reduce((sum, each) => sum + each.windowMax, 0),
  };
  const bottleneck = bottleneckOf(sides);
  const { linksBound, linksThrottled, windowUsed, windowMax } = sides;
  return ok({
    at,
    node: nodes.name ?? '',
    ...countsOf(sums ?? noSums),
    p99Ms: needs.present.p99Ms(),
    commands,
    ...waiting.value,
    links: links.length,
    linksBound,
    linksThrottled,
    windowUsed,
    windowMax,
    bottleneck,
    advice: bottleneckText(bottleneck),
  });
}
