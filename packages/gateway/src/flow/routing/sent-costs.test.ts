import assert from 'node:assert/strict';
import { it } from 'node:test';
import { accountDefaults, type AccountSettings } from '../../core/account/account.ts';
import { toMessageId } from '../../core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { priceTable } from '../../core/money/price-table.ts';
import { ok } from '@morsel/api/values/result.ts';
import { buildSnapshot, type Snapshot } from '../../core/snapshot.ts';
import { minuteMs } from '@morsel/api/values/time.ts';
import type { CommandOf } from '../../state/commands.ts';
import type { Journal } from '../../store/journal.ts';
import { carrierSettings } from '../../../test/support/store/routing-commands.ts';
import { SentCosts } from './sent-costs.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';
import { machineClock } from '../../runtime/clock.ts';

const part = {
  message: toMessageId(1),
  route: 1,
  account: 1,
  receiver: '+41791234567',
  unitPrice: toMicros(10n),
};

/** Routes 1 to `routes`, each with a prefix of its own, through a carrier that charges 9 everywhere. */
function snapshotOf(settings: Partial<AccountSettings>, { routes = 1, hasList = true } = {}): Snapshot {
  const holds = [{ version: 1, effectiveAt: 0 }];
  return buildSnapshot(
    {
      accounts: [
        { id: 1, name: 'acme', currency: 'EUR', status: 'active', priceList: 1, ...accountDefaults, ...settings },
      ],
      tokens: [],
      carriers: [{ ...carrierSettings(), name: 'alpha', id: 1, status: 'active', costList: hasList ? 1 : null }],
      routes: Array.from({ length: routes }, (_, index) => ({
        id: index + 1,
        prefix: String(410_000 + index),
        sender: null,
        account: null,
        encoding: null,
        by: 'weight',
        isRemoved: false,
        carrierList: 0,
      })),
      carrierLists: [[{ carrier: 1, rank: 1, weight: 1, cost: null, waitMs: null }]],
      webhooks: [],
      priceLists: [{ id: 1, name: 'costs', currency: 'EUR', base: null, versions: holds }],
    },
    () => priceTable([{ prefix: '', unitPrice: toMicros(9n) }]),
  );
}

class Watched {
  time = 1_000_000;
  readonly reports: CommandOf<'report-alarm'>[] = [];
  readonly costs = new SentCosts({
    journal: {
      // The test appends only reports.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      append: (async (command: CommandOf<'report-alarm'>) => {
        this.reports.push(command);
        return ok(null);
      }) as unknown as Journal['append'],
    },
    clock: { ...machineClock, now: () => this.time },
    log: quietLog,
  });
}

const tenMinutesMs = 10 * minuteMs;
const watched = { marginMin: { isPercent: false, leastLeft: toMicros(2n) }, belowMargin: 'alert' } as const;

it('a part sent below its margin is reported once for an account and prefix in ten minutes', () => {
  const world = new Watched();
  assert.equal(world.costs.costOf(1, part), null);
  world.costs.use(snapshotOf(watched, { routes: 2 }));
  for (let sent = 0; sent < 3; sent++) world.costs.costOf(1, part);
  world.costs.costOf(1, { ...part, route: 2 });
  assert.deepEqual(
    world.reports.map(({ report: { subject, what, evidence } }) => [subject, what, evidence]),
    [
      ['acme', '410000', 'price 0.00001, cost 0.000009: prefix 410000 through alpha'],
      ['acme', '410001', 'price 0.00001, cost 0.000009: prefix 410001 through alpha'],
    ],
  );
  world.time += tenMinutesMs;
  for (let sent = 0; sent < 3; sent++) world.costs.costOf(1, part);
  assert.equal(world.reports.length, 3);
});

it('nothing is reported if the account wants no alarm, if the margin is enough, or if the cost is unknown', () => {
  for (const [settings, more] of [
    [{ ...watched, belowMargin: 'allow' }, {}],
    [{ ...watched, belowMargin: 'refuse' }, {}],
    [{ ...watched, marginMin: null }, {}],
    [{ ...watched, marginMin: { isPercent: true, leastLeft: toMicros(10_000_000n) } }, {}],
    [watched, { hasList: false }],
  ] as const) {
    const world = new Watched();
    world.costs.use(snapshotOf(settings, more));
    const cost = world.costs.costOf(1, part);
    assert.equal(cost === null, 'hasList' in more);
    assert.deepEqual(world.reports, []);
  }
});

it('remembered reports have a limit: more of them in ten minutes are not stored', () => {
  const world = new Watched();
  world.costs.use(snapshotOf(watched, { routes: 10_001 }));
  for (let route = 1; route <= 10_001; route++) world.costs.costOf(1, { ...part, route });
  assert.equal(world.reports.length, 10_000);
  world.time += tenMinutesMs;
  world.costs.costOf(1, { ...part, route: 10_001 });
  assert.equal(world.reports.length, 10_001);
});
