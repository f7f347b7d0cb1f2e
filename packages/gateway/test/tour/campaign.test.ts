import assert from 'node:assert/strict';
import { it } from 'node:test';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { done } from '../support/done.ts';
import { Tour } from '../support/tour.ts';

it('a campaign comes back in the report, the list and the CDR', async () => {
  await using tour = await Tour.open();
  const { body } = await tour.send({ receiver: '+41791230001', text: 'hello', campaign: 'spring' } as never);
  const report = await tour.event(String(body['msgId']), 'delivered');
  assert.equal(report['campaign'], 'spring');
  const calls = operatorCalls(tour.gateway.operator);
  const found = done(await calls.message.show({ id: String(body['msgId']) })) as { campaign?: unknown };
  assert.equal(found.campaign, 'spring');
  const cdr = done(await calls.cdr.list({ from: 0 } as never)).items[0] as { campaign?: unknown } | undefined;
  assert.equal(cdr?.campaign, 'spring');
});
