import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { encode, statuses } from '@morsel/smpp';
import { SmppSite } from './gateway.ts';
import { waitUntil } from '../support/wait-until.ts';
import { done } from '../support/done.ts';

/*
 * Hosts that flood the listener with wrong passwords do not prevent binds of other clients. In this test, every address
 * of 127.0.0.0/8 is a host.
 */

const wrongPassword = statuses.ESME_RINVPASWD;
const systemError = statuses.ESME_RSYSERR;

interface Try {
  readonly from: string;
  readonly system_id: string;
  readonly password: string;
}

/** Binds from an address, and closes the connection. Returns the status of the answer; -1 without an answer. */
async function tryToBind(
  site: SmppSite,
  { from, system_id, password }: Try,
  open = new Set<Socket>(),
): Promise<number> {
  const socket = connectTcp({ port: site.port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  open.add(socket);
  socket.write(
    encode({ command: 'bind_transceiver', sequence_number: 1, system_id, password, interface_version: 0x34 }),
  );
  const octets = await Promise.race([
    once(socket, 'data').then(([chunk]: unknown[]) => (Buffer.isBuffer(chunk) ? chunk : undefined)),
    once(socket, 'close').then(() => undefined),
  ]);
  socket.destroy();
  open.delete(socket);
  return octets?.readUInt32BE(8) ?? -1;
}

/** Hosts with many connections. Each connection tries passwords as fast as it can. */
class Flood {
  readonly #site: SmppSite;
  readonly #all: Promise<void>[] = [];
  readonly statuses = new Map<number, number>();
  readonly #open = new Set<Socket>();
  #isOver = false;

  constructor(site: SmppSite, hosts: readonly string[], connections: number) {
    this.#site = site;
    for (const host of hosts) for (let at = 0; at < connections; at++) this.#all.push(this.#guess(host, at));
  }

  async #guess(from: string, connection: number): Promise<void> {
    for (let at = 0; ; at++) {
      const password = `${from.slice(4)} ${connection} ${at}`;
      const status = await tryToBind(this.#site, { from, system_id: 'acme', password }, this.#open);
      if (this.#isOver) return;
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    }
  }

  /** Ends the flood without waiting for answers: the last refusals take eight seconds. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const socket of this.#open) socket.destroy();
    await Promise.all(this.#all);
  }
}

describe('a flood of wrong passwords from two hosts', () => {
  it('lets clients of other networks bind at their first try, even if they were not bound recently or have a new login', async () => {
    await using site = await SmppSite.open();
    const newcomers = Array.from({ length: 6 }, (_, at) => ({
      from: `127.0.2.${at + 1}`,
      system_id: `new${at}`,
      password: `Right-${at}`,
    }));
    for (const { system_id: systemId, password } of newcomers) {
      done(await site.operator.login.add({ account: 'acme', systemId, password }));
    }
    const flood = new Flood(site, ['127.0.1.1', '127.0.1.2'], 60);
    await waitUntil('more come than have a place', () => (flood.statuses.get(systemError) ?? 0) > 20);
    for (const newcomer of newcomers) assert.equal(await tryToBind(site, newcomer), 0);
    done(await site.operator.login.add({ account: 'acme', systemId: 'later', password: 'Right-9' }));
    await waitUntil('guesses are refused, too', () => (flood.statuses.get(wrongPassword) ?? 0) > 0);
    await flood.end();
    assert.deepEqual(new Set(flood.statuses.keys()), new Set([wrongPassword, systemError]));
  });
});

describe('a host with many sessions', () => {
  it('gets only as many passwords checked at a time as a network may have; the other binds must be tried again', async () => {
    await using site = await SmppSite.open();
    const tries = Array.from({ length: 60 }, (_, at) =>
      tryToBind(site, { from: '127.0.1.1', system_id: 'acme', password: `wrong ${at}` }),
    );
    const answered = await Promise.all(tries);
    assert.equal(answered.filter((status) => status === wrongPassword).length, 32);
    assert.equal(answered.filter((status) => status === systemError).length, 28);
  });
});
