/* The commands of CDRs, and the comparison of a carrier's invoice with them. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startSimulator } from '@morsel/simulator';
import { AcceptedParts } from '@morsel/cli/routing/invoice/compare.ts';
import { readInvoice } from '@morsel/cli/routing/invoice/read.ts';
import type { Gateway } from '../../src/app.ts';
import { toJson } from '../support/json.ts';
import { answer, answered, bound, folder, morsel, served, start } from '../support/gateway/morsel.ts';

const period = '--from 2020-01-01 --to 2100-01-01';

const file = (name: string) => join(folder, name);
/** A line of a carrier's invoice. */
const lineOf = (id: unknown, parts = 1, amount = '0.004', currency = 'EUR') =>
  `${String(id)};${parts};${amount};${currency}`;

describe('CDRs', () => {
  let gateway: Gateway;
  let simulator: Awaited<ReturnType<typeof startSimulator>>;

  before(async () => {
    simulator = await startSimulator({ port: 0, receiptDelayMs: 1 });
    gateway = await served();
    const address = `--host 127.0.0.1 --port ${String(simulator.port)} --system-id us --password x`;
    const price = '--currency EUR --prefix 41 --price';
    await answer(`price set --list cost ${price} 0.004`);
    await answer(`price set --list default ${price} 0.0075`);
    await answer(`carrier add alpha ${address} --cost-list cost`);
    await answer('route add --prefix 41 --carrier alpha');
    await bound('alpha');
    await answer('account add shop --currency EUR --balance 100');
    for (const text of ['one', 'x'.repeat(200), 'three', 'four', 'five']) {
      const to = '--account shop --sender Shop --receiver +41791112233';
      await answered(`send ${to} --text ${text} --wait`);
    }
  });
  after(async () => {
    await gateway.stop();
    await simulator.close();
  });

  it('are exported as CSV and as JSON lines, whose amounts are those of the ledger', async () => {
    const csv = file('all.csv');
    assert.deepEqual(await answered(`cdr export --output ${csv}`), { records: 6, file: csv });
    const [heading = '', ...rows] = readFileSync(csv, 'utf8').trim().split('\n');
    assert.match(heading, /^id,corrects,recordedAt,amount,currency,msgId,part,/);
    assert.equal(rows.length, 6);
    const again = await morsel(`cdr export --output ${csv}`);
    assert.deepEqual([again.status, again.errors], [2, `morsel: ${csv} exists already: name a new file\n`]);
    const { out } = await morsel('cdr export --format jsonl');
    const records = out
      .trim()
      .split('\n')
      .map((line) => toJson(JSON.parse(line)));
    const known = records.map((each) => [each['event'], each['amount'], each['cost'], each['margin'], each['country']]);
    assert.deepEqual(
      known,
      Array.from({ length: 6 }, () => ['delivered', 0.0075, 0.004, 0.0035, 'CH']),
    );
    assert.ok(records.every((each) => !('text' in each)));
    const { isRight, sums } = await answered(`cdr check ${period}`);
    assert.deepEqual(
      [isRight, sums],
      [true, [{ currency: 'EUR', messages: 5, charged: 0.045, refunded: 0, recorded: 0.045, open: 0 }]],
    );
  });

  it('are in a file with the given name only if all CDRs could be written', async () => {
    const under = ['bash', '-c', 'ulimit -f 1; exec "$@"', 'bash'];
    const words = `cdr export ${period} --output ${file('day.csv')}`;
    const { status, errors } = await start(words.split(' '), { under }).ended;
    assert.deepEqual([status, errors], [1, `morsel: ${file('day.csv')} could not be written: EFBIG\n`]);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('day.csv')),
      [],
    );
    assert.equal((await answered(words))['records'], 6);
  });

  it('are compared with an invoice, and the differences in ids, prices and parts are shown', async () => {
    const { out } = await morsel('cdr export --format jsonl');
    const records = out
      .trim()
      .split('\n')
      .map((line) => toJson(JSON.parse(line)));
    const invoice = (lines: readonly string[]) =>
      writeFileSync(file('invoice.csv'), ['Message ID;Parts;Amount;Currency', ...lines].join('\n'));
    const long = records.filter((each) => each['numParts'] === 2);
    const short = records.filter((each) => each['numParts'] === 1).map((each) => each['carrierMessageId']);
    const words = `carrier reconcile alpha ${file('invoice.csv')} ${period}`;

    // On the invoice, the long message is one line, with the id of its second part.
    const whole = lineOf(long.find((each) => each['part'] === 2)?.['carrierMessageId'], 2, '0.008');
    invoice([whole, ...short.map((id) => lineOf(id))]);
    const { status, out: said } = await morsel(words);
    assert.equal(status, 0, said);
    assert.match(said, /the invoice and our records are the same/);

    invoice([
      whole,
      lineOf('ffffff'),
      lineOf(short[0], 1, '0.005'),
      lineOf(short[1], 2, '0.008'),
      lineOf(short[2], 1, '0.004', 'USD'),
    ]);
    const { status: isDifferent, out: json } = await morsel(`${words} --json`);
    assert.equal(isDifferent, 1);
    const { differences } = toJson(JSON.parse(json));
    assert.ok(Array.isArray(differences));
    const kinds = differences.map((each) => [toJson(each)['kind'], toJson(each)['line'], toJson(each)['id']]);
    assert.deepEqual(kinds, [
      ['only-theirs', 3, 'ffffff'],
      ['other-price', 4, short[0]],
      ['other-parts', 5, short[1]],
      ['other-price', 6, short[2]],
      ['only-ours', null, short[3]],
    ]);
    const csv = await morsel(`${words} --csv`);
    assert.equal(csv.out.trim().split('\n').length, 6);
  });

  it('with decimal ids do not match hexadecimal ids of other messages on the invoice', () => {
    const ours = new AcceptedParts();
    for (const id of ['20480', '7777']) {
      const part = { msgId: 1, numParts: 1, submittedAt: 0, parts: 1, cost: null, currency: null };
      ours.add({ ...part, carrierMessageId: id });
    }
    const { billed } = readInvoice('id\n5000\n7777\n', {});
    const compare = (rule: 'auto' | 'same' | 'hex-answer') =>
      ours.compare(billed, { rule, isOurs: () => true }).map(({ kind, id }) => `${kind} ${id}`);
    assert.deepEqual(compare('same'), ['only-theirs 5000', 'only-ours 20480']);
    assert.deepEqual(compare('hex-answer'), ['only-theirs 5000', 'only-ours 20480']);
    // 0x5000 is 20480: while the carrier's id rule is unknown, the line may be for that id.
    assert.deepEqual(compare('auto'), []);
    const both = readInvoice('id\n5000\n20480\n7777\n', {}).billed;
    assert.deepEqual(
      ours.compare(both, { rule: 'auto', isOurs: () => true }).map(({ id }) => id),
      ['5000'],
    );
  });

  it('are not compared with an invoice file that has faults: each fault is reported with its line', async () => {
    const words = `carrier reconcile alpha ${file('faulty-invoice.csv')} ${period}`;
    writeFileSync(file('faulty-invoice.csv'), 'reference,cost,parts\n,0.004,1\n2,cheap,1\n3,0.004,300\n');
    assert.match((await morsel(words)).errors, /:1: no column has the message ids of the carrier: name it with/);
    const { status, errors } = await morsel(`${words} --id-column Reference`);
    assert.equal(status, 2);
    assert.match(
      errors,
      /invoice.csv:2: the line has no message id\n.*:3: an amount is digits.*\n.*:4: the number of parts/,
    );
  });
});
