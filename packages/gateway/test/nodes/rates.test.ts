/*
 * The rate of an account at one, two and three nodes. `node --test packages/gateway/test/nodes/rates.test.ts` prints it.
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { needsPostgres } from '../peers/needs.ts';
import { done } from '../support/done.ts';
import { HttpClient } from '../support/clients/http-client.ts';
import { pricesOf } from '../support/store/prices.ts';
import { Nodes } from './nodes.ts';

const perSecond = 20;
const sentMs = 8_000;
/** Each client sends as fast as it is answered: some hundred requests a second. */
const clientsOfNode = 2;

it('an account with a rate of 20/s sends 20/s at one, two and three nodes', needsPostgres, async (t) => {
  await using nodes = await Nodes.open();
  const clients: HttpClient[] = [];
  for (const count of [1, 2, 3]) {
    const { httpPort } = await nodes.start(`n${count}`, {});
    const client = new HttpClient(httpPort, clientsOfNode);
    t.after(() => client.close());
    clients.push(client);
    const operator = nodes.operator(0);
    if (count === 1) {
      // Nobody listens there, so all messages wait.
      const carrier = { systemId: 'us', password: 'secret', host: '127.0.0.1', port: '1' };
      done(await operator.carrier.add({ name: 'alpha', ...carrier }));
      done(await operator.route.add({ carrier: 'alpha', prefix: '41' }));
      done(await operator.price.set({ list: 'default', currency: 'EUR', prices: pricesOf({ 41: '0.0075' }) }));
    }
    const account = `client-${count}`;
    done(await operator.account.add({ name: account, currency: 'EUR', balance: '100', rate: `${perSecond}/s` }));
    const { token: auth } = done(await operator.token.add({ account }));
    const message = { auth, sender: '+41790000001', receiver: '+41791230001', text: 'Hello', dcs: 'GSM' };
    const end = performance.now() + sentMs;
    const counts = { 200: 0, 429: 0 };
    const send = async (by: HttpClient) => {
      while (performance.now() < end) {
        const { status, text } = await by.post('/sms/send', message);
        assert.ok(status === 200 || status === 429, text);
        counts[status] += 1;
      }
    };
    await Promise.all(clients.flatMap((each) => Array.from({ length: clientsOfNode }, () => send(each))));
    // The burst is as many parts as the rate allows in a second.
    const rate = ((counts[200] - perSecond) / sentMs) * 1_000;
    t.diagnostic(`${count} nodes: ${rate.toFixed(2)} a second accepted, ${counts[429]} requests refused`);
    // On a busy machine, the clients ask late.
    assert.ok(rate > 0.75 * perSecond && rate < 1.05 * perSecond, `${count} nodes: ${rate} a second`);
  }
});
