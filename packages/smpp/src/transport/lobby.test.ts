import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pem } from '../../vectors/tls.ts';
import { encode } from '../codec/encode.ts';
import type { Respond } from '../session/session-contract.ts';
import { statuses } from '../codec/statuses.ts';
import { Lobby, networkOf, type LobbyOptions, type Place } from './lobby.ts';
import { client, plainPeer, serve, submit, until } from './transport.fixture.ts';

/*
 * Tests of the limits of a server: for connections without a bind, and for bound sessions.
 */

/** A lobby whose places have names. A guest with a name in capitals waits for an answer. A guest with `!` is busy. */
function lobbyOf(options: Omit<LobbyOptions, 'now'>, clock: { now: number } = { now: 0 }) {
  const lobby = new Lobby({ ...options, now: () => clock.now });
  const dropped: string[] = [];
  const places = new Map<string, Place>();
  const enter = (name: string, address: string): boolean => {
    const place = lobby.enter(address, () => void dropped.push(name));
    if (!place) return false;
    const isWaiting = name === name.toUpperCase();
    if (isWaiting) lobby.hear(place);
    place.standing = () => (name.endsWith('!') ? 'busy' : isWaiting ? 'waiting' : 'idle');
    places.set(name, place);
    return true;
  };
  const admit = (name: string, party: string): boolean => {
    const place = enter(name, '192.0.2.1') ? places.get(name) : undefined;
    return place !== undefined && lobby.admit(place, party);
  };
  return { lobby, dropped, places, enter, admit };
}

describe('lobby', () => {
  test('a new guest replaces the oldest silent guest, first one of its own address', () => {
    const clock = { now: 0 };
    const { lobby, dropped, enter } = lobbyOf({ max: 3, guestsOfNetworkMax: 2 }, clock);
    for (const [name, address] of [
      ['a1', '192.0.2.1'],
      ['b1', '192.0.2.2'],
      ['a2', '192.0.2.1'],
      ['a3', '192.0.2.1'],
      ['c1', '192.0.2.3'],
    ] as const) {
      clock.now += 2000;
      assert.ok(enter(name, address));
    }
    assert.deepEqual(dropped, ['a1', 'b1']);
    assert.equal(lobby.size, 3);
  });

  test('a guest that waits for our answer keeps its place, and a new guest is refused', () => {
    const { lobby, dropped, places, enter } = lobbyOf({ max: 10, guestsOfNetworkMax: 2 });
    for (const name of ['A1', 'A2']) assert.ok(enter(name, '192.0.2.1'));
    assert.equal(enter('a3', '192.0.2.1'), false);
    assert.ok(enter('b1', '192.0.2.2'));
    const first = places.get('A1');
    assert.ok(first);
    lobby.leave(first);
    lobby.leave(first);
    assert.ok(enter('a4', '192.0.2.1'));
    assert.deepEqual([dropped, lobby.size], [[], 3]);
  });

  test('if all guests wait for our answer, the newest one of the address with the most guests makes room', () => {
    const { lobby, dropped, enter } = lobbyOf({ max: 4 });
    for (const name of ['A1', 'A2', 'A3', 'A4']) assert.ok(enter(name, '192.0.2.1'));
    assert.equal(enter('A5', '192.0.2.1'), false);
    assert.deepEqual([enter('B1', '192.0.2.2'), enter('B2', '192.0.2.2')], [true, true]);
    assert.equal(enter('B3', '192.0.2.2'), false, 'it has as many');
    assert.equal(enter('C1', '192.0.2.3'), true);
    assert.equal(enter('D1', '192.0.2.4'), true);
    assert.equal(enter('E1', '192.0.2.5'), false, 'all have one');
    assert.deepEqual(dropped.slice(0, 2), ['A4', 'A3']);
    assert.deepEqual(dropped.slice(2).toSorted(), ['A2', 'B2']);
    assert.equal(lobby.size, 4);
  });

  test('if guests may be admitted, a new guest replaces the guest that has waited longest, first of its own network', () => {
    const clock = { now: 0 };
    const { lobby, dropped, places, enter } = lobbyOf({ max: 6, guestsMax: 3, admittedMax: 3 }, clock);
    for (const [at, name] of ['A1', 'B1', 'C1'].entries()) {
      clock.now = at;
      assert.ok(enter(name, `192.0.2.${at}`));
    }
    clock.now = 3;
    assert.ok(enter('D1', '192.0.2.9'));
    assert.ok(enter('C2', '192.0.2.2'));
    assert.deepEqual(dropped, ['A1', 'C1']);
    const newest = places.get('C2');
    assert.ok(newest && lobby.admit(newest, 'operator'));
    assert.equal(lobby.size, 2);
  });

  test('a new guest does not count as idle while another address has more guests', () => {
    const clock = { now: 0 };
    const { dropped, enter } = lobbyOf({ max: 4 }, clock);
    assert.ok(enter('newcomer', '192.0.2.2'));
    for (const name of ['A1', 'a2', 'A3']) assert.ok(enter(name, '192.0.2.1'));
    assert.ok(enter('b1', '192.0.2.3'));
    assert.deepEqual(dropped, ['a2']);
    assert.equal(enter('a4', '192.0.2.1'), false, 'it has the most itself');
    clock.now = 2000;
    assert.ok(enter('c1', '192.0.2.4'));
    assert.deepEqual(dropped, ['a2', 'newcomer'], 'it had its time');
  });

  test('a new guest replaces another one if guests and admitted connections together have all places', () => {
    const { dropped, enter, admit } = lobbyOf({ max: 3 });
    admit('bound!', 'bound');
    for (const name of ['a1', 'a2', 'a3']) assert.ok(enter(name, '192.0.2.2'));
    assert.deepEqual(dropped, ['a1']);
    assert.equal(enter('b1', '192.0.2.3'), true, 'the other address has two');
    for (const name of ['c!', 'd!']) admit(name, 'bound');
    assert.equal(enter('e1', '192.0.2.4'), false, 'all are bound');
  });

  test('guests of a shared address have no limit of their own, but one of them makes room', () => {
    const { dropped, enter } = lobbyOf({ max: 3, guestsOfNetworkMax: 1, isShared: () => true });
    for (const name of ['a1', 'a2', 'a3', 'a4']) assert.ok(enter(name, '192.0.2.1'));
    assert.deepEqual(dropped, ['a1']);
  });

  test('parties share the places of admitted connections: the party with the most loses its oldest connection, idle ones first', () => {
    const { lobby, dropped, enter, admit } = lobbyOf({ max: 8, guestsMax: 3, admittedMax: 5, partyMax: 4 });
    for (const name of ['A1', 'a2', 'A3', 'A4', 'A5']) assert.ok(admit(name, 'a'));
    assert.deepEqual(dropped, ['a2'], 'it has its most');
    assert.equal(admit('A6', 'a'), false, 'all of them wait for an answer');
    assert.deepEqual([admit('B1', 'b'), admit('B2', 'b')], [true, true]);
    assert.deepEqual(dropped, ['a2', 'A1']);
    assert.equal(admit('B3', 'b'), false, 'the other party has three');
    for (const name of ['g1', 'g2', 'g3', 'g4']) assert.ok(enter(name, '192.0.2.9'));
    assert.deepEqual(dropped.slice(2), ['g1', 'g2', 'g3'], 'guests do not replace admitted connections');
    assert.equal(lobby.size, 3);
  });

  test('addresses of one network count as one', () => {
    const rows = [
      ['192.0.2.1', '192.0.2.1'],
      ['::ffff:192.0.2.1', '192.0.2.1'],
      ['2001:db8::1', '2001:db8:0:0'],
      ['2001:db8:0:0:ffff::2', '2001:db8:0:0'],
      ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2'],
      ['fe80::1%eth0', 'fe80:0:0:0'],
      ['::1', '0:0:0:0'],
      ['', ''],
    ] as const;
    for (const [address, network] of rows) assert.equal(networkOf(address), network, address);
  });
});

describe('server: peers that are not bound', () => {
  test('a client can bind despite idle connections, and each address has a limit', async () => {
    await using server = await serve({ unboundOfAddressMax: 5 });
    const sitting = await Promise.all(Array.from({ length: 20 }, () => plainPeer(server)));
    await until('the first are gone', () => server.unbound === 5);
    const session = await client(server);
    assert.equal(session.phase, 'bound_trx');
    await Promise.all(sitting.slice(0, 10).map(({ closed }) => closed));
    assert.equal(server.unbound <= 5, true);
    for (const { socket } of sitting) socket.destroy();
    await session.unbind();
  });

  for (const tls of [undefined, pem.carrier]) {
    test(`idle connections do not take the last places from a client that binds${tls ? ', over TLS' : ''}`, async () => {
      await using server = await serve({ connectionsMax: 4, ...(tls && { tls }) });
      const bound = await client(server, tls && { tls: { verify: false } });
      const sitting = [];
      for (let at = 0; at < 6; at += 1) sitting.push(await plainPeer(server));
      const session = await client(server, tls && { tls: { verify: false } });
      assert.deepEqual([bound.phase, session.phase], ['bound_trx', 'bound_trx']);
      await Promise.all(sitting.slice(0, 4).map(({ closed }) => closed));
      for (const { socket } of sitting) socket.destroy();
    });
  }

  test('a handshake that fails or takes too long ends the connection', async () => {
    await using server = await serve({ tls: pem.carrier, bindTimeoutMs: 50 });
    for (const sent of ['', '\u0016\u0003\u0001\0', 'GET / HTTP/1.1\r\n\r\n']) {
      const { closed } = await plainPeer(server, Buffer.from(sent, 'latin1'));
      await closed;
      await until('its place is free', () => server.unbound === 0);
    }
  });

  test('a PDU longer than a bind ends the connection before memory is allocated for it', async () => {
    await using server = await serve();
    const { socket, closed } = await plainPeer(server);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(60_000, 0);
    head.writeUInt32BE(0x09, 4);
    socket.write(head);
    await closed;
    const session = await client(server);
    const payload = { tag: 0x0424, value: new Uint8Array(50_000) };
    const answer = await session.request({ ...submit, tlvs: [payload] });
    assert.ok(answer.kind === 'answered' && answer.pdu.command_status === 0, 'once bound, all of SMPP is taken');
    await session.unbind();
  });

  test('a peer that sends requests and does not read our answers is disconnected', async () => {
    await using server = await serve();
    await using stuck = await serve({
      sink: () => {
        let writableLength = 0;
        return {
          get writableLength() {
            return writableLength;
          },
          write: ({ length }) => (writableLength += length) < 0,
        };
      },
    });
    const enquiry = encode({ command: 'enquire_link', sequence_number: 1 });
    const [reads, doesNot] = [await plainPeer(server), await plainPeer(stuck)];
    for (const { socket } of [reads, doesNot]) {
      for (let sent = 0; sent < 300 && !socket.destroyed; sent++) {
        socket.write(enquiry);
        if (sent % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    await doesNot.closed;
    assert.equal(server.unbound, 1);
    reads.socket.destroy();
  });
});

describe('server: limits of one session', () => {
  test('each session has its own window: requests beyond twice the window get ESME_RMSGQFUL, but enquire_link is answered', async () => {
    const waiting: Respond[] = [];
    await using server = await serve({
      peerBehindMs: 0,
      authenticate: ({ bind }) =>
        Promise.resolve({
          kind: 'admitted',
          handlers: () => ({ onRequest: (_pdu, respond) => void waiting.push(respond) }),
          limits: { peerWindowMax: Number(bind.system_id) },
        }),
    });
    for (const peerWindowMax of [4, 8]) {
      const bind = { command: 'bind_transceiver', system_id: String(peerWindowMax), password: 'secret' } as const;
      const session = await client(server, { bind, windowMax: 20 });
      const asked = Array.from({ length: 10 }, () => session.request(submit));
      await until('those that have room are here', () => waiting.length === peerWindowMax);
      await Promise.all(asked.slice(peerWindowMax));
      for (const respond of waiting.splice(0)) respond(0, { message_id: '1' });
      const answered = (await Promise.all(asked)).map((answer) =>
        answer.kind === 'answered' ? answer.pdu.command_status : answer.kind,
      );
      const taken = Array.from({ length: peerWindowMax }, () => 0);
      const refused = Array.from({ length: 10 - peerWindowMax }, () => statuses.ESME_RMSGQFUL);
      assert.deepEqual(answered, [...taken, ...refused]);
      await session.unbind();
    }
  });
});

// That new connections get renewed certificates is tested in packages/gateway/test/smpp/tls.test.ts.
test('TLS: certificates that cannot be used are not taken', async () => {
  await using server = await serve({ tls: pem.carrier });
  assert.throws(() => server.renewTls({ cert: pem.client.cert, key: pem.carrier.key }), /does not belong/);
  assert.throws(() => server.renewTls({ cert: 'no PEM', key: pem.carrier.key }), RangeError);
  const session = await client(server, { tls: { ca: pem.ca, servername: 'carrier.test' } });
  assert.equal(await session.unbind(), 'unbound', 'the former ones are in use');
  await using plain = await serve();
  assert.throws(() => plain.renewTls(pem.carrier), /this server has no TLS/);
});
