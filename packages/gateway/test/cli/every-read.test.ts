/*
 * Every declared read operation, on a gateway with rows of every kind: it is printed as table, JSON and CSV, its pages
 * have each row once, and its filters find the right rows. The test reads the declarations, so new operations are in it.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { csvHeading, csvOf, csvRow } from '@morsel/api/admin/csv.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf } from '@morsel/api/fields/field.ts';
import type { Resource } from '@morsel/api/admin/resource.ts';
import { readCsv } from '@morsel/api/admin/csv-read.ts';
import { cardOf, tableOf } from '@morsel/cli/show.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { live } from '../releases/life.ts';
import { declared, wordsOf, type Declared } from '../support/gateway/declared.ts';
import { done } from '../support/done.ts';
import { toJson } from '../support/json.ts';
import { runMorsel } from '../support/gateway/run-morsel.ts';
import { SmppClient } from '../support/clients/smpp-client.ts';
import type { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

type Row = { readonly [field: string]: unknown };

/** Values for fields that an operation requires. Ids of rows come from the list of the resource. */
const values: { readonly [field: string]: string } = {
  account: 'acme',
  carrier: 'alpha',
  list: 'default',
  operator: 'jane',
  since: '2020-01-01',
  from: '2020-01-01',
  sender: 'Shop',
  receiver: '+41791230001',
  text: 'Zażółć',
  config: '{"carriers":[{"name":"alpha","window":21}]}',
};

/** Optional fields, by operation, with which the operation shows more. */
const moreValues: { readonly [operation: string]: { readonly [field: string]: string } } = {
  'posting.statement': { from: '2020-01-01', to: '2099-01-01' },
  'alarm.list': { all: 'true' },
  'privacy.export': { after: 'message/0' },
};

/** Lists that are empty in this gateway: it is the only node, and nobody is signed in to its console. */
const empty = new Set(['node.list', 'operatorKey.sessions']);

/** Lists that change while time passes, and the sums of the most frequent refusals, which have no pages. */
const moving = new Set(['session.list', 'webhook.list', 'retention.list', 'refusal.summary']);

/** Input fields that are no filters, although rows have a field of that name: the place of a page, and a span's length. */
const noFilters = new Set(['after', 'span']);

/** Commands that only read, and have no read operation of their own. */
const others = [
  'carrier presets',
  'cdr export --format jsonl',
  'optout export --account acme',
  'audit export',
  'config export',
  'price diff default gold',
];

const rowsMax = 20;
/** The number of pages into which the test divides a list. */
const pagesMax = 8;

const reads = declared.filter(({ operation }) => !operation.isChange);

describe('every read operation', () => {
  let tour: Tour;
  const ending = new AsyncDisposableStack();

  before(async () => {
    tour = ending.use(await live({}));
    await tour.start();
    await sendInTwoCurrencies();
    ending.use(await SmppClient.bind({ port: tour.gateway.smppPort ?? 0, systemId: 'beta' }));
    // No notification is tried between two readings.
    await run('webhook', 'pause', '1');
  });

  after(() => ending.disposeAsync());

  async function run(...words: readonly string[]) {
    const { status, out, errors } = await runMorsel(words, { dataDir: tour.dataDir });
    assert.equal(status, 0, `${words.join(' ')}: ${errors}`);
    return out;
  }

  /** Sends delivered messages with charges and costs in two currencies, and a message that waits. */
  async function sendInTwoCurrencies(): Promise<void> {
    for (const line of [
      'price set --list dollars --currency USD --prefix 41 --price 0.015',
      'account add dollars --currency USD --balance 10.5 --price-list dollars',
      'price set --list costs --currency USD --prefix 41 --price 0.0031',
      'carrier set alpha --cost-list costs',
      'carrier resume alpha',
      'route add --prefix 44 --carrier cheap',
      'price set --list default --currency EUR --prefix 44 --price 0.02',
      'send --account acme --sender Shop --receiver +41791230001 --text Hello',
      'send --account dollars --sender Shop --receiver +41791230001 --text Hello',
      'send --account acme --sender Shop --receiver +447700900123 --text Hello',
    ]) {
      await run(...line.split(' '));
    }
    const { traffic } = tour.operator;
    await waitUntil('both are charged, and delivered', async () => {
      const { charged, delivered } = done(await traffic.now());
      return charged.length === 2 && delivered >= 2;
    });
  }

  /** The inputs of an operation, one for each row that its input may name. */
  async function askedWith({ of, operation, name }: Declared): Promise<readonly Row[]> {
    const wanted = Object.entries(operation.input).filter(([, { need }]) => need === 'must');
    const more = { ...moreValues[name] };
    const given = { ...Object.fromEntries(wanted.map(([field]) => [field, values[field]])), ...more };
    const [unknown, ...rest] = Object.keys(given).filter((field) => given[field] === undefined);
    assert.deepEqual(rest, []);
    if (unknown === undefined) return [given];
    const rows = await rowsWith(of, unknown);
    assert.ok(rows.length > 0, `${name} needs ${unknown}: name a value of it in this test`);
    return rows.map((value) => ({ ...given, [unknown]: value }));
  }

  /** The ids of the rows of a resource, or of the resource that a field names. */
  async function rowsWith(of: Resource, field: string): Promise<readonly unknown[]> {
    const lists = reads.filter(
      (each) =>
        each.operation.isPage &&
        (each.of === of || each.of.name === field) &&
        Object.values(each.operation.input).every(({ need }) => need === 'may'),
    );
    const found = await Promise.all(lists.map(async (each) => rowsOf(await ask(each, {}))));
    const ids = found.flat().map((row) => row[field] ?? row['id'] ?? row['msgId']);
    return [...new Set(ids)].filter((id) => id !== undefined).slice(0, rowsMax);
  }

  async function ask({ name }: Declared, given: Row): Promise<unknown> {
    const calls: { readonly [resource: string]: { readonly [operation: string]: unknown } } = operatorCalls(
      tour.gateway.operator,
    );
    const [resource = '', verb = ''] = name.split('.');
    const call = calls[resource]?.[verb];
    assert.ok(typeof call === 'function');
    return done(await call(given));
  }

  for (const read of reads) {
    it(`prints ${read.name}`, async () => {
      for (const given of await askedWith(read)) {
        await printsByItself(read, given);
        await printsByCommand(read, given);
      }
    });
  }

  /** Checks the output of the generic functions with which the commands and the console print. */
  async function printsByItself(read: Declared, given: Row): Promise<void> {
    const { operation, name } = read;
    const answer = await ask(read, given);
    const rows = operation.isPage ? rowsOf(answer) : [toJson(answer)];
    if (!empty.has(name)) assert.ok(rows.length > 0, `let this test or life.ts make a row of ${name}`);
    const shown = { hasColour: false, whenEmpty: 'there are none' };
    assertText(name, tableOf(operation, rows, shown));
    for (const row of rows) {
      assertText(name, cardOf(operation, row, shown));
      JSON.parse(writeJson(jsonOf(operation.answer, row)));
    }
    assertCsv(name, csvOf([csvHeading(operation.answer), ...rows.map((row) => csvRow(operation.answer, row))]));
  }

  async function printsByCommand(read: Declared, given: Row): Promise<void> {
    const { name, operation, command } = read;
    const words = wordsOf(read, given);
    if (!command || !words) return;
    assertText(name, await run(...words));
    assertJson(await run(...words, '--json'));
    if (!command.options?.some(({ flags }) => flags === '--csv')) return;
    const csv = await run(...words, '--csv');
    assertCsv(name, csv);
    if (!operation.isPage || moving.has(name)) return;
    const rows = rowsOf(await ask(read, { ...given, limit: 1_000 }));
    const lines = [csvHeading(operation.answer), ...rows.map((row) => csvRow(operation.answer, row))];
    assert.equal(csv, `${csvOf(lines)}\n`);
    const pageSize = Math.max(1, Math.ceil(rows.length / pagesMax));
    assert.deepEqual(
      await inPages(read, { ...given, limit: pageSize }),
      rows,
      'a page after the other has each row once',
    );
    assert.deepEqual(JSON.parse(await run(...words, '--limit=1000', '--json')).items, JSON.parse(rowsJson(read, rows)));
  }

  async function inPages(read: Declared, given: Row): Promise<readonly Row[]> {
    const found: Row[] = [];
    for (let place: unknown; place !== null;) {
      const page = await ask(read, { ...given, after: place });
      found.push(...rowsOf(page));
      place = toJson(page)['next'] ?? null;
    }
    return found;
  }

  for (const read of reads) {
    if (!read.operation.isPage || moving.has(read.name)) continue;
    it(`finds by each filter of ${read.name} the rows with that value, and no others`, async () => {
      const [given = {}] = await askedWith(read);
      const all = rowsOf(await ask(read, { ...given, limit: 1_000 }));
      const filters = Object.keys(read.operation.input).filter((field) => !noFilters.has(field) && !(field in given));
      for (const field of filters) {
        const known = new Set(all.map((row) => row[field]).filter((value) => value !== null && value !== undefined));
        for (const value of [...known].slice(0, rowsMax)) {
          const found = rowsOf(await ask(read, { ...given, [field]: value, limit: 1_000 }));
          const wanted = all.filter((row) => row[field] === value);
          assert.deepEqual(found, wanted, field);
        }
      }
    });
  }

  it('shows carriers, what waits, disk and nodes in the status', async () => {
    const text = await run('status');
    assert.match(text, /\ndisk +free bytes \d+ MiB, database bytes \d+ MiB, wal bytes \d+ MiB\n/);
    assert.match(text, /\nqueued +1\noldest queued +\d{4}-.*Z\n/);
    assert.match(text, /\nnodes:\nonly this one, because the data is in SQLite\n/);
    assert.match(text, /\n\ncarriers:\nNAME +STATUS +ADDRESS +BOUND +.*WAITING +IN DOUBT +LAST ERROR\n/);
    assert.match(text, /\nalpha +active .* 1\/1 .* \d+ +0$/m);
    assert.match(text, /\ncheap +drained .* 0\/2 .* 1 +0/);
    assert.match(text, /\nphones +active .* 0\/1 .* 0 +1 +\S.*ECONNREFUSED/);
  });

  for (const line of others) {
    it(`prints ${line}`, async () => {
      assert.notEqual(await run(...line.split(' ')), '');
      assertJson(await run(...line.split(' '), '--json'));
    });
  }
});

function rowsOf(answer: unknown): readonly Row[] {
  const { items } = toJson(answer);
  assert.ok(Array.isArray(items));
  return items.map(toJson);
}

function rowsJson({ operation }: Declared, rows: readonly Row[]): string {
  return writeJson(rows.map((row) => jsonOf(operation.answer, row)));
}

function assertText(name: string, text: string): void {
  assert.notEqual(text, '', name);
  assert.doesNotMatch(text, /\bundefined\b|\[object|\bNaN\b|Invalid Date/, name);
}

/** Checks that a text is one JSON value, or one JSON value in each line. */
function assertJson(text: string): void {
  const isOne = text.startsWith('{') && !text.includes('}\n{');
  for (const value of isOne ? [text] : text.trimEnd().split('\n')) JSON.parse(value);
}

/** Checks that every row of a CSV file has a cell for each heading. */
function assertCsv(name: string, csv: string): void {
  const { lines, problems } = readCsv(csv);
  assert.deepEqual(problems, [], name);
  const [heading, ...rows] = lines.map(({ cells }) => cells);
  for (const row of rows) assert.equal(row.length, heading?.length, `${name}: ${row.join()}`);
}
