import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { Tour } from '../support/gateway/tour.ts';
import { TestStore } from '../support/store/store.ts';

/*
 * The tour of ARCHITECTURE.md names every file of the gateway that runs for a message after the start, but for a list of
 * helpers. V8 counts which functions run: in the gateway's event loop, and in the engine of the store.
 */

const root = join(import.meta.dirname, '..', '..', '..', '..');
const source = /\/packages\/gateway\/src\/(.*\.ts)$/;

/** What runs for a message beside the tour, and why a reader can pass it by. */
const helpers: { readonly [beginning: string]: string } = {
  'core/account/token.ts': 'the form of a token',
  'core/base/': 'ids, clocks and small structures',
  'core/message/': 'texts, priorities, times and ids of carriers',
  'core/money/': 'prices and calendars',
  'core/notification/': 'the fields of a notification',
  'core/number/': 'the numbering plan',
  'core/routing/': 'routes, costs and profiles of carriers',
  'edge/carrier/back-off.ts': 'when a link binds again',
  'edge/carrier/bind.ts': 'the bind of a link',
  'edge/carrier/dialect.ts': 'how a carrier writes',
  'edge/carrier/pace/': 'how fast a link sends',
  'edge/http/connection/': 'connections of clients, and their limits',
  'edge/http/request/': 'the body and the head of a request',
  'edge/http/routes.ts': 'the table of endpoints',
  'edge/http/server.ts': 'the listener',
  'edge/http/successes.ts': 'the bodies of answers',
  'flow/account/counts.ts': 'counts of messages and tokens',
  'flow/clock-guard.ts': 'a loop that looks at the clock',
  'flow/message/due.ts': 'a loop for scheduled messages',
  'flow/message/expire.ts': 'a loop for expired messages',
  'flow/message/inbound-answers.ts': 'repeats of inbound messages',
  'flow/message/rematch.ts': 'a loop for unmatched receipts',
  'flow/alarm/': 'a loop that looks for alarms',
  'flow/metrics/': 'what is counted for metrics',
  'flow/nodes/': 'which node does what',
  'flow/notification/': 'webhooks and sessions of the account',
  'flow/privacy/': 'loops for retention and erasure',
  'flow/readiness.ts': 'whether the gateway takes messages',
  'flow/routing/': 'duties, costs and waiting parts of links',
  'flow/snapshot.ts': 'the settings in memory',
  'flow/store-room.ts': 'a full disk',
  'runtime/': 'clock, random numbers, loops and log',
  'state/decide/message/': 'steps of receipts that are not the usual one',
  'state/decide/money/entry.ts': 'the one writer of ledger entries',
  'state/decide/notification/': 'what a change tells the account',
  'state/decide/number/opt-out.ts': 'receivers who want nothing',
  'state/decide/routing/': 'the id rule and the dialect of a carrier',
  'state/loader.ts': 'answers reads from memory or the engine',
  'state/rows/': 'rows of a group, and what memory keeps',
  'state/sealing/': 'sealed texts',
  'state/tables/': 'the tables',
  'store/lookups/': 'the SQL of lookups',
  'store/packed.ts': 'commands and results between threads',
  'store/sqlite/': 'statements and faults of SQLite',
  'store/stopwatch.ts': 'how long a group took',
  'store/table-sql.ts': 'statements of a table',
};

/** The files with functions that ran while `work` did. */
async function filesOf(work: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // What was counted until now is dropped.
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
    );
    return new Set(ran.flatMap(({ url }) => source.exec(url)?.[1] ?? []));
  } finally {
    session.disconnect();
  }
}

const named = new Set(
  [...readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = '']) => path),
);

function isHelper(file: string): boolean {
  return Object.keys(helpers).some((beginning) => file.startsWith(beginning));
}

function isNamed(file: string): boolean {
  return named.has(file) || [...named].some((each) => !each.includes('/') && file.endsWith(`/${each}`));
}

function unnamed(files: ReadonlySet<string>): readonly string[] {
  return [...files].filter((file) => !isNamed(file) && !isHelper(file)).toSorted();
}

it('what the event loop runs for a message is in the tour', async () => {
  await using tour = await Tour.open();
  const files = await filesOf(async () => {
    const { body } = await tour.send({ receiver: '+41791230001', text: 'hello' });
    await tour.event(String(body['msgId']), 'delivered');
  });
  assert.ok(files.has('flow/message/submit.ts'), 'V8 counts');
  assert.deepEqual(unnamed(files), []);
});

it('what the engine runs for a message is in the tour', async () => {
  await using store = await TestStore.open();
  const files = await filesOf(async () => {
    await store.one(store.accept({ claim: { carrier: 1, link: 1, lease: 1, isWhole: false } }));
    await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
    await store.one(store.receipt('a'));
  });
  assert.ok(files.has('state/decide/message/accept.ts'), 'V8 counts');
  assert.deepEqual(unnamed(files), []);
});
