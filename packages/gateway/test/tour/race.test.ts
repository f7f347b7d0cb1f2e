/* Many sends at once with one balance: it is used up exactly, and never exceeded. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HttpClient, microsIn } from '../support/clients/http-client.ts';
import { Tour, unitPrice } from '../support/gateway/tour.ts';

const connections = 25;

/** The race: each message has three parts, and the account has some credit. */
const race = { balance: '0.5', creditLimit: '0.2', sends: 100, successes: 31, left: -197_500n, text: 'x'.repeat(400) };
const cost = 3n * unitPrice;

it('of many simultaneous sends, exactly those are accepted that balance and credit can pay for (M2, M6)', async () => {
  const { balance, creditLimit, sends, successes, left, text } = race;
  await using tour = await Tour.open({ account: { balance, creditLimit } });
  const client = new HttpClient(tour.gateway.httpPort, connections);
  const fields = { auth: tour.token, sender: 'Race', text, dcs: 'GSM' };
  const answers = await Promise.all(
    Array.from({ length: sends }, (_, index) =>
      client.post('/sms/send', { ...fields, receiver: `+4179${String(1_000_000 + index)}` }),
    ),
  );
  client.close();
  const accepted = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 402);
  assert.deepEqual([accepted.length, refused.length], [successes, sends - successes]);
  const balances = accepted.map((answer) => microsIn(answer.text, 'clientBalance')).toSorted((a, b) => Number(b - a));
  const before = left + BigInt(successes) * cost;
  const wanted = accepted.map((_, place) => before - BigInt(place + 1) * cost);
  assert.deepEqual(balances, wanted, 'every balance once, each one message below the last');
  for (const answer of refused) {
    assert.equal(microsIn(answer.text, 'totalCost'), cost);
    assert.ok(microsIn(answer.text, 'clientBalance') < before, 'refused only by a balance that others had taken from');
  }
  const ids = accepted.map(({ body }) => body['msgId']);
  assert.equal(new Set(ids).size, ids.length);
  const stored = await tour.readStore((store) => ({
    messages: store.count('select count(*) from message'),
    balance: store.texts('select balance from account'),
  }));
  assert.deepEqual(stored, { messages: successes, balance: [left.toString()] });
});
