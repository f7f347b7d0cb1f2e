import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hiBytes, holdMessages, startTestSite, token } from '../../../test/support/clients/http-site.ts';
import { ask, places, request, Talk, type Reply } from '../../../test/support/clients/raw-http.ts';

const health = request('GET /health');
const quick = { headersMs: 150, requestMs: 300, checkMs: 20 };

for (const [which, place] of places)
  describe(`octets that are no HTTP request, ${which} on its connection`, () => {
    const rows: readonly (readonly [string, string | Buffer, number])[] = [
      ['noise', '\0\u0001\u0002\r\n\r\n', 400],
      ['an unknown method', 'FOO /sms/send HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['a header without a name', 'GET /health HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n', 400],
      ['two lengths', 'POST /sms/send HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}', 400],
      [
        'a length and chunks',
        'POST /sms/send HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        400,
      ],
      ['a bad chunk', 'POST /sms/send HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n\r\n', 400],
      ['a tunnel', 'CONNECT localhost:25 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ];
    for (const [name, bytes, status] of rows) {
      it(`${name} is answered with ${status} and ends the connection`, async () => {
        await using site = await startTestSite();
        using talk = new Talk(site.port, place);
        talk.send(bytes);
        const reply = await talk.reply();
        assert.equal(reply?.status, status);
        assertProblem(reply);
        assert.equal(reply?.headers['connection'], 'close');
        assert.ok(await talk.ends());
        assert.deepEqual(site.calls, []);
      });
    }
  });

for (const [which, place] of places)
  describe(`a query that was not percent-encoded, ${which} on its connection`, () => {
    const address = `/sms/send?auth=${token}&sender=Shop&receiver=%2B41791112234&dcs=SMS&text=`;
    const rows: readonly (readonly [string, readonly (string | Buffer)[]])[] = [
      ['UTF-8', [`GET ${address}Grüße HTTP/1.1\r\nHost: x\r\n\r\n`]],
      ['UTF-8 that comes in two halves', [`GET ${address}Gr`, 'üße HTTP/1.1\r\nHost: x\r\n\r\n']],
      ['Latin-1', [Buffer.from(`GET ${address}Grüße HTTP/1.1\r\nHost: x\r\n\r\n`, 'latin1')]],
      ['a space', [`GET ${address}Hello you HTTP/1.1\r\nHost: x\r\n\r\n`]],
    ];
    for (const [name, chunks] of rows) {
      it(`is refused with advice, and without a quote of the query: ${name}`, async () => {
        await using site = await startTestSite();
        using talk = new Talk(site.port, place);
        for (const chunk of chunks) {
          talk.send(chunk);
          await sleep(30);
        }
        const reply = await talk.reply();
        assert.equal(reply?.status, 400);
        assertProblem(reply);
        assert.match(reply?.body ?? '', /"code":"malformed_request"/);
        assert.match(reply?.body ?? '', /must be percent-encoded UTF-8 \(ü is %C3%BC, a space is %20, /);
        assert.doesNotMatch(reply?.body ?? '', /Gr|you|morsel_/);
        assert.ok(await talk.ends());
        assert.deepEqual([site.calls, site.log], [[], []]);
      });
    }
  });

for (const [which, place] of places)
  describe(`a slow client, ${which} on its connection`, () => {
    const rows: readonly (readonly [string, string | Buffer])[] = [
      ['nothing', ''],
      ['part of a request line', 'GET /sms/se'],
      ['part of the headers', 'GET /health HTTP/1.1\r\nHost: x\r\nX-A: '],
      ['part of a body', hiBytes.subarray(0, -1)],
      ['a body that is all missing', request('POST /sms/send', { headers: ['Content-Length: 10'] })],
      ['part of a chunk', request('POST /sms/send', { headers: ['Transfer-Encoding: chunked'] })],
    ];
    for (const [name, bytes] of rows) {
      // After an answer, a client may be silent for longer.
      if (bytes === '' && place.isLater) continue;
      it(`that sends ${name} is answered with 408`, async () => {
        await using site = await startTestSite(quick);
        using talk = new Talk(site.port, place);
        talk.send(bytes);
        const reply = await talk.reply();
        assert.equal(reply?.status, 408);
        assertProblem(reply);
        assert.ok(await talk.ends());
        assert.deepEqual([site.calls, site.log], [[], []]);
      });
    }

    it('that sends its headers octet by octet gets a 408, too', async () => {
      await using site = await startTestSite(quick);
      using talk = new Talk(site.port, place);
      const trickle = setInterval(() => talk.send('X-A: b\r\n'), 20);
      talk.send('GET /health HTTP/1.1\r\nHost: x\r\n');
      const reply = await talk.reply();
      clearInterval(trickle);
      assert.equal(reply?.status, 408);
    });

    it('whose request is completed after the 408 has sent no message', async () => {
      await using site = await startTestSite(quick);
      using talk = new Talk(site.port, place);
      talk.send(hiBytes.subarray(0, -1));
      assert.equal((await talk.reply())?.status, 408);
      talk.send(hiBytes.subarray(-1));
      await sleep(50);
      assert.deepEqual(site.calls, []);
    });

    it('that was answered before its body arrived gets no second answer', async () => {
      await using site = await startTestSite(quick);
      using talk = new Talk(site.port, place);
      talk.send(request('POST /x', { headers: ['Content-Length: 10'] }));
      assert.equal((await talk.reply())?.status, 404);
      assert.ok(await talk.ends());
    });

    it('may pause between requests', async () => {
      await using site = await startTestSite(quick);
      using talk = new Talk(site.port, place);
      for (let round = 0; round < 2; round++) {
        talk.send(health);
        assert.equal((await talk.reply())?.status, 200);
        await sleep(quick.requestMs + 100);
      }
    });
  });

for (const [which, place] of places)
  describe(`one connection, ${which} on its connection`, () => {
    it('still works after a body that was too large', async () => {
      await using site = await startTestSite();
      for (const chunked of [false, true]) {
        using talk = new Talk(site.port, place);
        const body = 'x'.repeat(2 ** 20);
        const large = chunked
          ? Buffer.concat([
              request('POST /sms/send', { headers: ['Transfer-Encoding: chunked'] }),
              Buffer.from(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`),
            ])
          : request('POST /sms/send', { body });
        talk.send(Buffer.concat([large, hiBytes]));
        assert.equal((await talk.reply())?.status, 413);
        assert.equal((await talk.reply())?.status, 200);
      }
    });

    it('sends 100 Continue to a client that waits for it before it sends the body', async () => {
      await using site = await startTestSite();
      using talk = new Talk(site.port, place);
      const at = hiBytes.indexOf('\r\n\r\n');
      talk.send(Buffer.concat([hiBytes.subarray(0, at), Buffer.from('\r\nExpect: 100-continue\r\n\r\n')]));
      await sleep(20);
      talk.send(hiBytes.subarray(at + 4));
      const interim = await talk.reply({ toHead: true });
      assert.equal(interim?.status, 100);
      assert.equal((await talk.reply())?.status, 200);
    });

    it('answers a message in progress before the 408 of the next request', async () => {
      await using site = await startTestSite(quick);
      const { letGo } = holdMessages(site);
      using talk = new Talk(site.port, place);
      talk.send(Buffer.concat([hiBytes, hiBytes.subarray(0, -1)]));
      // After requests in the lane, the time of the next request begins with their last answer.
      if (place.isLater) letGo();
      await sleep(quick.requestMs + 100);
      // This last octet is too late: the 408 is decided already, though not sent yet.
      talk.send(hiBytes.subarray(-1));
      await sleep(50);
      letGo();
      assert.equal((await talk.reply())?.status, 200);
      assert.equal((await talk.reply())?.status, 408);
      assert.ok(await talk.ends());
      assert.equal(site.calls.length, 1);
    });

    it('can be lost while a message is in progress, without harm', async () => {
      await using site = await startTestSite();
      const { letGo } = holdMessages(site);
      const talk = new Talk(site.port, place);
      talk.send(Buffer.concat([hiBytes, hiBytes.subarray(0, -1)]));
      await waitFor(() => site.calls.length === 1);
      talk[Symbol.dispose]();
      await sleep(20);
      letGo();
      assert.equal((await ask(site.port, health)).status, 200);
      assert.deepEqual(site.log, []);
    });
  });

for (const [which, place] of places)
  describe(`close, ${which} on its connection`, () => {
    it('waits for the answers to requests in progress, and ends every connection', async () => {
      const site = await startTestSite();
      const { letGo } = holdMessages(site);
      using idle = new Talk(site.port, place);
      idle.send(health);
      assert.equal((await idle.reply())?.status, 200);
      using busy = new Talk(site.port, place);
      busy.send(hiBytes);
      await waitFor(() => site.calls.length === 1);
      const closed = site.close();
      assert.ok(await idle.ends());
      letGo();
      assert.equal((await busy.reply())?.status, 200);
      assert.ok(await busy.ends());
      await closed;
      await assert.rejects(once(connect(site.port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' });
    });

    it('waits no longer than its limit', async () => {
      const site = await startTestSite({ drainMs: 100 });
      holdMessages(site);
      using stuck = new Talk(site.port, place);
      stuck.send(hiBytes);
      await waitFor(() => site.calls.length === 1);
      await site.close();
      assert.ok(await stuck.ends());
    });
  });

function assertProblem(reply: Reply | undefined): void {
  assert.ok(reply);
  const problem: Record<string, unknown> = JSON.parse(reply.body);
  assert.equal(problem['status'], reply.status);
  assert.equal(problem['requestId'], reply.headers['x-request-id']);
  assert.ok(reply.headers['x-request-id']);
  assert.equal(reply.headers['content-type'], 'application/problem+json');
  assert.equal(reply.headers['cache-control'], 'no-store');
}

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2);
}
