import { bottleneckText, type traffic } from '@morsel/api/admin/running/traffic.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { carrierNamed } from '../../../../core/named.ts';
import { bottleneckOf } from '../../../../core/traffic/bottleneck.ts';
import { trafficOf } from '../../../../flow/metrics/traffic.ts';
import type { Handlers } from '../../bind.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* Shows the traffic of this moment, from the meters, the links and the store, and the answers of carriers. */

type Now = AnswerOf<typeof traffic.operations.now>;

export const trafficHandlers: Handlers<'traffic'> = {
  now: readNow,
  answers: async ({ snapshot, meters }, input) => {
    const carrier = carrierNamed(snapshot(), input.carrier);
    if (!carrier.ok) return carrier;
    const { outcomes = {}, receiptSeconds } = meters.carriers.get(carrier.value.id) ?? {};
    const receipts = receiptSeconds?.count ?? 0;
    const shares = receipts === 0 ? [] : percents;
    return ok({
      outcomes: Object.entries(outcomes)
        .map(([outcome, attempts]) => ({ outcome, attempts }))
        .toSorted((one, other) => other.attempts - one.attempts),
      receipts,
      receiptTimes: shares.map((percent) => ({ percent, seconds: receiptSeconds?.within(percent / 100) ?? null })),
    });
  },
};

const percents = [50, 95, 99];

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
  const sides = {
    isHeld: readiness.isHeld,
    commands: journal.statistics.waiting,
    queued: waiting.value.queued,
    activeCarriers: active.length,
    linksBound: bound.length,
    linksThrottled: links.filter(({ state }) => state === 'throttled').length,
    windowUsed: bound.reduce((sum, each) => sum + each.windowUsed, 0),
    windowMax: bound.reduce((sum, each) => sum + each.windowMax, 0),
  };
  const bottleneck = bottleneckOf(sides);
  return ok({
    at,
    node: nodes.name ?? '',
    ...sums,
    ...sides,
    ...waiting.value,
    p99Ms: needs.present.p99Ms(),
    links: links.length,
    bottleneck,
    advice: bottleneckText(bottleneck),
  });
}
