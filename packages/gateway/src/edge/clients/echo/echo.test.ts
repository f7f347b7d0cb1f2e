import assert from 'node:assert/strict';
import { it } from 'node:test';
import { operatorCalls } from '../../admin/handlers.ts';
import { done } from '../../../../test/support/done.ts';
import { Tour } from '../../../../test/support/gateway/tour.ts';
import { WebhookEar } from '../../../../test/support/clients/webhook-ear.ts';

it('a client sends with Basic authentication, and gets a receipt as a line of text', async () => {
  await using tour = await Tour.open();
  await using ear = await WebhookEar.open();
  ear.status = 202;
  const { operator } = tour.gateway;
  const added = { account: 'acme', url: ear.url, allow: '127.0.0.1', on: 'receipt', method: 'echo' } as const;
  done(await operatorCalls(operator).webhook.add(added));
  const send = async (token: string, to: string) => {
    const query = new URLSearchParams({ from: 'Shop', to, text: 'Hello' }).toString();
    const headers = { authorization: `Basic ${Buffer.from(`acme:${token}`).toString('base64')}` };
    const answer = await fetch(`http://127.0.0.1:${tour.gateway.httpPort}/echo/send?${query}`, { headers });
    return [answer.status, answer.headers.get('content-type'), await answer.text()] as const;
  };
  const plain = 'text/plain; charset=utf-8';
  assert.deepEqual(await send('wrong', '+41791230001'), [401, plain, 'REFUSED unauthorized']);
  assert.deepEqual(await send(tour.token, '12'), [400, plain, 'REFUSED invalid_parameter']);
  const [status, type, body] = await send(tour.token, '+41791230001');
  assert.deepEqual([status, type], [202, plain]);
  const [, msgId = ''] = /^TAKEN (\d{16})$/.exec(body) ?? [];
  const [told = assert.fail()] = await ear.heard(1);
  assert.equal(told.body, `REPORT ${msgId} delivered`);
  const shown = done(await operatorCalls(operator).message.show({ id: msgId }));
  assert.equal(shown.source, 'echo');
});
