import assert from 'node:assert/strict';
import { it } from 'node:test';
import { answer, morsel } from '../support/gateway/morsel.ts';
import { Place } from '../support/gateway/place.ts';
import { toJson } from '../support/json.ts';

it('a message keeps the token, session or operator that sent it, with the address, on every API', async () => {
  await using place = await Place.open();
  const { tour } = place;
  const { dataDir } = tour;
  const tokenId = tour.token.split('_')[1] ?? '';
  await using ear = await place.ear();
  const send = 'send --account acme --sender Shop --receiver +41791230001 --text Hello --actor jane';
  const [first] = tour.gateway.operator.sessions.list({});
  assert.ok(first);
  const key = { receiver: '+41791230002', idempotencyKey: 'once' };
  const rows: readonly (readonly [msgId: string, kept: readonly unknown[], line: string])[] = [
    [
      await tour.accept({ receiver: '+41791230002' }),
      ['http', tokenId, '127.0.0.1', null],
      `over HTTP with token ${tokenId}, from 127.0.0.1`,
    ],
    [await tour.accept(key), ['http', tokenId, '127.0.0.1', null], `over HTTP with token ${tokenId}, from 127.0.0.1`],
    [
      await place.submit(ear, 1, '41791230003'),
      ['smpp', 'acme', '127.0.0.1', first.id],
      `over SMPP by system_id acme, session ${first.id}, from 127.0.0.1`,
    ],
    [
      await place.submit(ear, 0, '41791230004'),
      ['smpp', 'acme', '127.0.0.1', first.id],
      `over SMPP by system_id acme, session ${first.id}, from 127.0.0.1`,
    ],
    [
      String(toJson(await answer(send, { dataDir }))['msgId']),
      ['operator', 'jane', null, null],
      'by the operator jane',
    ],
  ];
  for (const [msgId, kept, line] of rows) {
    const message = toJson(await answer(`message show ${msgId}`, { dataDir }));
    assert.deepEqual([message['source'], message['submitter'], message['address'], message['session']], kept);
    const { out } = await morsel(`message show ${msgId}`, { dataDir });
    assert.match(out, new RegExp(`\\nsubmitted +${line}\\n`));
    assert.ok(!out.includes(tour.token), 'the token itself is not kept');
  }
});
