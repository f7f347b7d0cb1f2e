import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startSimulator } from '@morsel/simulator';
import type { Gateway } from '../../src/app.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { answer, answered, bound, morsel, served } from '../support/gateway/morsel.ts';

/* The commands for messages. Each test has an account of its own at one gateway with one carrier. */

const account = (name: string) => answer(`account add ${name} --currency EUR --balance 100`);

/** Sends a message of an account, and waits until it is delivered. Returns the message's id. */
async function delivered(name: string, clientRef: string): Promise<string> {
  const to = `--sender Shop --receiver +41791112233 --client-ref ${clientRef} --tags all,${clientRef}`;
  return String((await answered(`send --account ${name} ${to} --text sweet-nothings --wait`))['msgId']);
}

describe('the commands for messages', () => {
  let gateway: Gateway;
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  let log = '';
  before(async () => {
    simulator = await startSimulator({ port: 0, receiptDelayMs: 10 });
    gateway = await served({ log: makeLog('info', { write: (line) => void (log += line) }) });
    await addCarrier('base');
    await answer('price set --list default --currency EUR --prefix 41 --price 0.0075');
  });
  after(async () => {
    await gateway.stop();
    await simulator.close();
    assert.doesNotMatch(log, /sweet-nothings/, 'no text is in the log');
  });

  /** Adds a carrier with a route for 41, for one account or for all. */
  async function addCarrier(name: string, route = ''): Promise<void> {
    const address = `--host 127.0.0.1 --port ${String(simulator.port)}`;
    await answer(`carrier add ${name} ${address} --system-id ${name} --password secret`);
    await answer(`route add --prefix 41 --carrier ${name}${route}`);
    await bound(name);
  }

  it('send --wait prints the final event', async () => {
    await account('waits');
    const draft = 'send --account waits --sender Shop --receiver +41791112233 --text sweet-nothings --client-ref ref-1';
    const sent = await answered(`${draft} --wait`);
    assert.equal(sent['event'], 'delivered');
    assert.equal(sent['totalCost'], 0.0075);
    assert.equal(sent['clientBalance'], 99.9925);
    const plain = await morsel(`${draft} --validity 600 --dcs UCS`);
    assert.match(plain.out, /^message \d+ is accepted: 1 part for 0\.0075 EUR; the balance is now 99\.985 EUR\n$/);
    const refused = await morsel('send --account waits --sender Shop --receiver 41791119930 --text x --wait');
    assert.match(refused.out, /\nthe message is rejected \(ESME_RINVDSTADR\)\n$/);
  });

  it('message show has a time line, message find finds a message by all of its fields', async () => {
    await account('finds');
    const msgId = await delivered('finds', 'ref-1');
    await morsel('send --account finds --sender Shop --receiver +41791119930 --text x --wait');
    const { out } = await morsel(`message show ${msgId}`);
    assert.match(out, /^message +\d+\nevent +delivered\n[^]* reserved for carrier base, link 1/);
    assert.equal((await answered(`message show ${msgId}`))['text'], 'sweet-nothings');
    const itsId = /the carrier's id is (\S+)/.exec(out)?.[1] ?? '';
    const everything =
      '--account finds --sender Shop --receiver 0041791112233 --client-ref ref-1 --tag all --event delivered' +
      ` --since 2020-01-01 --until 2999-01-01T00:00:00Z --limit 5 --carrier base --carrier-message-id ${itsId}`;
    const found = await morsel(`message find ${everything} --json`);
    assert.match(found.out, new RegExp(`"msgId":"${msgId}"`));
    assert.doesNotMatch(found.out, /sweet/);
  });

  it('send --send-at schedules a message, message cancel cancels it', async () => {
    await account('plans');
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const to = '--account plans --sender Shop --receiver +41791112234 --text later';
    const planned = String((await answered(`send ${to} --send-at ${sendAt} --flash`))['msgId']);
    const shown = await morsel(`message show ${planned}`);
    assert.match(shown.out, /event +scheduled\n[^]*encoding +gsm7 .*, flash\n/);
    assert.ok(shown.out.includes(`planned for  ${sendAt}`), shown.out);
    const canceled = await morsel(`message cancel ${planned}`);
    assert.equal(canceled.out, `message ${planned} is canceled: 0.0075 EUR refunded\n`);
    const late = await morsel(['message', 'cancel', await delivered('plans', 'ref-2')]);
    assert.deepEqual(
      [late.status, late.errors],
      [1, 'morsel: no part of the message can be canceled any more: the message is delivered\n'],
    );
  });
});
