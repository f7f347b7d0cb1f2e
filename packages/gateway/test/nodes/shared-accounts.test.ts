import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { toMicros } from '@morsel/api/values/money.ts';
import { messageIdsAfter } from '../../src/core/base/message-id.ts';
import type { RulesChange } from '../../src/core/account/rules.ts';
import type { Command } from '../../src/state/commands.ts';
import type { Accept } from '../../src/state/decide/message/accept.ts';
import { PostgresEngine } from '../../src/store/postgres/engine.ts';
import { openSchema } from '../../src/store/postgres/migrate.ts';
import { ConnectionLost } from '../../src/store/postgres/wire/connection.ts';
import type { Found, Statement } from '../../src/store/postgres/wire/flight.ts';
import { needsPostgres } from '../peers/needs.ts';
import { moneyFaultsOf } from '../support/store/rules/money-faults.ts';
import { operate } from '../support/store/operate.ts';
import { connectAt, Postgres } from '../support/store/postgres.ts';
import { carrierCommand, routeCommand } from '../support/store/routing-commands.ts';
import { acceptCommand } from '../support/store/store.ts';
import { testVault } from '../support/store/vault.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Two engines that charge the same accounts, each with its own memory. */

const stalledMaxMs = 1_000;
/** A busy machine may take so many times longer. */
const slowness = 2.5;

class CountedEngine extends PostgresEngine {
  tries = 0;
  losesAnswer = false;
  /** Before this try, the node is silent until the promise resolves. */
  silence: { readonly before: number; readonly until: Promise<void> } | undefined;

  protected override async commit(flight: readonly Statement[]): Promise<Found[]> {
    this.tries += 1;
    if (this.tries === this.silence?.before) await this.silence.until;
    const found = await super.commit(flight);
    if (!this.losesAnswer) return found;
    this.losesAnswer = false;
    throw new ConnectionLost('the answer is lost');
  }
}

class Node implements AsyncDisposable {
  readonly engine: CountedEngine;
  #nextId = messageIdsAfter(0, 0, Date.now);

  private constructor(engine: CountedEngine) {
    this.engine = engine;
  }

  static async open(url: string, name: string): Promise<Node> {
    const engine = await CountedEngine.open({ vault: testVault, url, name });
    assert.ok(engine instanceof CountedEngine);
    const node = new Node(engine);
    await node.apply({ kind: 'begin', at: Date.now() });
    node.#nextId = messageIdsAfter(0, (await engine.apply([])).rows.node.id, Date.now);
    return node;
  }

  accept(cost: bigint, more: Partial<Accept> = {}): Accept & { kind: 'accept' } {
    return acceptCommand({
      at: Date.now(),
      id: this.#nextId(),
      unitPrice: toMicros(cost),
      totalCost: toMicros(cost),
      ...more,
    });
  }

  /** Applies commands as one group. Returns balances or codes of refusals, and how often the group was written. */
  async apply(...commands: readonly Command[]) {
    const earlier = this.engine.tries;
    const { results } = await this.engine.apply(commands);
    const says = results.map((result) => {
      if (!result.ok) return result.error.code;
      return result.value && 'clientBalance' in result.value ? result.value.clientBalance : 'ok';
    });
    return { says, tries: this.engine.tries - earlier };
  }

  /** As above, and each command must succeed. */
  async done(...commands: readonly Command[]): Promise<void> {
    for (const command of commands) {
      const [result] = (await this.engine.apply([command])).results;
      if (!result?.ok) assert.fail(JSON.stringify(result));
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.engine.close();
  }
}

describe('two nodes that charge one account', needsPostgres, () => {
  let server: Postgres;
  before(async () => {
    server = await Postgres.start();
  });
  after(() => server[Symbol.asyncDispose]());

  async function open(settings: object = {}, made: RulesChange = {}) {
    const url = await server.makeDatabase();
    await openSchema(url);
    const [first, second] = await Promise.all([Node.open(url, 'n1'), Node.open(url, 'n2')]);
    const client = await connectAt(url);
    const query = (text: string) => client.query({ text, rowMode: 'array' });
    const at = Date.now();
    for (const name of ['acme', 'beta']) {
      const account = { name, currency: 'EUR', balance: toMicros(100n), ...settings };
      await first.done(operate('account.add', account, { at, made }));
    }
    await first.done(carrierCommand({ at }), routeCommand({ at }));
    // Both have the accounts in memory.
    for (const node of [first, second]) await node.done(node.accept(1n), node.accept(1n, { account: 2 }));
    return {
      first,
      second,
      faults: () => moneyFaultsOf({ query }),
      rows: async (sql: string) => (await query(sql)).rows,
      [Symbol.asyncDispose]: async () => {
        await client.end();
        for (const node of [first, second]) await node.engine.close();
      },
    };
  }

  it('each adds to what the other has charged, and answers with the balance after its own charge (M6)', async () => {
    await using nodes = await open();
    const { first, second } = nodes;
    assert.deepEqual(await second.apply(second.accept(5n), second.accept(6n)), { says: [93n, 87n], tries: 1 });
    assert.deepEqual(await first.apply(first.accept(7n), first.accept(1n, { account: 2 }), first.accept(8n)), {
      says: [80n, 97n, 72n],
      tries: 1,
    });
    assert.deepEqual(await second.apply(second.accept(2n)), { says: [70n], tries: 1 });
  });

  it('entries follow those of the other node, also by a clock that is behind', async () => {
    await using nodes = await open();
    const { first, second, faults } = nodes;
    await second.apply(second.accept(5n), second.accept(1n, { account: 2 }));
    const at = Date.now() - 3_000;
    const late = [first.accept(7n, { at }), first.accept(1n, { at, account: 2 })];
    assert.deepEqual(await first.apply(...late), { says: [86n, 96n], tries: 1 });
    assert.deepEqual(await first.apply(first.accept(1n, { at })), { says: [85n], tries: 1 });
    assert.deepEqual(await faults(), []);
  });

  it('refunds are added to what the other has charged', async () => {
    await using nodes = await open();
    const { first, second, faults } = nodes;
    const message = first.accept(10n);
    await first.done(message);
    await second.apply(second.accept(5n));
    const refund = { kind: 'cancel', at: Date.now(), message: message.id, account: null } as const;
    assert.deepEqual(await first.apply(refund, first.accept(1n)), { says: ['ok', 92n], tries: 1 });
    assert.deepEqual(await faults(), []);
  });

  it('a notification of a low balance is sent once, by the node that reaches it', async () => {
    await using nodes = await open({ lowBalance: [toMicros(50n)] });
    const { first, second } = nodes;
    const alerts = async () => (await nodes.rows("select alerted_below from account where name = 'acme'"))[0];
    await second.apply(second.accept(40n));
    assert.deepEqual([await first.apply(first.accept(10n)), await alerts()], [{ says: [48n], tries: 2 }, ['50']]);
  });

  it('no charge takes the balance below the credit limit (M2)', async () => {
    await using nodes = await open();
    const { first, second } = nodes;
    await second.apply(second.accept(90n));
    assert.deepEqual(await first.apply(first.accept(9n), first.accept(8n)), {
      says: ['insufficient_balance', 0n],
      tries: 2,
    });
  });

  it('a rate counts the parts of both, and refuses those that it would refuse one after the other (A7)', async () => {
    await using nodes = await open({}, { rate: { count: 1, seconds: 3_600 }, burst: 8 });
    const { first, second } = nodes;
    // Both have taken one before.
    assert.deepEqual(await second.apply(second.accept(1n), second.accept(1n)), { says: [97n, 96n], tries: 1 });
    assert.deepEqual(await first.apply(first.accept(1n), first.accept(1n)), { says: [95n, 94n], tries: 1 });
    assert.deepEqual(await second.apply(second.accept(1n), second.accept(1n), second.accept(1n)), {
      says: [93n, 92n, 'rate_limited'],
      tries: 2,
    });
    assert.deepEqual((await first.apply(first.accept(1n))).says, ['rate_limited']);
  });

  it('a node that falls silent with locks stalls the other for a second, and then decides again', async (t) => {
    await using nodes = await open({ lowBalance: [toMicros(50n)] });
    const { first, second, faults } = nodes;
    const { engine } = first;
    await second.apply(second.accept(40n));
    const silent = Promise.withResolvers<void>();
    // The first write conflicts, because the threshold is reached. Before the second one, the account is locked.
    const tries = engine.tries + 2;
    engine.silence = { before: tries, until: silent.promise };
    const late = first.apply(first.accept(10n));
    await waitUntil('the account is locked', () => engine.tries === tries);
    const from = performance.now();
    assert.deepEqual((await second.apply(second.accept(1n))).says, [57n]);
    const stalledMs = performance.now() - from;
    silent.resolve();
    assert.deepEqual([(await late).says, await faults()], [[47n], []]);
    t.diagnostic(`stalled for ${Math.round(stalledMs)} ms`);
    assert.ok(stalledMs > 100 && stalledMs < stalledMaxMs * slowness, `${stalledMs} ms`);
  });

  it('a request with the key of a message of the other node gets its answer (M7)', async () => {
    await using nodes = await open();
    const { first, second } = nodes;
    const idempotency = { key: 'k', hash: Buffer.from('hash') };
    await second.apply(second.accept(10n, { idempotency }));
    await first.apply(first.accept(1n));
    assert.deepEqual((await first.apply(first.accept(10n, { idempotency }))).says, [88n]);
  });

  it('a group whose answer is lost answers with the balances that are stored', async () => {
    await using nodes = await open();
    const { first, second } = nodes;
    await second.apply(second.accept(5n));
    first.engine.losesAnswer = true;
    assert.deepEqual(await first.apply(first.accept(7n)), { says: [86n], tries: 1 });
    assert.deepEqual(await second.apply(second.accept(1n)), { says: [85n], tries: 1 });
  });
});
