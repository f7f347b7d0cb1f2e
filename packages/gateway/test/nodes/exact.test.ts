/* Two nodes of one PostgreSQL keep one node's promises together: money, idempotency keys, and the operator's rules. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startSimulator } from '@morsel/simulator';
import { ConnectError, type Ask } from '@morsel/smpp';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { needsPostgres } from '../peers/needs.ts';
import { Nodes } from './nodes.ts';
import { done } from '../support/done.ts';
import { HttpClient, microsIn, type HttpAnswer } from '../support/clients/http-client.ts';
import { moneyFaultsOf } from '../support/store/rules/money-faults.ts';
import { pricesOf } from '../support/store/prices.ts';
import { SmppClient } from '../support/clients/smpp-client.ts';
import { waitUntil } from '../support/wait-until.ts';

type Operator = ReturnType<typeof operatorCalls>;
type Fields = Readonly<Record<string, unknown>>;

const connections = 50;
const unitPrice = 7_500n;
const phone = '+41791230001';

const helloPdu = {
  command: 'submit_sm',
  source_addr_ton: 1,
  source_addr: '41790000001',
  dest_addr_ton: 1,
  destination_addr: phone.slice(1),
  short_message: Buffer.from('Hello'),
} satisfies Ask;

async function isAccepted(answer: Promise<HttpAnswer>): Promise<void> {
  const { status, text } = await answer;
  assert.equal(status, 200, text);
}

/** An account of one test, with its token. */
interface Client {
  readonly account: string;
  readonly id: string;
  readonly token: string;
}

type Change = (here: Operator, client: Client) => Promise<unknown>;
const set =
  (settings: Readonly<Record<string, string>>): Change =>
  async (here, { account }) =>
    done(await here.account.set({ account, ...settings }));
const lower: Change = async (here, client) => {
  done(await here.posting.adjust({ account: client.account, amount: '-150', reason: 'a test' }));
  await set({ creditLimit: '50.02' })(here, client);
};
const optOut: Change = async (here, { account }) =>
  done(await here.optOut.add({ account, receiver: phone, reason: 'a letter' }));
const inCommit: readonly (readonly [string, string, Change])[] = [
  ['revoking a token', 'unauthorized', async (here, { id }) => done(await here.token.revoke({ id }))],
  ['suspending an account', 'forbidden', async (here, { account }) => done(await here.account.suspend({ account }))],
  ['a balance lowered, and then the credit limit', 'insufficient_balance', lower],
  ['a cap of the day', 'spend_cap_reached', set({ dayCap: '0.0075' })],
  ['a receiver opted out by the operator', 'receiver_opted_out', optOut],
];
const inMemory: typeof inCommit = [['a rule about senders', 'sender_not_allowed', set({ senders: 'ACME' })]];

describe('two nodes are as exact as one', needsPostgres, () => {
  let nodes: Nodes;
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  const clients: HttpClient[] = [];
  let accounts = 0;
  const operator = (index: number): Operator => nodes.operator(index);

  before(async () => {
    simulator = await startSimulator({ port: 0, receiptDelayMs: 60 });
    nodes = await Nodes.open(['n1', 'n2'], {});
    clients.push(...[0, 1].map((index) => new HttpClient(nodes.at(index).httpPort, connections)));
    const login = { systemId: 'us', password: 'secret', host: '127.0.0.1', port: String(simulator.port) };
    done(await operator(0).carrier.add({ name: 'alpha', ...login, links: '2', window: '100' }));
    done(await operator(0).route.add({ carrier: 'alpha', prefix: '41' }));
    done(await operator(0).price.set({ list: 'default', currency: 'EUR', prices: pricesOf({ 41: '0.0075' }) }));
    await waitUntil('the links are bound', () => simulator.sessions === 2);
  });
  after(async () => {
    for (const client of clients) client.close();
    await nodes[Symbol.asyncDispose]();
    await simulator.close();
  });

  async function newClient(settings: Readonly<Record<string, string>> = {}): Promise<Client> {
    const account = `client-${++accounts}`;
    done(await operator(0).account.add({ name: account, currency: 'EUR', balance: '100', ...settings }));
    return done(await operator(0).token.add({ account }));
  }

  function send(index: number, { token }: Client, fields: Fields = {}): Promise<HttpAnswer> {
    const message = { auth: token, sender: '+41790000001', receiver: phone, text: 'Hello', dcs: 'GSM', ...fields };
    return (clients[index] ?? assert.fail('it runs')).post('/sms/send', message);
  }

  /** Sends messages, all at once, to both nodes in turn. */
  function sendMany(count: number, client: Client): Promise<HttpAnswer[]> {
    const each = Array.from({ length: count }, (_each, at) => ({ receiver: `+4179${1_000_000 + at}` }));
    return Promise.all(each.map((fields, at) => send(at % 2, client, fields)));
  }

  const limits: readonly (readonly [string, Readonly<Record<string, string>>, number, readonly [number, bigint]])[] = [
    ['1,000 sends on a balance for 100', { balance: '0.75' }, 1_000, [402, 0n]],
    ['400 sends within a credit for 100', { balance: '0.25', creditLimit: '0.5' }, 400, [402, -500_000n]],
    ['400 sends within a cap of the day for 100', { dayCap: '0.75' }, 400, [402, 99_250_000n]],
    ['400 sends within a burst of 100', { rate: '1/3600s', burst: '100' }, 400, [429, 99_250_000n]],
    ['400 sends within a velocity of 100', { prefixVelocity: '100/3600s/3' }, 400, [429, 99_250_000n]],
  ];
  for (const [about, settings, count, [status, left]] of limits) {
    it(`${about}: exactly 100 are accepted (A7, M2, M6)`, async () => {
      const client = await newClient(settings);
      const answers = await sendMany(count, client);
      const accepted = answers.filter((answer) => answer.status === 200);
      const refused = answers.filter((answer) => answer.status === status);
      assert.deepEqual([accepted.length, refused.length], [100, count - 100]);
      const balances = accepted.map(({ text }) => microsIn(text, 'clientBalance')).toSorted((a, b) => Number(a - b));
      const wanted = accepted.map((_each, at) => left + BigInt(at) * unitPrice);
      assert.deepEqual(balances, wanted, 'every balance once, each one message below the last');
      for (const index of [0, 1]) {
        assert.equal(done(await operator(index).account.show({ account: client.account })).balance, left);
      }
      const stored = 'select count(*) from message where account = (select id from account where name = $1)';
      assert.deepEqual((await nodes.postgres.query(stored, [client.account])).rows, [['100']]);
    });
  }

  it('one idempotency key at both nodes at once makes one message, with the same answer (M7)', async () => {
    const client = await newClient();
    for (let key = 1; key <= 20; key++) {
      const fields = { idempotencyKey: `key ${key}` };
      const answers = await Promise.all([0, 1, 0, 1].map((index) => send(index, client, fields)));
      const [first] = answers;
      assert.deepEqual(
        answers.map(({ status, text }) => [status, text]),
        answers.map(() => [200, first?.text]),
      );
      const replayed = answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true');
      assert.equal(replayed.length, answers.length - 1);
    }
    const { balance } = done(await operator(1).account.show({ account: client.account }));
    assert.equal(balance, 100_000_000n - 20n * unitPrice);
  });

  for (const [about, code, change] of [...inCommit, ...inMemory]) {
    it(`${about} at one node: both refuse from the next request on`, () => expectRefusal(operator, { change, code }));
  }
  for (const [about, code, change] of inCommit) {
    it(`${about}: a node whose snapshot is older refuses in the commit`, () =>
      expectRefusal(tellingNobody, { change, code }));
  }

  /** The operator's commands, but without the wait until all nodes, also this one, have read the settings again. */
  function tellingNobody(index: number): Operator {
    return operatorCalls({ ...nodes.at(index).operator, reloadSnapshot: async () => undefined });
  }

  async function expectRefusal(of: typeof operator, { change, code }: { change: Change; code: string }): Promise<void> {
    for (const from of [0, 1]) {
      const client = await newClient({ creditLimit: '100' });
      for (const index of [0, 1]) await isAccepted(send(index, client));
      await change(of(from), client);
      const answers = await Promise.all([1 - from, from, 1 - from].map((index) => send(index, client)));
      assert.deepEqual(
        answers.map(({ body }) => body['code']),
        answers.map(() => code),
      );
    }
  }

  it('a STOP acknowledged by one node holds at both from the next request on, and so does a START', async () => {
    const client = await newClient();
    const number = '41791112233';
    done(await operator(1).number.add({ number: `+${number}`, account: client.account }));
    const hear = (text: string) => simulator.sendInbound({ from: phone, to: number, text });
    for (let time = 0; time < 4; time++) {
      await hear('STOP');
      for (const index of [0, 1]) assert.equal((await send(index, client)).body['code'], 'receiver_opted_out');
      await hear('START');
      for (const index of [0, 1]) await isAccepted(send(index, client));
    }
  });

  it('a login removed at one node ends its sessions at the other, and no client binds with it again', async () => {
    const { account } = await newClient();
    const port = nodes.at(1).smppPort ?? assert.fail('SMPP is on');
    const login = { systemId: account, password: 'Right-1' };
    done(await operator(0).login.add({ account, ...login }));
    const client = await SmppClient.bind({ port, ...login });
    assert.equal((await client.submit({ short_message: helloPdu.short_message })).status, 0);
    done(await operator(0).login.remove({ systemId: account }));
    const submitted = await client.session.request(helloPdu);
    assert.ok(submitted.kind !== 'answered' || submitted.pdu.command_status !== 0, JSON.stringify(submitted));
    await assert.rejects(SmppClient.bind({ port, ...login }), ConnectError);
    await waitUntil('the session has ended', () => client.session.phase === 'closed');
  });

  it('keeps the promises of the ledger', async () => {
    assert.deepEqual(await moneyFaultsOf(nodes.postgres), []);
  });
});
