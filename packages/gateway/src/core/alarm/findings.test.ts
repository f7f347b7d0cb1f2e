import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alarmKindNames, type AlarmKind } from '@morsel/api/admin/alarm/kinds.ts';
import { remedyOf } from '@morsel/api/admin/alarm/remedy.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { findingsOf, receiversOf, holdMsOf, isOpening } from './findings.ts';
import type { AlarmFigures, CarrierFigures, ReportedKind } from './figures.ts';

const up = { link: 1, isBound: true, throttledPercent: 0, lastError: null };
const down = { link: 2, isBound: false, throttledPercent: 0, lastError: null };
const sums = (accepted: number, refused: number, delivered: number, failed: number) => ({
  accepted,
  refused,
  delivered,
  failed,
});
const alpha: CarrierFigures = {
  name: 'alpha',
  isActive: true,
  links: [up],
  waiting: 0,
  oldest: null,
  unmatched: 0,
  unread: 0,
  shownRule: null,
  recent: sums(40, 0, 20, 20),
  week: sums(200, 0, 100, 100),
};
const now = 1_000_000;
const quiet: AlarmFigures = {
  now,
  worksSince: 0,
  node: 'gateway',
  carriers: [alpha],
  routes: [{ prefix: '41', carriers: ['alpha'] }],
  webhooks: [{ id: 3, host: 'shop.example', waiting: 0, oldest: null }],
  dataDir: '/data',
  stoppedWebhooks: [],
  reports: [],
  low: [],
  refusals: [],
  brokenRules: [],
  caps: [],
  inboundUnmatched: 9,
  certificates: [{ file: 'ours.pem', expiresAt: now + 14 * 86_400_000 }],
  freeMiB: 50_000,
  clock: undefined,
  clockStepMs: 59_999,
  nodeClocks: [{ node: 'gateway-2', offMs: 1_000 }],
  failing: [],
  lostNodes: [],
  ledger: undefined,
};
const withAlpha = (its: Partial<CarrierFigures>): Partial<AlarmFigures> => ({ carriers: [{ ...alpha, ...its }] });

const stopped = (id: number, status: 'paused' | 'off') => ({
  id,
  account: 'acme',
  status,
  failingSince: now,
  failure: '503',
});
const report = (kind: ReportedKind, what: string) => ({ kind, subject: 'acme', evidence: `about ${what}` });
const broken = (rule: string, count: number) => ({ account: 'acme', rule, broken: count, refused: count });
const cap = (period: 'day' | 'month', spent: number) => ({
  account: 'acme',
  currency: 'EUR',
  period,
  cap: toMicros(100_000_000n),
  spent: toMicros(BigInt(spent) * 1_000_000n),
  endsAt: now,
  isRefused: false,
});
const to = (carrier: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ prefix: String(41 + at), carriers: [carrier] }));
const late = (id: number, ms: number) => ({ id, host: 'shop.example', waiting: 2, oldest: now - ms });
const refused = (usual: number, ...accounts: readonly string[]) =>
  accounts.map((account) => ({ account, code: 'no_price', now: 100, usual }));

const low = (name: string) => ({
  name,
  balance: toMicros(1_500_000n),
  alertedBelow: toMicros(10_000_000n),
  currency: 'EUR',
});

type Row = readonly [kind: AlarmKind, what: string, figures: Partial<AlarmFigures>, subjects: readonly string[]];

const rows: readonly Row[] = [
  ['carrier-down', 'all links are down', withAlpha({ links: [down, { ...down, link: 1 }] }), ['alpha']],
  ['carrier-down', 'one link of two is down', withAlpha({ links: [up, down] }), []],
  ['carrier-down', 'a paused carrier', withAlpha({ links: [down], isActive: false }), []],
  ['link-down', 'two of three links are down', withAlpha({ links: [up, down, { ...down, link: 3 }] }), ['alpha']],
  ['route-without-carrier', 'a paused carrier', withAlpha({ isActive: false }), ['alpha']],
  ['route-without-carrier', 'a route without carriers', { routes: [{ prefix: '', carriers: [] }] }, ['none']],
  ['queue-old', 'a part as old as the threshold', withAlpha({ waiting: 1, oldest: now - 300_000 }), []],
  ['queue-old', 'a part older than the threshold', withAlpha({ waiting: 1, oldest: now - 301_000 }), ['alpha']],
  ['carrier-throttles', 'below the threshold', withAlpha({ links: [{ ...up, throttledPercent: 19.9 }] }), []],
  ['carrier-throttles', 'at the threshold', withAlpha({ links: [{ ...up, throttledPercent: 20 }] }), ['alpha']],
  [
    'carrier-throttles',
    'two throttled links',
    withAlpha({ links: [1, 2].map((link) => ({ ...up, link, throttledPercent: 30 })) }),
    ['alpha'],
  ],
  ['receipts-unmatched', 'below the threshold', withAlpha({ unmatched: 999 }), []],
  ['receipts-unmatched', 'at the threshold', withAlpha({ unmatched: 1_000 }), ['alpha']],
  ['carrier-setting', 'fewer texts than the threshold', withAlpha({ unread: 4 }), []],
  ['carrier-setting', 'as many texts as the threshold', withAlpha({ unread: 5 }), ['alpha']],
  ['carrier-setting', 'another id rule, and texts', withAlpha({ shownRule: 'hex-answer', unread: 5 }), ['alpha']],
  ['webhook-late', 'later than the threshold', { webhooks: [late(3, 901_000)] }, ['shop.example']],
  ['webhook-late', 'two webhooks of one host', { webhooks: [late(3, 901_000), late(4, 902_000)] }, ['shop.example']],
  ['webhook-late', 'as late as the threshold', { webhooks: [late(3, 900_000)] }, []],
  [
    'webhook-stopped',
    'a paused webhook and one that is off',
    { stoppedWebhooks: [stopped(3, 'paused'), stopped(4, 'off')] },
    ['3', '4'],
  ],
  ['margin-low', 'two prefixes', { reports: [report('margin-low', '41'), report('margin-low', '42')] }, ['acme']],
  ['disk-full', 'a recent report', { reports: [report('disk-full', '')] }, ['acme']],
  ['database-away', 'a recent report', { reports: [report('database-away', '')] }, ['acme']],
  ['carrier-refuses', 'half of the answers are refusals', withAlpha({ recent: sums(10, 10, 0, 0) }), ['alpha']],
  ['carrier-refuses', 'fewer than half of the answers are refusals', withAlpha({ recent: sums(11, 9, 0, 0) }), []],
  ['carrier-refuses', 'too few answers to judge', withAlpha({ recent: sums(0, 19, 0, 0) }), []],
  ['delivery-low', '20 percentage points below the week', withAlpha({ recent: sums(0, 0, 6, 14) }), ['alpha']],
  ['delivery-low', 'a little below the week', withAlpha({ recent: sums(0, 0, 7, 13) }), []],
  ['delivery-low', 'too few receipts to judge', withAlpha({ recent: sums(0, 0, 0, 19) }), []],
  ['delivery-low', 'no week to compare with', withAlpha({ recent: sums(0, 0, 0, 99), week: sums(0, 0, 0, 0) }), []],
  ['receipts-stopped', 'no receipt for 20 parts', withAlpha({ recent: sums(20, 0, 0, 0) }), ['alpha']],
  ['receipts-stopped', 'one receipt for 20 parts', withAlpha({ recent: sums(20, 0, 1, 0) }), []],
  [
    'receipts-stopped',
    'a carrier without receipts',
    withAlpha({ recent: sums(20, 0, 0, 0), week: sums(99, 0, 9, 9) }),
    [],
  ],
  ['inbound-unmatched', 'ten messages', { inboundUnmatched: 10 }, ['gateway']],
  ['refusals-rising', 'three times as many refusals as usual', { refusals: refused(33, 'acme') }, ['acme']],
  ['refusals-rising', 'fewer than three times as many refusals as usual', { refusals: refused(34, 'acme') }, []],
  ['refusals-rising', 'few refusals', { refusals: [{ account: 'acme', code: 'no_price', now: 99, usual: 0 }] }, []],
  ['refusals-rising', 'two accounts', { refusals: refused(0, 'acme', 'beta') }, ['acme', 'beta']],
  ['rule-broken', 'often', { brokenRules: [broken('rate', 20), broken('repeat', 1)] }, ['acme']],
  ['rule-broken', 'seldom', { brokenRules: [broken('rate', 19), broken('repeat', 19)] }, []],
  ['cap-near', 'below the threshold', { caps: [cap('day', 79)] }, []],
  ['cap-near', 'the caps of the day and the month', { caps: [cap('day', 80), cap('month', 99)] }, ['acme']],
  ['cap-reached', 'a cap that is spent', { caps: [cap('month', 100)] }, ['acme']],
  ['cap-reached', 'a message that was refused for a cap', { caps: [{ ...cap('day', 60), isRefused: true }] }, ['acme']],
  ['certificate-expires', 'soon', { certificates: [{ file: 'ours.pem', expiresAt: now }] }, ['ours.pem']],
  ['low-balance', 'two accounts', { low: [low('acme'), low('beta')] }, ['acme', 'beta']],
  ['disk-low', 'a MiB too few', { freeMiB: 2_047 }, ['gateway']],
  ['disk-low', 'enough', { freeMiB: 2_048 }, []],
  ['clock-wrong', 'a clock that is ahead', { clock: 'the clock is ahead' }, ['gateway']],
  ['clock-wrong', 'a clock that was set ahead', { clockStepMs: 60_000 }, ['gateway']],
  ['clock-wrong', 'the clock of a node', { nodeClocks: [{ node: 'gateway-2', offMs: -1_001 }] }, ['gateway-2']],
  ['node-lost', 'one lost node', { lostNodes: ['gateway-2'] }, ['gateway-2']],
  [
    'receiver-fails',
    'one failing receiver',
    { failing: [{ name: 'night', since: now, outcome: 'HTTP 500' }] },
    ['night'],
  ],
  ['ledger-wrong', 'two faults', { ledger: { at: now, faults: 2, first: { account: null, fault: 'a sum' } } }, ['all']],
  ['ledger-wrong', 'no fault', { ledger: { at: now, faults: 0, first: undefined } }, []],
];

describe('what is wrong', () => {
  for (const [kind, what, figures, subjects] of rows) {
    it(`${kind}: ${what}`, () => {
      const found = findingsOf(kind, { ...quiet, ...figures }, undefined);
      assert.deepEqual(
        found.map(({ subject }) => subject),
        subjects,
      );
      for (const { help } of found)
        assert.equal(remedyOf(help) === undefined, /^(?:du|openssl|date) /.test(help), `no form for ${help}`);
      // A kind that is off finds nothing.
      const off = { kind, threshold: null, forSeconds: null, isOn: false };
      assert.deepEqual(findingsOf(kind, { ...quiet, ...figures }, off), []);
    });
  }
});

it('every kind of alarm has a row above that opens one, and none opens while all is well', () => {
  const opened = new Set(rows.filter(([, , , subjects]) => subjects.length > 0).map(([kind]) => kind));
  assert.deepEqual([...opened].toSorted(), alarmKindNames.toSorted());
  assert.deepEqual(
    alarmKindNames.flatMap((kind) => findingsOf(kind, quiet, undefined)),
    [],
  );
});

/** The findings that open an alarm while none is open. */
function opening(figures: Partial<AlarmFigures>) {
  const found = alarmKindNames.flatMap((kind) => findingsOf(kind, { ...quiet, ...figures }, undefined));
  return found.filter((each) => isOpening(each, found));
}

describe('one cause is one alarm', () => {
  const dead: CarrierFigures = {
    ...alpha,
    links: [1, 2].map((link) => ({ ...down, link, lastError: 'refused' })),
    waiting: 9,
    oldest: now - 400_000,
    recent: sums(40, 0, 0, 0),
  };
  const causes: readonly (readonly [
    what: string,
    Partial<AlarmFigures>,
    names: readonly string[],
    evidence: RegExp,
  ])[] = [
    [
      'a dead carrier with 200 routes, old parts and no receipts',
      { carriers: [dead], routes: to('alpha', 200) },
      ['carrier-down alpha'],
      /^no link of alpha is bound \(refused\); 200 routes have no other bound carrier: 41, 42, 43, 44, 45 and 195 more$/,
    ],
    [
      'a paused carrier with 200 routes',
      { ...withAlpha({ isActive: false }), routes: to('alpha', 200) },
      ['route-without-carrier alpha'],
      /^200 routes have no active and bound carrier of alpha: 41, .* and 195 more$/,
    ],
    [
      'a host with 40 webhooks',
      { webhooks: Array.from({ length: 40 }, (_, at) => late(at, 901_000 + at * 1_000)) },
      ['webhook-late shop.example'],
      /^80 notifications wait for shop.example \(webhooks 39, 38, 37, 36, 35 and 35 more\), the oldest for 940 s$/,
    ],
    [
      'a webhook that the gateway stopped',
      { webhooks: [late(3, 901_000)], stoppedWebhooks: [stopped(3, 'paused')] },
      ['webhook-stopped 3'],
      /^webhook 3 of acme is paused, because every try failed since \S+: 503$/,
    ],
    [
      'a price list that is missing for three accounts',
      { refusals: refused(0, 'acme', 'beta', 'gamma') },
      ['refusals-rising no_price'],
      /^300 requests of 3 accounts were refused with no_price in this hour; usual are 0: acme, beta, gamma$/,
    ],
    [
      'a rule that refuses',
      {
        refusals: [{ account: 'acme', code: 'rate_limited', now: 100, usual: 0 }],
        brokenRules: [broken('rate', 100)],
      },
      ['rule-broken acme'],
      /rate/,
    ],
  ];
  for (const [what, figures, names, evidence] of causes) {
    it(what, () => {
      const found = opening(figures);
      assert.deepEqual(
        found.map(({ kind, subject }) => `${kind} ${subject}`),
        names,
      );
      assert.match(found[0]?.evidence ?? '', evidence);
    });
  }

  it('work that waited while the database was away opens no alarm at once, but keeps an open alarm open', () => {
    const away = { webhooks: [late(3, 2_000_000)], ...withAlpha({ waiting: 1, oldest: now - 2_000_000 }) };
    assert.deepEqual(opening({ ...away, worksSince: now - 300_000 }), []);
    assert.equal(findingsOf('queue-old', { ...quiet, ...away, worksSince: now }, undefined).length, 1);
    const later = opening({ ...away, worksSince: now - 901_000 });
    assert.deepEqual(
      later.map(({ kind }) => kind),
      ['queue-old', 'webhook-late'],
    );
  });
});

it('settings of the operator replace the declared threshold and duration of an alarm', () => {
  const set = { kind: 'queue-old', threshold: 10, forSeconds: 7, isOn: true } as const;
  const figures = { ...quiet, ...withAlpha({ waiting: 4, oldest: now - 11_000 }) };
  assert.deepEqual(findingsOf('queue-old', figures, set), [
    {
      kind: 'queue-old',
      subject: 'alpha',
      evidence: '4 parts wait for alpha, the oldest for 11 s',
      help: 'morsel carrier show alpha',
      because: [{ kind: 'carrier-down', subject: 'alpha' }],
    },
  ]);
  assert.equal(holdMsOf('queue-old', set), 7_000);
  assert.equal(holdMsOf('link-down', undefined), 60_000);
});

it('receivers get alarms of their severity, and no alarm that is kept quiet', () => {
  const receivers = [
    { receiver: 'night', kind: 'sms', severity: 'critical' },
    { receiver: 'day', kind: 'email', severity: 'warning' },
    { receiver: 'dead-man', kind: 'heartbeat', severity: 'warning' },
  ] as const;
  const about = { kind: 'carrier-down', subject: 'alpha' } as const;
  assert.deepEqual(receiversOf(about, { receivers, quiet: [] }, now), ['night', 'day']);
  assert.deepEqual(receiversOf({ kind: 'queue-old', subject: 'alpha' }, { receivers, quiet: [] }, now), ['day']);
  assert.deepEqual(receiversOf({ kind: 'receiver-fails', subject: 'day' }, { receivers, quiet: [] }, now), ['night']);
  for (const [subject, until, notified] of [
    ['', now + 1, []],
    ['alpha', now + 1, []],
    ['beta', now + 1, ['night', 'day']],
    ['alpha', now, ['night', 'day']],
  ] as const) {
    assert.deepEqual(
      receiversOf(about, { receivers, quiet: [{ kind: 'carrier-down', subject, until }] }, now),
      notified,
    );
  }
});
