import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { Tour } from '../support/gateway/tour.ts';
import { TestStore } from '../support/store/store.ts';

/*
 * The tour of ARCHITECTURE.md names every file of the gateway that runs for a message after the start, except some
 * helpers. V8 reports which functions run: in the gateway's event loop, and in the engine of the store.
 */

const root = join(import.meta.dirname, '..', '..', '..', '..');
const source = /\/packages\/gateway\/src\/(.*\.ts)$/;

/** Helpers: files and folders that run for a message beside the tour, and why a reader need not read them. */
const helpers: { readonly [beginning: string]: string } = {
  'core/': 'values and rules, which a file of the tour asks',
  'edge/carriers/smpp/bind.ts': 'the bind of a link, and when it binds again',
  'edge/carriers/smpp/dialect.ts': 'how a carrier writes',
  'edge/carriers/smpp/pace/': 'how fast a link sends',
  'edge/clients/listener.ts': 'the listener of the clients',
  'edge/clients/morsel/body.ts': 'the body of a request',
  'edge/clients/morsel/idempotency-key.ts': 'the key of a request',
  'edge/clients/morsel/notify.ts': 'the fields of reports and notifications',
  'edge/clients/morsel/routes.ts': 'the table of endpoints',
  'edge/clients/morsel/successes.ts': 'the bodies of answers',
  'edge/http/connection/': 'connections of clients, and their limits',
  'edge/http/request/': 'the head of a request, and the octets of its body',
  'edge/http/routes.ts': 'the route of a request',
  'edge/http/server.ts': 'the listener',
  'edge/refusal-log.ts': 'refused requests, which a timer writes',
  'edge/unreadable-count.ts': 'a count for alarms',
  'flow/': 'loops, counts, and what other nodes do; the steps of a message are in the folders below',
  'runtime/': 'clock, random numbers, loops and log',
  'state/decide/account/limits.ts': 'limits that count earlier messages',
  'state/decide/money/entry.ts': 'the one writer of ledger entries',
  'state/decide/notification/': 'what a change tells the account',
  'state/decide/number/opt-out.ts': 'receivers who want nothing',
  'state/decide/routing/': 'the id rule and the dialect of a carrier',
  'state/loader.ts': 'answers reads from memory or the engine',
  'state/rows/': 'rows of a group, and what memory keeps',
  'state/sealing/': 'sealed texts',
  'state/tables/': 'the tables',
  'store/': 'threads, statements and their SQL',
};

/** Folders with steps of a message, where each helper is listed by name; all other files must be in the tour. */
const steps: { readonly [folder: string]: readonly string[] } = {
  // Loops, and the repeats of inbound messages.
  'flow/message/': ['due.ts', 'due-work.ts', 'expire.ts', 'inbound-answers.ts'],
  // Duties, costs and waiting parts of links.
  'flow/routing/': ['link-duties.ts', 'sent-costs.ts', 'waiting.ts'],
  // Receipts that are not the usual one, and messages whose parts stay together.
  'state/decide/message/': ['unmatched.ts', 'whole.ts'],
};

/** The files with functions that ran while `work` did. */
async function filesOf(work: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // This drops the counts up to now.
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
  const folder = Object.keys(steps).find((each) => file.startsWith(each));
  if (folder !== undefined) return steps[folder]?.includes(file.slice(folder.length)) ?? false;
  return Object.keys(helpers).some((beginning) => file.startsWith(beginning));
}

function isNamed(file: string): boolean {
  return named.has(file) || [...named].some((each) => !each.includes('/') && file.endsWith(`/${each}`));
}

function unnamed(files: ReadonlySet<string>): readonly string[] {
  return [...files].filter((file) => !isNamed(file) && !isHelper(file)).toSorted();
}

it('all files that the event loop runs for a message are in the tour', async () => {
  await using tour = await Tour.open();
  const files = await filesOf(async () => {
    const { body } = await tour.send({ receiver: '+41791230001', text: 'hello' });
    await tour.event(String(body['msgId']), 'delivered');
  });
  assert.ok(files.has('flow/message/submit.ts'), 'V8 counts');
  assert.deepEqual(unnamed(files), []);
});

it('all files that the engine runs for a message are in the tour', async () => {
  await using store = await TestStore.open();
  const files = await filesOf(async () => {
    await store.one(store.accept({ claim: { carrier: 1, link: 1, lease: 1, isWhole: false } }));
    await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
    await store.one(store.receipt('a'));
  });
  assert.ok(files.has('state/decide/message/accept.ts'), 'V8 counts');
  assert.deepEqual(unnamed(files), []);
});
