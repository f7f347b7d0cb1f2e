import assert from 'node:assert/strict';
import { it } from 'node:test';
import { adminBase } from '@morsel/api/admin/client.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { gateway, key } from '../../../../../test/support/gateway/admin-api.ts';
import { done } from '../../../../../test/support/done.ts';
import { HistogramCount, longTimes } from '../../../../core/base/histogram.ts';
import { trafficOf } from '../../../../flow/metrics/traffic.ts';
import { operatorCalls } from '../../handlers.ts';

const carrier = {
  outcomes: { accepted: 3, permanent: 1 },
  receipts: {},
  inbound: 2,
  delivered: 2,
  failed: 1,
  receiptSeconds: new HistogramCount(longTimes),
};

/** The meter of an account. */
function meterOf(messages: number, charged: bigint) {
  return { messages: { http: messages }, parts: messages, charged, refused: {} };
}

it('sums are added up over accounts and carriers, and their money by currency', async () => {
  const figures = {
    accounts: new Map([
      [1, meterOf(2, 30n)],
      [2, meterOf(1, 5n)],
      [3, { ...meterOf(0, 0n), refused: { rate_limited: 4 } }],
    ]),
    carriers: new Map([[1, carrier]]),
  };
  const sums = trafficOf(figures, (id) => (id === 1 ? 'EUR' : 'CHF'));
  assert.deepEqual(
    sums.map(({ currency, messages, refused, sent, charged }) => [currency, messages, refused, sent, charged]),
    [
      ['', 3, 4, 3, 0n],
      ['EUR', 0, 0, 0, 30n],
      ['CHF', 0, 0, 0, 5n],
    ],
  );
});

it('the history has what was stored, in minutes and in hours', async () => {
  const { operator } = gateway;
  const { account, traffic, price, route, carrier: carriers, message } = operatorCalls(operator);
  done(await carriers.add({ name: 'history', host: '127.0.0.1', port: 1, systemId: 'us', password: 'secret' }));
  done(await route.add({ prefix: '41791112233', carrier: 'history' }));
  done(await price.set({ list: 'history', currency: 'EUR', prices: [{ prefix: '', price: toMicros(7_500n) }] }));
  done(await account.add({ name: 'history', currency: 'EUR', balance: '1', priceList: 'history' }));
  await operator.counts.write();
  const sumOf = async (span: 'minute' | 'hour') => {
    const { items } = done(await traffic.history({ span }));
    const sum = (read: (row: (typeof items)[number]) => number) => items.reduce((all, row) => all + read(row), 0);
    const charged = items.flatMap((row) => row.charged).filter(({ currency }) => currency === 'EUR');
    return [sum(({ messages }) => messages), charged.reduce((all, { amount }) => all + amount, 0n)] as const;
  };
  const before = { minute: await sumOf('minute'), hour: await sumOf('hour') };
  for (const text of ['one', 'two']) {
    done(await message.send({ account: 'history', sender: 'Morsel', receiver: '+41791112233', text }));
    await operator.counts.write();
  }
  for (const span of ['minute', 'hour'] as const) {
    const [messages, charged] = await sumOf(span);
    assert.deepEqual([messages - before[span][0], charged - before[span][1]], [2, 15_000n], span);
  }
  const [newest, ...older] = done(await traffic.history({ limit: 1 })).items;
  assert.ok(newest && older.length === 0);
  assert.deepEqual(done(await traffic.ofCarrier({ carrier: 'history' })).items, []);
  assert.deepEqual(done(await traffic.answers({ carrier: 'history' })), {
    outcomes: [],
    receipts: 0,
    receiptTimes: [],
  });
});

it('the figures of the moment say what holds messages up, as one answer and as a stream', async () => {
  const { traffic } = operatorCalls(gateway.operator);
  const now = done(await traffic.now());
  assert.ok(now.links >= now.linksBound && now.messages >= 2);
  const controller = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${gateway.adminPort}${adminBase}/traffic/now`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    signal: controller.signal,
  });
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
  const reader = answer.body?.getReader();
  const { value = new Uint8Array() } = (await reader?.read()) ?? {};
  assert.match(new TextDecoder().decode(value), /^data: \{"at":.*"bottleneck":"\w+".*\}\n\n$/);
  controller.abort();
});
