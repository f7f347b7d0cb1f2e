/* Many sends at once against one balance: it is used up exactly, and never passed. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpClient, microsIn, type HttpAnswer } from '../support/clients/http-client.ts';
import { Tour, unitPrice } from '../support/gateway/tour.ts';

const connections = 25;

interface Race {
  readonly about: string;
  readonly balance: string;
  readonly creditLimit?: string;
  readonly text: string;
  readonly numParts: bigint;
  readonly sends: number;
  readonly successes: number;
  /** What is left in the end, in millionths. */
  readonly left: bigint;
}

const races: readonly Race[] = [
  {
    about: '200 sends, money for exactly 100',
    balance: '0.75',
    text: 'x',
    numParts: 1n,
    sends: 200,
    successes: 100,
    left: 0n,
  },
  {
    about: 'messages of three parts',
    balance: '0.7',
    text: 'x'.repeat(400),
    numParts: 3n,
    sends: 100,
    successes: 31,
    left: 2_500n,
  },
  {
    about: 'credit, used to its limit',
    balance: '0.1',
    creditLimit: '0.2',
    text: 'x',
    numParts: 1n,
    sends: 100,
    successes: 40,
    left: -200_000n,
  },
];

describe('many at once on one balance', () => {
  for (const race of races) {
    it(`${race.about}: as many are sent as are paid for (M2, M6)`, async () => {
      const { balance, creditLimit } = race;
      await using tour = await Tour.open({ account: { balance, ...(creditLimit !== undefined && { creditLimit }) } });
      const answers = await sendAtOnce(tour, race);
      const accepted = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 402);
      assert.deepEqual([accepted.length, refused.length], [race.successes, race.sends - race.successes]);
      const cost = race.numParts * unitPrice;
      const balances = accepted.map(({ text }) => microsIn(text, 'clientBalance')).toSorted((a, b) => Number(b - a));
      const before = race.left + BigInt(race.successes) * cost;
      const wanted = accepted.map((_, place) => before - BigInt(place + 1) * cost);
      assert.deepEqual(balances, wanted, 'every balance once, each one message below the last');
      for (const { text } of refused) {
        assert.equal(microsIn(text, 'totalCost'), cost);
        assert.ok(microsIn(text, 'clientBalance') < before, 'refused only by a balance that others had taken from');
      }
      const ids = accepted.map(({ body }) => body['msgId']);
      assert.equal(new Set(ids).size, ids.length);
      const stored = await tour.readStore((store) => ({
        messages: store.count('select count(*) from message'),
        balance: store.texts('select balance from account'),
      }));
      assert.deepEqual(stored, { messages: race.successes, balance: [race.left.toString()] });
    });
  }
});

async function sendAtOnce(tour: Tour, race: Race): Promise<HttpAnswer[]> {
  const client = new HttpClient(tour.gateway.httpPort, connections);
  const fields = { auth: tour.token, sender: 'Race', text: race.text, dcs: 'GSM' };
  const answers = await Promise.all(
    Array.from({ length: race.sends }, (_, index) =>
      client.post('/sms/send', { ...fields, receiver: `+4179${String(1_000_000 + index)}` }),
    ),
  );
  client.close();
  return answers;
}
