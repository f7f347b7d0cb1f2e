import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { sharedGateway, type Tour } from '../../gateway/test/support/gateway/tour.ts';
import { Morsel } from '../src/index.ts';
import { rejection } from './rejection.ts';
import { answerText, RawServer } from './raw-server.ts';
import { operatorCalls } from '../../gateway/src/edge/admin/handlers.ts';

/* The client with a running gateway and a carrier behind it. */

const message = { sender: '+41790000001', receiver: '+41791230001', text: 'Grüezi €' };

const guest = sharedGateway();

describe('a client of a running gateway', () => {
  it('sends a message, follows it to its final event, and gets its cost', async () => {
    await using tour = await guest();
    const morsel = clientOf(tour);
    const sent = await morsel.send({ ...message, clientRef: 'order-7', tags: ['promo', '2027:q1'] });
    assert.match(sent.msgId, /^[1-9]\d{15}$/);
    const { msgId, idempotencyKey, ...rest } = sent;
    assert.match(idempotencyKey, /^[0-9a-f]{32}$/);
    assert.deepEqual(rest, {
      numParts: 1,
      totalCost: 0.0075,
      clientBalance: 99.9925,
      clientCurrency: 'EUR',
      exact: { totalCost: '0.0075', clientBalance: '99.9925' },
      isReplay: false,
    });
    const report = await morsel.waitForFinal(msgId, { lookEveryMs: 20, details: true });
    assert.equal(report.event, 'delivered');
    assert.deepEqual([report.clientRef, report.tags], ['order-7', ['promo', '2027:q1']]);
    assert.deepEqual(
      report.parts?.map(({ part, event }) => [part, event]),
      [[1, 'delivered']],
    );
    assert.equal((await morsel.dlr(msgId)).parts, undefined);
    assert.deepEqual(await morsel.balance(), {
      clientBalance: 99.9925,
      clientCurrency: 'EUR',
      exact: { clientBalance: '99.9925' },
    });
  });

  it('cancels a scheduled message, and is refused as too late for a final one', async () => {
    await using tour = await guest();
    const morsel = clientOf(tour);
    const planned = await morsel.send({ ...message, sendAt: new Date(Date.now() + 3_600_000) });
    const report = await morsel.cancel(planned.msgId);
    assert.deepEqual([report.event, report.parts?.length], ['canceled', 1]);
    assert.equal((await morsel.cancel(planned.msgId)).event, 'canceled');
    const sent = await morsel.send(message);
    await morsel.waitForFinal(sent.msgId, { lookEveryMs: 20 });
    const error = await rejection(morsel.cancel(sent.msgId));
    assert.deepEqual([error.code, error.problem?.event], ['too_late', 'delivered']);
  });

  it('sends once if the answer to its first try is lost, because every try has the same idempotency key', async () => {
    await using tour = await guest();
    const tries: string[] = [];
    // A server between client and gateway passes requests on, but ends the connection instead of the first two answers.
    await using between = await RawServer.open((socket, text, nth) => {
      const body = text.slice(text.indexOf('\r\n\r\n') + 4);
      tries.push(String(JSON.parse(body)['idempotencyKey']));
      const authorization = /^authorization: (.*)$/im.exec(text)?.[1] ?? '';
      void pass(tour.gateway.httpPort, { body, authorization }).then((answer) =>
        nth < 2 ? socket.destroy() : socket.end(answer),
      );
    });
    const sent = await new Morsel({ baseUrl: between.baseUrl, token: tour.token, backoffMs: 1 }).send(message);
    assert.equal(sent.isReplay, true);
    assert.deepEqual(tries, [sent.idempotencyKey, sent.idempotencyKey, sent.idempotencyKey]);
    assert.equal(await tour.balance(), 99.9925);
    assert.equal((await clientOf(tour).waitForFinal(sent.msgId, { lookEveryMs: 20 })).event, 'delivered');
    assert.equal(tour.submits(message.receiver).length, 1);
  });

  it('reports all figures of a refusal: exact amounts, and characters with their places', async () => {
    await using tour = await guest({ account: { balance: '0.01' } });
    const morsel = clientOf(tour);
    const poor = await rejection(morsel.send({ ...message, text: 'x'.repeat(400) }));
    assert.deepEqual(poor.problem?.exact, { totalCost: '0.0225', clientBalance: '0.01' });
    assert.deepEqual([poor.problem?.totalCost, poor.problem?.clientCurrency], [0.0225, 'EUR']);
    const odd = await rejection(morsel.send({ ...message, dcs: 'GSM', text: 'ab🙂' }));
    assert.deepEqual([odd.problem?.character, odd.problem?.position], ['🙂', 2]);
    const unknown = await rejection(morsel.dlr('1234'));
    assert.deepEqual([unknown.code, unknown.status], ['message_not_found', 404]);
  });

  it('waits for as long as a limit of the account requires, and then sends', async () => {
    await using tour = await guest();
    const { operator } = tour.gateway;
    assert.ok((await operatorCalls(operator).account.set({ account: tour.account, rate: '1/2s', burst: '1' })).ok);
    const statuses: number[] = [];
    const morsel = new Morsel({
      ...baseOf(tour),
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        statuses.push(answer.status);
        return answer;
      },
    });
    await morsel.send(message);
    const second = await morsel.send(message);
    assert.equal(second.isReplay, false);
    assert.deepEqual([statuses[0], statuses[1], statuses.at(-1)], [200, 429, 200]);
    const hasty = await rejection(morsel.send(message, { retries: 0 }));
    assert.deepEqual([hasty.code, hasty.problem?.rule, hasty.isInDoubt], ['rate_limited', 'rate', false]);
    assert.ok((hasty.retryAfterMs ?? 0) > 0);
  });

  it('stops the wait for the final event when it is aborted, and the error has the last report', async () => {
    await using tour = await guest();
    const morsel = clientOf(tour);
    const { msgId } = await morsel.send({ ...message, sendAt: new Date(Date.now() + 3_600_000) });
    const late = await rejection(morsel.waitForFinal(msgId, { finalWithinMs: 1_000, lookEveryMs: 20 }));
    assert.deepEqual([late.code, late.report?.event, late.isTransient], ['not_final', 'scheduled', true]);
    const stopped = new AbortController();
    const waiting = morsel.waitForFinal(msgId, { lookEveryMs: 60_000, signal: stopped.signal });
    setTimeout(() => stopped.abort(), 100);
    assert.equal((await rejection(waiting)).kind, 'aborted');
  });

  it('keeps waiting while the service is away', async () => {
    await using tour = await guest();
    const { msgId } = await clientOf(tour).send(message);
    await tour.event(msgId, 'delivered');
    const { port } = await closedPort();
    let asked = 0;
    const morsel = new Morsel({
      ...baseOf(tour),
      retries: 0,
      fetch: (url, init) => fetch((asked += 1) < 3 ? url.replace(/:\d+/, `:${port}`) : url, init),
    });
    assert.equal((await morsel.waitForFinal(msgId, { lookEveryMs: 10 })).event, 'delivered');
    assert.equal(asked, 3);
  });
});

function baseOf(tour: Tour): { baseUrl: string; token: string } {
  return { baseUrl: `http://127.0.0.1:${tour.gateway.httpPort}`, token: tour.token };
}

function clientOf(tour: Tour): Morsel {
  return new Morsel(baseOf(tour));
}

async function closedPort(): Promise<{ port: number }> {
  await using server = await RawServer.open(() => undefined);
  return { port: server.port };
}

function pass(port: number, { body, authorization }: { body: string; authorization: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', Authorization: authorization };
    const asked = request(
      { host: '127.0.0.1', port, path: '/sms/send', method: 'POST', headers, agent: false },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => void (text += chunk.toString()));
        answer.on('end', () => {
          const replayed = String(answer.headers['idempotency-replayed'] ?? 'false');
          resolve(answerText(answer.statusCode ?? 0, text, { 'Idempotency-Replayed': replayed }));
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}
