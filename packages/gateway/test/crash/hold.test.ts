import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alterStore } from '../support/store/store-file.ts';
import { Tour } from '../support/gateway/tour.ts';
import { WebhookEar } from '../support/clients/webhook-ear.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { done } from '../support/done.ts';

/* `serve --hold`: the operator can look at a restored backup, and the gateway sends nothing to carriers and clients. */

const sent = '+41791230001';
/** A receiver whose carrier is never reachable. */
const late = '+4915112345678';

describe('a held gateway', () => {
  it('binds, sends, notifies and expires nothing until it is resumed', async () => {
    await using ear = await WebhookEar.open();
    await using tour = await Tour.open({
      carriers: [
        { name: 'alpha', prefix: '41' },
        { name: 'beta', prefix: '49', port: 1 },
      ],
    });
    done(await operatorCalls(tour.gateway.operator).carrier.pause({ carrier: 'alpha' }));
    const hook = { account: 'acme', url: ear.url, on: 'receipt', allow: '127.0.0.0/8' };
    done(await operatorCalls(tour.gateway.operator).webhook.add(hook));
    const [sentId, lateId] = [await tour.accept({ receiver: sent }), await tour.accept({ receiver: late })];
    await tour.stop();
    await alterStore(tour.dataDir, "update carrier set status = 'active'");
    await alterStore(tour.dataDir, 'update part set deadline = 1 where message = ?', BigInt(lateId));
    tour.journal.length = 0;

    await tour.start({ isHeld: true });
    const ready = await tour.client.ask({ path: '/ready' });
    assert.deepEqual([ready.status, ready.body['detail']], [503, 'the service is held']);
    const refused = await tour.send({ receiver: sent });
    assert.deepEqual([refused.status, refused.body['code']], [503, 'unavailable']);
    const draft = { account: 'acme', sender: 'Shop', receiver: sent, text: 'x' };
    const byOperator = await operatorCalls(tour.gateway.operator).message.send(draft);
    assert.ok(!byOperator.ok && byOperator.error.code === 'unavailable');
    const status = done(await operatorCalls(tour.gateway.operator).gateway.status());
    assert.ok(status.held);
    for (const endpoint of ['test', 'rebind'] as const) {
      const unbound = await operatorCalls(tour.gateway.operator).carrier[endpoint]({ carrier: 'alpha' });
      assert.ok(!unbound.ok && 'detail' in unbound.error, endpoint);
      assert.match(unbound.error.detail, /does not run: .* waits for morsel resume/);
    }
    for (const id of [sentId, lateId]) assert.equal((await tour.report(id))['event'], 'queued');
    assert.equal(tour.simulator.sessions, 0);
    assert.deepEqual([tour.journal, ear.told], [[], []]);

    done(await operatorCalls(tour.gateway.operator).gateway.resume());
    const again = await operatorCalls(tour.gateway.operator).gateway.resume();
    assert.ok(!again.ok && again.error.code === 'does_not_exist');
    await tour.event(sentId, 'delivered');
    await tour.event(lateId, 'expired');
    assert.equal(tour.submits(sent).length, 1);
    assert.equal((await tour.send({ receiver: sent })).status, 200);
    await ear.heard(2);
  });
});
