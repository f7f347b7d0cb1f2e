import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statuses } from '@morsel/smpp';
import { RawCarrier } from '../support/carriers/raw-carrier.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { done } from '../support/done.ts';
import type { LinkStatus } from '../../src/flow/routing/carrier-link.ts';

/* For an unbound link the operator sees what to do, and when the next try is. */

async function linkOf(tour: Tour): Promise<LinkStatus> {
  const { linkStates } = done(await operatorCalls(tour.gateway.operator).carrier.show({ carrier: 'alpha' }));
  return linkStates[0] ?? assert.fail('the carrier has no link');
}

function tourTo(carrier: RawCarrier, settings: { readonly [setting: string]: unknown } = {}): Promise<Tour> {
  return Tour.open({ carriers: [{ name: 'alpha', prefix: '41', port: carrier.port, ...settings }] });
}

describe('a link that is not bound', { concurrency: true }, () => {
  for (const [manner, settings, words] of [
    ['http', {}, /does not speak SMPP: check --host and --port/],
    ['hang up', {}, /closes the connection and does not answer the bind: it may want TLS/],
    [statuses.ESME_RINVPASWD, {}, /system_id or password: check both/],
    ['bound', { tls: 'on' }, /TLS/],
  ] as const) {
    it(`for a carrier whose way is ${manner}, with ${JSON.stringify(settings)}, says why and when it is tried again`, async () => {
      await using carrier = await RawCarrier.open(manner);
      await using tour = await tourTo(carrier, { ...settings, backOffMinMs: 20_000 });
      const link = await waitUntil('it waits', async () => {
        const shown = await linkOf(tour);
        return shown.state === 'waiting' && shown;
      });
      assert.match(String(link.lastError), words);
      assert.ok((link.nextTryAt ?? 0) > Date.now());
    });
  }
});

describe('a rebind', { concurrency: true }, () => {
  for (const [manner, words] of [
    [statuses.ESME_RALYBND, /link 1 of carrier alpha is not bound: the carrier says that we are bound already/],
    ['http', /does not speak SMPP/],
    ['silent', /does not answer the bind/],
  ] as const) {
    it(`reports an unbound link if the carrier's way is ${manner} by then`, async () => {
      await using carrier = await RawCarrier.open();
      await using tour = await tourTo(carrier);
      await waitUntil('the link is bound', async () => (await linkOf(tour)).state === 'bound');
      carrier.manner = manner;
      const refused = await operatorCalls(tour.gateway.operator).carrier.rebind({ carrier: 'alpha' });
      assert.ok(!refused.ok && refused.error.code === 'unavailable');
      assert.match(refused.error.detail, words);
      carrier.manner = 'bound';
      const rebound = await operatorCalls(tour.gateway.operator).carrier.rebind({ carrier: 'alpha' });
      assert.ok(rebound.ok);
    });
  }
});
