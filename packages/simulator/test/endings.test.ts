import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readReceipt, statuses } from '@morsel/smpp';
import { endings } from '../src/endings.ts';
import { accepted, client, receipt, start, statusesOf, submit } from './client.ts';

/*
 * Tests of the endings, by which the last digits of a receiver choose the carrier's behaviour: receipts, answers, and
 * documentation.
 */

const delivered = ['DELIVERED', 'DELIVRD'];

describe('simulator: receipts of the endings', () => {
  const rows: readonly (readonly [ending: string, ...(readonly string[])[]])[] = [
    ['9901', delivered],
    ['9902', ['UNDELIVERABLE', 'UNDELIV']],
    ['9904', ['REJECTED', 'REJECTD']],
    ['9906', ['UNKNOWN', 'UNKNOWN']],
    ['9910', ['ENROUTE', 'ENROUTE'], delivered],
    ['9924', ['SCHEDULED', 'SCHEDLD'], delivered],
    ['9990', ['UNDELIVERABLE', 'UNDELIV']],
  ];
  for (const [ending, ...expected] of rows) {
    test(`${ending}: ${endings[ending]?.about}`, async () => {
      await using simulator = await start();
      await using peer = await client(simulator);
      const id = accepted(await peer.session.request(submit(ending)));
      const heard = await peer.hears(expected.length);
      assert.deepEqual(
        heard.map(receipt),
        expected.map((stateAndStat) => [...stateAndStat, id]),
      );
    });
  }

  test('a failure has an error code: 001, or the network_error_code of the ending', async () => {
    for (const [ending, error] of [
      ['9901', '000'],
      ['9902', '001'],
      ['9990', '27'],
    ] as const) {
      await using simulator = await start();
      await using peer = await client(simulator);
      accepted(await peer.session.request(submit(ending)));
      const [pdu] = await peer.hears(1);
      assert.ok(pdu?.command === 'deliver_sm');
      assert.equal(readReceipt(pdu)?.error, error, ending);
    }
  });

  test('9914: the receipt comes before the answer', async () => {
    await using simulator = await start();
    const order: string[] = [];
    await using peer = await client(simulator, {
      onRequest(pdu, respond) {
        order.push(String(receipt(pdu)[2]));
        respond(0);
      },
    });
    const id = accepted(await peer.session.request(submit('9914')));
    order.push('the answer');
    assert.deepEqual(order, [id, 'the answer']);
  });

  test('9912: no receipt; 9915: a very late receipt', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    for (const digits of ['9912', '9915']) accepted(await peer.session.request(submit(digits)));
    assert.equal(simulator.deliveriesWaiting, 1);
  });
});

describe('simulator: answers of the endings', () => {
  for (const [ending, command_status, times] of [
    ['9930', statuses.ESME_RINVDSTADR, Infinity],
    ['9931', statuses.ESME_RSYSERR, Infinity],
    ['9933', statuses.ESME_RTHROTTLED, 3],
    ['9939', statuses.ESME_RSYSERR, 1],
  ] as const) {
    test(`${ending}: ${endings[ending]?.about}`, async () => {
      await using simulator = await start();
      await using peer = await client(simulator);
      for (let turn = 1; turn <= 4; turn++) {
        const answered = statusesOf([await peer.session.request(submit(ending))]);
        assert.deepEqual(answered, [turn <= times ? command_status : 0], `turn ${turn}`);
      }
      await peer.hears(Math.max(0, 4 - times));
    });
  }

  test(`9942: ${endings['9942']?.about}`, async () => {
    await using simulator = await start();
    await using peer = await client(simulator, { responseTimeoutMs: 50 });
    assert.deepEqual(statusesOf([await peer.session.request(submit('9942'))]), ['timeout']);
  });

  test(`9944: ${endings['9944']?.about}`, async () => {
    await using simulator = await start();
    const { session } = await client(simulator);
    assert.deepEqual(await session.request(submit('9944')), { kind: 'closed', written: true });
    assert.equal(await session.closed, 'disconnected');
  });
});
