import assert from 'node:assert/strict';
import type { RefundPolicy } from '@morsel/api/values/account.ts';
import { attemptsSql, type TestStore } from '../support/store/store.ts';
import { checkLedger, type CheckChunk } from '../../src/store/views/money/ledger-check.ts';
import { checkStart } from '@morsel/api/values/money.ts';

/* A model of money in ten lines, and the comparison of a store with it. */

/** The whole model of money. */
class Model {
  readonly balances = new Map<string, bigint>();
  readonly spent = new Map<number, { readonly account: string; readonly price: bigint; readonly parts: number }>();
  readonly refunded = new Set<string>();

  move(account: string, amount: bigint, floor: bigint | null): boolean {
    const after = (this.balances.get(account) ?? 0n) + amount;
    if (floor !== null && amount !== 0n && after < floor) return false;
    this.balances.set(account, after);
    return true;
  }

  refund(message: number, part: number): void {
    const { account, price } = this.spent.get(message) ?? assert.fail('what nobody paid is refunded');
    if (price === 0n || this.refunded.has(`${message}.${part}`)) return;
    this.refunded.add(`${message}.${part}`);
    this.move(account, price, null);
  }
}

export interface Payer {
  readonly name: string;
  readonly id: number;
  readonly policy: RefundPolicy;
  readonly creditLimit: bigint;
}
/** The model beside a store. A test makes each step in both; `compare` fails where they disagree. */
export class Books {
  readonly model = new Model();
  readonly payers: Payer[] = [];
  readonly #store: TestStore;
  readonly #lastEntry = new Map<number, bigint>();
  readonly #events = new Map<unknown, string>();
  #seenEntry = 0;

  /** Starts the model with the account `acme` of the test store, and its balance of 100. */
  constructor(store: TestStore) {
    this.#store = store;
    this.model.balances.set('acme', 100n);
  }

  open(payer: Payer, balance: bigint): void {
    this.payers.push(payer);
    this.model.balances.set(payer.name, balance);
  }

  /** Compares the balances, the entries since the last call, and the refunds. */
  async compare(): Promise<void> {
    for (const { name, id } of [...this.payers, { name: 'acme', id: 1 }]) {
      const balance = await this.amount('select balance from account where id = ?', id);
      assert.equal(balance, this.model.balances.get(name), `the balance of ${name}`);
    }
    const posted = await this.#store.rows(
      'select id, account, amount, balance_after from entry where id > ? order by id',
      this.#seenEntry,
    );
    for (const row of posted) {
      const account = Number(row['account']);
      const after = (this.#lastEntry.get(account) ?? 0n) + micros(row['amount']);
      assert.equal(micros(row['balance_after']), after, `the chain at entry ${String(row['id'])}`);
      this.#lastEntry.set(account, after);
      this.#seenEntry = Number(row['id']);
    }
    for (const { name, id } of this.payers) assert.equal(this.#lastEntry.get(id) ?? 0n, this.model.balances.get(name));
    assert.equal(await this.#store.value('select count(*) from message'), this.model.spent.size, 'messages');
    const refunds = await this.#store.value('select count(*) from part where refund_entry is not null');
    assert.equal(refunds, this.model.refunded.size, 'refunds');
    await this.#compareEvents();
  }

  /** Events move forward (A4); a final event changes only by a correction. */
  async #compareEvents(): Promise<void> {
    const sql = 'select message, report_event as event, report_corrected as corrected from part where number = 1';
    for (const { message, event, corrected } of await this.#store.rows(sql)) {
      const before = this.#events.get(message) ?? 'scheduled';
      const [rank, rankBefore] = [rankOf(event), rankOf(before)];
      if (event !== before && rank <= rankBefore && corrected !== 1)
        assert.fail(`A4: message ${String(message)} went from ${before} to ${String(event)}`);
      this.#events.set(message, String(event));
    }
  }

  /** Checks the rules of the store by SQL, and its money by `ledger check`. */
  async compareAll(): Promise<void> {
    assert.deepEqual(
      (await this.#store.moneyFaults()).filter((fault) => !fault.startsWith('M2')),
      [],
    );
    for (const sql of [pausesSql, refusalsSql]) assert.deepEqual(await this.#store.rows(sql), []);
    const queries = this.#store.queries;
    for (let after: string | null = checkStart; after !== null;) {
      const chunk: CheckChunk = (await checkLedger(queries, { after })) ?? assert.fail('of all accounts');
      assert.deepEqual(chunk.faults, []);
      after = chunk.next;
    }
    const spent = [...this.model.spent.values()].reduce((sum, { price, parts }) => sum + price * BigInt(parts), 0n);
    assert.equal(await this.amount('select coalesce(sum(total_cost), 0) from message'), spent, 'what was spent');
  }

  /** Refunds unsent or failed parts in the model, by the payer's policy. */
  async settle(): Promise<void> {
    const rows = await this.#store.rows(
      `select message.account, message, number, part.carrier, state, carrier_state from part join message on message.id = part.message
        where state in ('undelivered', 'rejected', 'expired', 'canceled') and in_doubt = 0 order by message, number`,
    );
    for (const row of rows) {
      const policy = this.payers.find(({ id }) => id === row['account'])?.policy;
      const isUnsent = row['carrier'] === null;
      // A part that is rejected without a receipt was refused in the answer to its submit_sm.
      const isRefused = row['state'] === 'rejected' && row['carrier_state'] === null;
      const owed = { never: false, unsent: isUnsent, refused: isUnsent || isRefused, undelivered: true };
      if (policy !== undefined && owed[policy]) {
        this.model.refund(Number(row['message']), Number(row['number']));
      }
    }
  }

  async amount(sql: string, ...values: number[]): Promise<bigint> {
    return micros(await this.#store.value(sql, ...values));
  }
}

const againSql = `select later.message from ${attemptsSql} as later join attempt as earlier on earlier.message = later.message
  and earlier.part = later.part and earlier.carrier = later.carrier and earlier.number < later.number`;
/** A carrier that could not take a part for the moment gets it again after a pause. */
const pausesSql = `${againSql} where earlier.outcome = 'temporary' and later.claimed_at < earlier.answered_at + 5000`;
/** A carrier that refused a part does not get it again, unless the part was in doubt. */
const refusalsSql = `${againSql} where earlier.outcome = 'refused' and not exists
  (select 1 from part where part.message = later.message and part.number = later.part and in_doubt > 0)`;

/** The events of a message before its end, in their order. */
const ranks = ['scheduled', 'queued', 'sent', 'buffered'];

function rankOf(event: unknown): number {
  const rank = ranks.indexOf(String(event));
  return rank === -1 ? ranks.length : rank;
}

function micros(value: unknown): bigint {
  return typeof value === 'number' ? BigInt(value) : assert.fail('an amount is an integer');
}
