import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '@morsel/api/admin/resources.ts';
import { alarmKindNames } from '@morsel/api/admin/alarm/kinds.ts';
import type { AlarmKind } from '@morsel/api/admin/alarm/kinds.ts';
import { findingsOf, helpFor, holdMsOf } from './findings.ts';
import type { AlarmFigures, CarrierFigures } from './findings.ts';

const up = { link: 1, isBound: true, throttledPercent: 0 };
const down = { link: 2, isBound: false, throttledPercent: 0 };
const alpha: CarrierFigures = { name: 'alpha', isActive: true, links: [up], waiting: 0, oldest: null, unmatched: 0 };
const now = 1_000_000;
const quiet: AlarmFigures = {
  now,
  node: 'gateway',
  carriers: [alpha],
  routes: [{ prefix: '41', carriers: ['alpha'] }],
  webhooks: [{ id: 3, waiting: 0, oldest: null }],
  low: [],
  freeMiB: 50_000,
  clock: undefined,
  lostNodes: [],
};
const withAlpha = (its: Partial<CarrierFigures>): Partial<AlarmFigures> => ({ carriers: [{ ...alpha, ...its }] });

type Row = readonly [kind: AlarmKind, what: string, figures: Partial<AlarmFigures>, subjects: readonly string[]];

const rows: readonly Row[] = [
  ['link-down', 'one of two links', withAlpha({ links: [up, down] }), ['alpha/2']],
  ['link-down', 'a paused carrier', withAlpha({ links: [down], isActive: false }), []],
  ['route-without-carrier', 'a carrier whose links are down', withAlpha({ links: [down] }), ['41']],
  ['route-without-carrier', 'a paused carrier', withAlpha({ isActive: false }), ['41']],
  ['route-without-carrier', 'one link of two', withAlpha({ links: [up, down] }), []],
  ['queue-old', 'as old as the threshold', withAlpha({ waiting: 1, oldest: now - 300_000 }), []],
  ['queue-old', 'a second older', withAlpha({ waiting: 1, oldest: now - 301_000 }), ['alpha']],
  ['queue-old', 'due later', withAlpha({ waiting: 1, oldest: now + 301_000 }), []],
  ['carrier-throttles', 'below', withAlpha({ links: [{ ...up, throttledPercent: 19.9 }] }), []],
  ['carrier-throttles', 'at the threshold', withAlpha({ links: [{ ...up, throttledPercent: 20 }] }), ['alpha/1']],
  ['carrier-throttles', 'not bound any more', withAlpha({ links: [{ ...down, throttledPercent: 90 }] }), []],
  ['receipts-unmatched', 'below', withAlpha({ unmatched: 999 }), []],
  ['receipts-unmatched', 'at the threshold', withAlpha({ unmatched: 1_000 }), ['alpha']],
  ['webhook-late', 'late', { webhooks: [{ id: 3, waiting: 2, oldest: now - 901_000 }] }, ['3']],
  ['webhook-late', 'soon enough', { webhooks: [{ id: 3, waiting: 2, oldest: now - 900_000 }] }, []],
  ['low-balance', 'two accounts', { low: ['acme', 'beta'] }, ['acme', 'beta']],
  ['disk-low', 'a MiB too few', { freeMiB: 2_047 }, ['gateway']],
  ['disk-low', 'enough', { freeMiB: 2_048 }, []],
  ['disk-low', 'unknown', { freeMiB: undefined }, []],
  ['clock-wrong', 'ahead', { clock: 'the clock is ahead' }, ['gateway']],
  ['node-lost', 'one', { lostNodes: ['gateway-2'] }, ['gateway-2']],
];

describe('what is wrong', () => {
  for (const [kind, what, figures, subjects] of rows) {
    it(`${kind}: ${what}`, () => {
      const found = findingsOf(kind, { ...quiet, ...figures }, undefined);
      assert.deepEqual(
        found.map(({ subject }) => subject),
        subjects,
      );
      // A kind that is off finds nothing.
      const off = { kind, threshold: null, forSeconds: null, isOn: false };
      assert.deepEqual(findingsOf(kind, { ...quiet, ...figures }, off), []);
    });
  }
});

it('every kind has a case that opens it, and opens nothing while all is well', () => {
  const opened = new Set(rows.filter(([, , , subjects]) => subjects.length > 0).map(([kind]) => kind));
  assert.deepEqual([...opened].toSorted(), alarmKindNames.toSorted());
  assert.deepEqual(
    alarmKindNames.flatMap((kind) => findingsOf(kind, quiet, undefined)),
    [],
  );
});

it('the settings of the operator replace the declared ones', () => {
  const set = { kind: 'queue-old', threshold: 10, forSeconds: 7, isOn: true } as const;
  const figures = { ...quiet, ...withAlpha({ waiting: 4, oldest: now - 11_000 }) };
  assert.deepEqual(findingsOf('queue-old', figures, set), [
    { kind: 'queue-old', subject: 'alpha', evidence: '4 parts wait for alpha, the oldest for 11 s' },
  ]);
  assert.equal(holdMsOf('queue-old', set), 7_000);
  assert.equal(holdMsOf('link-down', undefined), 60_000);
});

it('the command that helps is one that the command line has', () => {
  const words = Object.values(resources).flatMap(({ command, operations }) =>
    Object.entries(operations).map(([verb, operation]) => operation.command?.words ?? `${command} ${verb}`),
  );
  for (const kind of alarmKindNames) {
    const help = helpFor(kind, 'alpha/1').replace(/^morsel /, '');
    assert.ok(
      words.some((each) => help === each || help.startsWith(`${each} `)),
      help,
    );
  }
});
