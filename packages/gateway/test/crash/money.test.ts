/* Many sends at once against one balance, under kill -9: answers, ledger and messages agree. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { HttpClient, microsIn, textIn, type HttpAnswer } from '../support/clients/http-client.ts';
import { morsel } from '../support/gateway/morsel.ts';
import { storeFaults } from '../support/store/store-faults.ts';
import { StoreFile } from '../support/store/store-file.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'morsel-money-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

/** Connections, and requests under way on each. */
const clientCount = 4;
const perClient = 30;
const kills = Number(process.env['CRASH_KILLS'] ?? 1);
const opening = 20_000_000n;
const creditLimit = 1_005_000n;
const price = 7_500n;

it('hundreds of sends at once against one balance, with kill -9 in their middle: every answer agrees with the ledger, and each cent spent has its message', async (t) => {
  const answers: HttpAnswer[] = [];
  let unanswered = 0;
  const token = await setUp();
  for (let round = 0; round <= kills; round++) {
    await using gateway = await GatewayProcess.start({ dataDir });
    const port = gateway.httpPort;
    const isLast = round === kills;
    const sendAll = async (client: HttpClient) => {
      for (;;) {
        const answer = await send(client, token).catch(() => undefined);
        if (!answer) {
          unanswered += 1;
          return;
        }
        answers.push(answer);
        if (answer.status !== 200) return;
      }
    };
    const clients = Array.from({ length: clientCount }, () => new HttpClient(port, perClient));
    const load = Promise.all(clients.flatMap((client) => Array.from({ length: perClient }, () => sendAll(client))));
    if (!isLast) {
      const enough = answers.length + 250;
      while (answers.length < enough) await sleep(5);
      await gateway.kill();
    }
    await load;
    for (const client of clients) client.close();
    using store = isLast ? undefined : StoreFile.copyOf(dataDir);
    if (store) look(store, answers, unanswered);
    else await gateway.stop();
  }
  using store = StoreFile.of(dataDir);
  const paid = look(store, answers, unanswered);
  const refused = answers.filter(({ status }) => status === 402);
  t.diagnostic(`${paid} paid and answered, ${refused.length} refused for their price, ${unanswered} without an answer`);
  assert.ok(paid > kills * 250 && unanswered > 0);
  // The balance was used up to the last cent: it did not go below the limit, and nothing was left above it.
  assert.ok(refused.length > 0);
  assert.equal(refused.length, answers.length - paid);
  for (const { text } of refused) assert.ok(microsIn(text, 'clientBalance') - price < -creditLimit, text);
  const balance = store.rows('select balance from account')[0]?.micros('balance') ?? 0n;
  assert.ok(balance >= -creditLimit && balance - price < -creditLimit, `${balance}`);
  const { status, out } = await morsel(['ledger', 'check', '--data-dir', dataDir]);
  assert.equal(status, 0, out);
});

/** An account with money and some credit, whose messages wait for an unreachable carrier. */
async function setUp(): Promise<string> {
  await using gateway = await GatewayProcess.start({ dataDir });
  const carrier = { name: 'away', host: '127.0.0.1', port: '1', systemId: 'us', password: 'secret' };
  await gateway.administer('POST', '/v1/carriers', carrier);
  await gateway.administer('POST', '/v1/routes', { prefix: '', carrier: 'away' });
  await gateway.administer('POST', '/v1/price-lists/default/prices', {
    currency: 'EUR',
    prices: [{ prefix: '', price: '0.0075' }],
  });
  await gateway.administer('POST', '/v1/accounts', {
    name: 'one',
    currency: 'EUR',
    balance: '20',
    creditLimit: '1.005',
  });
  const made = await gateway.administer('POST', '/v1/accounts/one/tokens');
  await gateway.stop();
  return textIn(made.body, 'token');
}

function send(client: HttpClient, auth: string): Promise<HttpAnswer> {
  const message = { sender: '+41790000001', receiver: '+41790000002', text: 'a cent', dcs: 'GSM' };
  return client.post('/sms/send', { auth, ...message });
}

/** Compares the store with every answer. Returns how many were paid. */
function look(store: StoreFile, answers: readonly HttpAnswer[], unanswered: number): number {
  assert.deepEqual(storeFaults(store), []);
  const stored = new Map(
    store
      .rows('select id, balance_after, total_cost from message')
      .map((row) => [
        row.micros('id').toString(),
        { balance: row.micros('balance_after'), cost: row.micros('total_cost') },
      ]),
  );
  const paid = answers.filter(({ status }) => status === 200);
  for (const { body, text } of paid) {
    const message = stored.get(textIn(body, 'msgId'));
    assert.equal(microsIn(text, 'clientBalance'), message?.balance, text);
    assert.equal(microsIn(text, 'totalCost'), message?.cost, text);
  }
  assert.equal(new Set(paid.map(({ body }) => textIn(body, 'msgId'))).size, paid.length, 'an id was given twice');
  assert.equal(
    new Set([...stored.values()].map(({ balance }) => balance)).size,
    stored.size,
    'two messages left one balance',
  );
  // A message without an answer may be stored: its client finds it in its statement.
  assert.ok(stored.size >= paid.length && stored.size <= paid.length + unanswered, `${stored.size} are stored`);
  const balance = store.rows('select balance from account')[0]?.micros('balance');
  assert.equal(
    balance,
    opening - price * BigInt(stored.size),
    'the balance is what was paid in, without the messages that are there',
  );
  return paid.length;
}
