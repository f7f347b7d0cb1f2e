import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { machineClock } from '../../../runtime/clock.ts';
import { Lane, type LaneNeeds } from '../lane.ts';
import { limitPipelining, octetsPerTurn, underWayMax, unwrittenMax, unwrittenOfAllMax } from './pipelining.ts';
import { hi, hiBytes, holdMessages, startTestSite } from '../../../../test/support/clients/http-site.ts';
import { ask, places, request, Talk, type Reply } from '../../../../test/support/clients/raw-http.ts';
import { listenAnywhere } from '../../../../test/support/listen.ts';

const health = request('GET /health');
const openApi = request('GET /openapi.json');

/**
 * The number of requests that a client sends one after the other. After so many answers, the server has read all other
 * octets.
 */
const asked = 50;

async function letOthersAsk(port: number): Promise<void> {
  for (let count = 0; count < asked; count++) assert.equal((await ask(port, health)).status, 200);
}

describe('pipelined requests', () => {
  for (const [which, place] of places)
    it(`start while fewer than the limit are in progress, and other connections get their answers, the ${which} ones of a connection`, async () => {
      await using site = await startTestSite();
      const { letGo } = holdMessages(site);
      using talk = new Talk(site.port, place);
      const count = 100;
      talk.send(Buffer.concat(Array.from({ length: count }, () => hiBytes)));
      await letOthersAsk(site.port);
      assert.equal(site.calls.length, underWayMax);
      letGo();
      for (let at = 0; at < count; at++) assert.equal((await talk.reply())?.status, 200);
      assert.equal(site.calls.length, count);
    });

  it('wait until the client has read the earlier answers', async () => {
    await using site = await startTestSite();
    const socket = connect(site.port, '127.0.0.1');
    await once(socket, 'connect');
    // More answers than the operating system buffers for a connection, and a message after them.
    const count = 1_000;
    socket.write(Buffer.concat([...Array.from({ length: count }, () => openApi), hiBytes]));
    await letOthersAsk(site.port);
    assert.deepEqual(site.calls, [], 'the message is not begun');
    let answers = 0;
    for await (const chunk of socket) {
      answers += Buffer.from(chunk).toString('latin1').split('HTTP/1.1 200 OK').length - 1;
      if (site.calls.length === 1 && answers > count - 1) break;
    }
    assert.equal(site.calls.length, 1);
  });

  const spaces = ' '.repeat(200_000);
  const ends = '\r\n'.repeat(2_000);
  const bodies: readonly (readonly [string, Buffer])[] = [
    ['short', hiBytes],
    ['long', request('POST /sms/send', { body: JSON.stringify(hi) + spaces })],
    ['full of line ends', request('POST /sms/send', { body: `{${ends}${JSON.stringify(hi).slice(1)}` })],
  ];
  for (const [name, bytes] of bodies) {
    for (const [which, place] of places)
      it(`are answered in order, whatever their bodies: ${name}, the ${which} ones of a connection`, async () => {
        await using site = await startTestSite();
        using talk = new Talk(site.port, place);
        const round = Buffer.concat([bytes, request('GET /x'), bytes, health]);
        talk.send(Buffer.concat(Array.from({ length: 10 }, () => round)));
        const replies: (Reply | undefined)[] = [];
        for (let at = 0; at < 40; at++) replies.push(await talk.reply());
        const statuses = replies.map((reply) => reply?.status);
        assert.equal(new Set(replies.map((reply) => reply?.headers['x-request-id'])).size, 40);
        assert.deepEqual(statuses, Array.from({ length: 10 }, () => [200, 404, 200, 200]).flat());
        assert.equal(site.calls.length, 20);
      });
  }

  for (const [which, place] of places)
    it(`are answered wherever the octets are cut into reads, the ${which} ones of a connection`, async () => {
      await using site = await startTestSite();
      using talk = new Talk(site.port, place);
      const count = 12;
      const all = Buffer.concat(Array.from({ length: count }, () => hiBytes));
      for (let at = 0; at < all.length; at += 97) {
        talk.send(all.subarray(at, at + 97));
        await new Promise(setImmediate);
      }
      for (let at = 0; at < count; at++) assert.equal((await talk.reply())?.status, 200);
      assert.equal(site.calls.length, count);
    });

  for (const [which, place] of places)
    it(`are refused from the first invalid one on, after the answers to the earlier ones, the ${which} ones of a connection`, async () => {
      await using site = await startTestSite();
      using talk = new Talk(site.port, place);
      const good = Array.from({ length: 20 }, () => hiBytes);
      talk.send(Buffer.concat([...good, Buffer.from('noise\r\n\r\n'), ...good]));
      for (let at = 0; at < good.length; at++) assert.equal((await talk.reply())?.status, 200);
      assert.equal((await talk.reply())?.status, 400);
      assert.ok(await talk.ends());
      assert.equal(site.calls.length, good.length);
    });

  it('are all answered even if the client closes its side of the connection at once', async () => {
    await using site = await startTestSite();
    const { letGo } = holdMessages(site);
    const socket = connect({ port: site.port, host: '127.0.0.1', allowHalfOpen: true });
    const count = 3;
    socket.end(Buffer.concat(Array.from({ length: count }, () => hiBytes)));
    await letOthersAsk(site.port);
    letGo();
    let answers = '';
    for await (const chunk of socket) answers += Buffer.from(chunk).toString('latin1');
    assert.equal(answers.split('HTTP/1.1 200 OK').length - 1, count);
    assert.equal(site.calls.length, count);
  });

  it('get their whole bodies, also in chunks, even if other connections leave many answers unread', async () => {
    await using site = await listenWith((incoming, response) => {
      if (incoming.method === 'GET') response.end(Buffer.alloc(unwrittenOfAllMax + 16 * 1024 * 1024));
      else incoming.resume().on('end', () => response.end());
    });
    const { port } = site;
    const hoarder = connect(port, '127.0.0.1').pause();
    hoarder.write(request('GET /'));
    await once(hoarder, 'readable');
    const socket = connect(port, '127.0.0.1');
    socket.write(request('POST /', { headers: ['Transfer-Encoding: chunked'] }));
    socket.write('2\r\n{}\r\n0\r\n\r\n');
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1.1 200 OK/);
    hoarder.destroy();
    socket.destroy();
  });

  it('have only some chunks of their bodies parsed in one turn of the event loop', async () => {
    let inOneTurn = 0;
    let most = 0;
    await using site = await listenWith((incoming, response) => {
      incoming.on('data', () => {
        if (inOneTurn++ === 0) setImmediate(() => (inOneTurn = 0));
        most = Math.max(most, inOneTurn);
      });
      incoming.on('end', () => response.end());
    });
    const socket = connect(site.port, '127.0.0.1');
    const chunks = '1\r\nx\r\n'.repeat(10_000);
    socket.write(`${request('POST /', { headers: ['Transfer-Encoding: chunked'] }).toString()}${chunks}0\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1.1 200 OK/);
    socket.destroy();
    assert.ok(most < 1_000, `${most} at once`);
  });

  it('start only in so small a number in one turn that their answers have few octets', async () => {
    const answer = Buffer.alloc(64 * 1024);
    let inOneTurn = 0;
    let most = 0;
    await using site = await listenWith(({ url }, response) => {
      const octets = url === '/large' ? answer : Buffer.alloc(0);
      if (inOneTurn === 0) setImmediate(() => (inOneTurn = 0));
      inOneTurn += octets.length;
      most = Math.max(most, inOneTurn);
      response.setHeader('Content-Length', octets.length).end(octets);
    });
    using talks = new DisposableStack();
    const opened = Array.from({ length: 40 }, () => talks.use(new Talk(site.port)));
    for (const talk of opened) talk.send(request('GET /'));
    for (const talk of opened) assert.equal((await talk.reply())?.status, 200);
    for (const talk of opened) talk.send(Buffer.concat(Array.from({ length: 4 }, () => request('GET /large'))));
    for (const talk of opened) for (let at = 0; at < 4; at++) assert.equal((await talk.reply())?.status, 200);
    // The test counts from one setImmediate to the next, which may include two turns.
    assert.ok(most <= 2 * (octetsPerTurn + answer.length), `${most} octets in one turn`);
  });

  it('start in the order of their numbers in the burst: the second of a client before the tenth of another', async () => {
    const begun: string[] = [];
    const flood = 150;
    const enough = Promise.withResolvers<void>();
    await using site = await listenWith((incoming, response) => {
      begun.push(incoming.url ?? '');
      if (begun.length === flood * 12) enough.resolve();
      response.end();
    });
    const many = Buffer.concat(Array.from({ length: 100 }, () => request('GET /many')));
    const sockets = Array.from({ length: flood }, () => connect(site.port, '127.0.0.1').resume());
    for (const socket of sockets) socket.write(many);
    await enough.promise;
    using talk = new Talk(site.port);
    talk.send(Buffer.concat([request('GET /first'), request('GET /second')]));
    for (let at = 0; at < 2; at++) assert.equal((await talk.reply())?.status, 200);
    const between = begun.indexOf('/second') - begun.indexOf('/first');
    assert.ok(between < flood / 2, `${between} of others`);
    for (const socket of sockets) socket.destroy();
  });

  it('wait in the lane, too, until the client has read the earlier answers', async () => {
    const count = 1_000;
    const text = 'x'.repeat(64 * 1024);
    let begun = 0;
    const answer: LaneNeeds['run'] = (_request, plain) => {
      const number = ++begun;
      const end = () => {
        plain.writeHead(200, ['Content-Length', String(text.length), 'X-Number', String(number)]);
        plain.end(text);
      };
      // The answers become ready in another order than their requests came.
      if (number % 2 === 0) end();
      else setImmediate(end);
    };
    await using site = await listenWith((_incoming, response) => response.end(), answer);
    const socket = connect(site.port, '127.0.0.1');
    socket.write(request('GET /first'));
    await once(socket, 'data');
    socket.pause();
    socket.write(Buffer.concat(Array.from({ length: count }, () => request('GET /plain'))));
    for (let others = 0; others < asked; others++) await ask(site.port, request('GET /other'));
    assert.ok(begun >= underWayMax && begun < count, `${begun} begun`);
    const numbers: number[] = [];
    let tail = '';
    for await (const chunk of socket) {
      const texts = tail + Buffer.from(chunk).toString('latin1');
      numbers.push(...[...texts.matchAll(/X-Number: (\d+)\r/g)].map(([, number]) => Number(number)));
      tail = texts.slice(Math.max(texts.lastIndexOf('\r') + 1, texts.length - 20));
      if (numbers.length === count) break;
    }
    assert.deepEqual(
      numbers,
      Array.from({ length: count }, (_, index) => index + 1),
    );
  });
});

/** Starts a server that only limits pipelining. `run` answers GET requests for /plain. */
async function listenWith(listener: RequestListener, run: LaneNeeds['run'] = () => assert.fail()) {
  const server = createServer({ highWaterMark: unwrittenMax }, listener);
  const routes = [{ path: '/plain', methods: ['GET'], isPlain: true }];
  limitPipelining(server, new Lane({ clock: machineClock, routes, run }));
  const port = await listenAnywhere(server);
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { port, [Symbol.asyncDispose]: close };
}
