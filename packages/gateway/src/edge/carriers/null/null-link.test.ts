import assert from 'node:assert/strict';
import { it } from 'node:test';
import { operatorCalls } from '../../admin/handlers.ts';
import { Tour } from '../../../../test/support/gateway/tour.ts';
import { decideOperation } from '../../admin/direct.ts';

const shared = { window: 10, throughput: 0, links: 2, inDoubt: 'hold', idRule: 'same' } as const;

it('a message goes over a carrier of another kind, and its receipt comes back', async () => {
  await using tour = await Tour.open();
  const { operator } = tour.gateway;
  const input = { name: 'nil', host: '-', port: 1, systemId: '-', password: '', systemType: '', ...shared };
  const needs = { ...operator, caller: { name: 'owner' } } as unknown as Parameters<typeof decideOperation>[0];
  const made = { shared, given: { kind: 'null' } } as const;
  const added = await decideOperation(needs, 'carrier.add', { input: input as never, made });
  assert.ok(added.ok, JSON.stringify(added));
  const route = await operatorCalls(operator).route.add({ prefix: '4179', carrier: 'nil' });
  assert.ok(route.ok, JSON.stringify(route));
  const sent = await tour.send({ receiver: '+41791230009', text: 'Hello '.repeat(60) });
  await tour.event(String(sent.body['msgId']), 'delivered');
  assert.equal(tour.submits('+41791230009').length, 0);
  const shown = await operatorCalls(operator).carrier.show({ carrier: 'nil' });
  assert.ok(shown.ok);
  assert.equal(
    shown.value.linkStates.reduce((sum, { accepted }) => sum + accepted, 0),
    3,
  );
  const changed = await operatorCalls(operator).carrier.set({ carrier: 'nil', window: '5' });
  assert.ok(changed.ok && changed.value.window === 5);
});
