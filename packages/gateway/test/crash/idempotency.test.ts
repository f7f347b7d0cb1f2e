/* M7 under kill -9: keys whose answers were lost are sent again, and each makes one message. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chance } from '../support/chance.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { HttpClient, microsIn, textIn } from '../support/clients/http-client.ts';
import { storeFaults } from '../support/store/store-faults.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? 2);
const connections = 25;
/** Equal requests at once, and new keys in each round. */
const equals = 4;
const keysARound = 150;

/** A key and every whole answer that its client got. */
interface Kept {
  readonly key: string;
  readonly answers: string[];
}

it(`${kills} times kill -9 among requests that are repeated until they are answered: one message a key, one charge, one answer (M7)`, async (t) => {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 32);
  t.diagnostic(`seed ${seed}: CRASH_SEED=${seed} kills after the same times again`);
  const chance = new Chance(seed);
  const dataDir = join(mkdtempSync(join(tmpdir(), 'morsel-keys-')), 'data');
  const token = await setUp(dataDir);
  const kept: Kept[] = [];
  let answersLost = 0;
  for (let round = 0; round < kills; round++) {
    await using gateway = await GatewayProcess.start({ dataDir });
    const port = gateway.httpPort;
    const fresh: Kept[] = Array.from({ length: keysARound }, (_, at) => ({ key: `${round}-${at}`, answers: [] }));
    kept.push(...fresh);
    // Keys of earlier rounds without an answer are sent again, among new ones.
    const unanswered = kept.filter(({ answers }) => answers.length === 0);
    const client = new HttpClient(port, connections);
    const load = sendAll(client, token, unanswered);
    // At most half of them, so that some are under way when the client ends.
    const enough = chance.between(1, Math.ceil(unanswered.length / 2));
    const answered = () => unanswered.filter(({ answers }) => answers.length > 0).length;
    await waitUntil(`${enough} keys with an answer`, () => answered() >= enough, 30_000);
    // The client closes first, so that answers to commits before the kill are lost.
    client.close();
    await sleep(chance.between(0, 30));
    await gateway.kill();
    await load;
    using store = StoreFile.copyOf(dataDir);
    assert.deepEqual(storeFaults(store), []);
    answersLost +=
      store.count('select count(*) from message') - kept.filter(({ answers }) => answers.length > 0).length;
  }
  await using gateway = await GatewayProcess.start({ dataDir });
  const client = new HttpClient(gateway.httpPort, connections);
  await sendAll(client, token, kept);
  client.close();
  await gateway.stop();
  using store = StoreFile.of(dataDir);
  assert.deepEqual(storeFaults(store), []);
  t.diagnostic(`${kept.length} keys; ${answersLost} times a message was on disk and its client had no answer`);
  assert.ok(answersLost > 0, 'kills that came between a commit and its answer');
  assert.equal(store.count('select count(*) from message'), kept.length);
  for (const { key, answers } of kept) {
    assert.equal(new Set(answers).size, 1, `${key}: ${answers.join(' ')}`);
    const [answer = ''] = answers;
    const [row] = store.rows(
      `select message, client_ref, balance_after from idempotency_key
        join message on message.id = idempotency_key.message where key = ?`,
      key,
    );
    assert.deepEqual(
      [row?.text('client_ref'), String(row?.integer('message'))],
      [key, /"msgId":"(\d+)"/.exec(answer)?.[1]],
    );
    assert.equal(row?.micros('balance_after'), microsIn(answer, 'clientBalance'));
  }
  rmSync(join(dataDir, '..'), { recursive: true, force: true });
});

/** Sends each key several times at once, over many connections. */
async function sendAll(client: HttpClient, token: string, keys: readonly Kept[]): Promise<void> {
  const fields = { auth: token, sender: 'Shop', receiver: '+41791230001', text: 'Hello', dcs: 'GSM' };
  const sendOne = async ({ key, answers }: Kept): Promise<void> => {
    try {
      const answer = await client.post('/sms/send', { ...fields, clientRef: key }, { 'Idempotency-Key': key });
      if (answer.status === 200) answers.push(answer.text);
      else assert.equal(answer.body['code'], 'unavailable', answer.text);
    } catch (fault) {
      // Killed: there is no answer, so the client does not know the result.
      if (fault instanceof assert.AssertionError) throw fault;
    }
  };
  await Promise.all(keys.flatMap((kept) => Array.from({ length: equals }, () => sendOne(kept))));
}

async function setUp(dataDir: string): Promise<string> {
  await using gateway = await GatewayProcess.start({ dataDir });
  await gateway.administer('POST', '/v1/accounts', { name: 'acme', currency: 'EUR', balance: '1000' });
  const made = await gateway.administer('POST', '/v1/accounts/acme/tokens');
  // Nothing listens at the carrier's port: accepted messages wait.
  const carrier = { name: 'alpha', host: '127.0.0.1', port: '1', systemId: 'us', password: '' };
  await gateway.administer('POST', '/v1/carriers', carrier);
  await gateway.administer('POST', '/v1/routes', { prefix: '41', carrier: 'alpha' });
  await gateway.administer('POST', '/v1/price-lists/default/prices', {
    currency: 'EUR',
    prices: [{ prefix: '41', price: '0.0075' }],
  });
  await gateway.stop();
  return textIn(made.body, 'token');
}
