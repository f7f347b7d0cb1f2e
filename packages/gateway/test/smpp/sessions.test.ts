import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode, listen, statuses, type Respond, type Server } from '@morsel/smpp';
import type { ClientSession } from '../../src/edge/clients/smpp/sessions.ts';
import { bindOctets, SmppSite, host } from './gateway.ts';
import { waitUntil } from '../support/wait-until.ts';
import { done } from '../support/done.ts';
import { pricesOf } from '../support/store/prices.ts';
import { RawSmpp } from '../support/clients/raw-smpp.ts';

/* The list of bound clients, and how sessions are closed. */

const bindFailed = statuses.ESME_RBINDFAIL;
const systemError = statuses.ESME_RSYSERR;
const submit = { command: 'submit_sm', source_addr: 'Shop', destination_addr: '41791112233' } as const;

describe('sessions', () => {
  it('are listed with their binds and their activity', async () => {
    await using site = await SmppSite.open();
    assert.ok((await site.operator.account.add({ name: 'other', currency: 'EUR' })).ok);
    // No carrier listens, so accepted messages wait.
    await sendThrough(site, 1);
    const session = await site.bind({ command: 'bind_transmitter', interface_version: 0x50 });
    for (const more of [{}, { short_message: Buffer.from('Hello'), source_addr_ton: 5, dest_addr_ton: 1 }])
      await session.request({ ...submit, ...more });
    const [shown, ...more] = await site.sessions({ account: 'acme' });
    assert.deepEqual(more, []);
    const { id, address, since, heardAt, ...rest } = shown ?? assert.fail('none is listed');
    assert.deepEqual(rest, {
      account: 'acme',
      systemId: 'acme',
      bind: 'transmitter',
      version: '5.0',
      tls: false,
      state: 'bound',
      unanswered: 0,
      inFlight: 0,
      accepted: 1,
      refused: 1,
      surplus: 0,
      node: null,
    });
    assert.match(id, /^\d+$/);
    assert.match(address, /^127\.0\.0\.1:\d+$/);
    assert.ok(Math.abs(Date.now() - since) < 10_000);
    assert.ok(Math.abs(Date.now() - heardAt) < 10_000);
    assert.deepEqual(await site.sessions({ account: 'other' }), []);
    assert.equal(done(await site.operator.gateway.status()).smpp.sessions, 1);
    await session.unbind();
    await waitUntil('it is gone', async () => (await site.sessions()).length === 0);
  });

  it("follow changed settings while they are bound: the window, and the account's addresses", async () => {
    await using site = await SmppSite.open();
    const session = await site.bind();
    const [kept] = receivers(site);
    assert.equal(kept?.session.room, 10);
    assert.ok((await site.operator.account.set({ account: 'acme', smppWindow: '3', smppDataCoding0: 'latin1' })).ok);
    assert.equal(kept.session.room, 3);
    assert.deepEqual([kept.account().smppWindow, kept.account().defaultCoding], [3, 'latin1']);
    assert.equal(session.phase, 'bound_trx');
    done(await site.operator.login.set({ systemId: 'acme', from: '192.0.2.0/24' }));
    assert.equal(await session.closed, 'peer_unbound');
  });
});

// These tests wait for silent clients at the same time, each at its own gateway.
describe('sessions that end', { concurrency: true }, () => {
  it('whose client is gone without an unbind make room within seconds for its next bind; other sessions stay', async () => {
    await using site = await SmppSite.open();
    assert.ok((await site.operator.account.set({ account: 'acme', smppBinds: '2' })).ok);
    // Only the missing answer to enquire_link shows that this client is gone: its connection stays open.
    const gone = await RawSmpp.connect(site.port);
    gone.socket.write(bindOctets(site));
    await waitUntil('it is bound', () => gone.answers.length === 1);
    const living = await site.bind();
    assert.equal((await site.refusal()).status, bindFailed);
    assert.equal((await site.refusal()).status, bindFailed, 'at once again: it is asked for some seconds');
    await waitUntil('one place is free', async () => (await site.sessions()).length === 1);
    assert.ok(gone.answers.filter(({ command }) => command === 'enquire_link').length >= 2, 'it was asked before');
    assert.equal((await site.refusal()).status, 0);
    assert.equal(living.phase, 'bound_trx');
    await Promise.all([living.unbind(), gone.closed]);
  });

  it('are closed one by one, by account, or by login; a client that does not cooperate is disconnected', async () => {
    await using site = await SmppSite.open();
    done(await site.operator.login.add({ account: 'acme', systemId: 'two', password: 'Right-2' }));
    const two = () => site.bind({ system_id: 'two', password: 'Right-2' });
    const [first, second, third] = [await site.bind(), await site.bind(), await two()];
    const [{ id } = assert.fail('none is listed'), ...others] = await site.sessions();
    const page = done(await site.operator.session.list({ limit: 1 }));
    assert.deepEqual([page.items.map((each) => each.id), page.next], [[id], id]);
    const rest = done(await site.operator.session.list({ limit: 2, after: id }));
    assert.deepEqual([rest.items.map((each) => each.id), rest.next], [others.map((each) => each.id), null]);
    const { closed } = done(await site.operator.session.close({ id }));
    assert.equal(closed.length, 1);
    assert.equal(await first.closed, 'peer_unbound');
    done(await site.operator.session.close({ systemId: 'two' }));
    assert.equal(await third.closed, 'peer_unbound');
    assert.equal(second.phase, 'bound_trx');
    const deaf = await RawSmpp.connect(site.port);
    deaf.socket.write(bindOctets(site));
    await waitUntil('it is bound', () => deaf.answers.length === 1);
    done(await site.operator.session.close({ account: 'acme' }));
    assert.equal(await second.closed, 'peer_unbound');
    assert.equal(deaf.answers.at(-1)?.command, 'unbind', 'it was asked politely');
    await deaf.closed;
    assert.deepEqual(await site.sessions(), []);
  });
});

function receivers(site: SmppSite): readonly ClientSession[] {
  const { sessions, snapshot } = site.gateway.operator;
  const account = [...snapshot().accounts.values()].find(({ name }) => name === 'acme');
  return sessions.receivers(account?.id ?? 0);
}

describe('stopping', () => {
  it('answers binds and submits with ESME_RSYSERR, then unbinds sessions, and ends whatever clients do', async () => {
    await using site = await SmppSite.open();
    const answers: Respond[] = [];
    await using carrier = await slowCarrier(answers);
    await sendThrough(site, carrier.port);
    await waitUntil('the carrier has it', () => answers.length === 1);
    const session = await site.bind();
    const deaf = await RawSmpp.connect(site.port);
    deaf.socket.write(bindOctets(site));
    await waitUntil('it is bound', () => deaf.answers.length === 1);
    const stopped = site.stop();
    assert.equal((await site.refusal()).status, systemError);
    assert.equal((await site.refusal({ system_id: 'nobody' })).status, systemError);
    const answer = await session.request(submit);
    assert.ok(answer.kind === 'answered' && answer.pdu.command_status === systemError);
    assert.equal(session.phase, 'bound_trx', 'receipts may still come for it');
    answers[0]?.(0, { message_id: '1' });
    assert.equal(await session.closed, 'peer_unbound');
    deaf.socket.write(encode({ ...submit, sequence_number: 2 }));
    await waitUntil('a late submit is answered', () => statusOf(deaf, 'submit_sm_resp') === systemError);
    await Promise.all([stopped, deaf.closed]);
    assert.ok(deaf.answers.some(({ command }) => command === 'unbind'));
  });
});

/** A carrier whose answers the test sends, with the functions in `answers`. */
function slowCarrier(answers: Respond[]): Promise<Server> {
  return listen({
    host,
    port: 0,
    system_id: 'carrier',
    authenticate: () =>
      Promise.resolve({
        kind: 'admitted',
        handlers: () => ({ onRequest: (_pdu, respond) => void answers.push(respond) }),
      }),
  });
}

async function sendThrough(site: SmppSite, port: number): Promise<void> {
  const login = { systemId: 'us', password: 'secret' };
  done(await site.operator.carrier.add({ name: 'slow', host, port, ...login }));
  done(await site.operator.route.add({ prefix: '', carrier: 'slow' }));
  done(await site.operator.price.set({ list: 'default', prices: pricesOf({ '': '0.01' }) }));
  const message = { sender: 'Shop', receiver: '+41791112233', text: 'Hello', dcs: 'GSM' };
  done(await site.operator.message.send({ account: 'acme', ...message }));
}

function statusOf({ answers }: RawSmpp, command: string): number | undefined {
  return answers.find((pdu) => pdu.command === command)?.command_status;
}
