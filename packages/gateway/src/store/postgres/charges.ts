/*
 * Charges and refunds of a group, written as differences: other nodes may have charged the same accounts since the group
 * loaded them. The server adds the difference to the stored balance if the group would have decided the same with that
 * balance. Otherwise the group conflicts, and is decided again. So nodes that share accounts need no locks before.
 */

import { toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { nodeCount, sequenceCount, toMessageId } from '../../core/base/message-id.ts';
import { noUse } from '../../core/account/rate-bucket.ts';
import { alertFloor } from '../../core/money/ledger.ts';
import type { Command } from '../../state/commands.ts';
import type { Accepted } from '../../state/decide/message/accept.ts';
import type { Rows } from '../../state/rows/rows.ts';
import { accountTable, type AccountRow } from '../../state/tables/account.ts';
import type { Stored } from '../../state/tables/column.ts';
import { entryTable, type EntryRow } from '../../state/tables/ledger.ts';
import { messageTable, type MessageRow } from '../../state/tables/message.ts';
import type { Shape } from '../../state/tables/table.ts';
import type { Applied } from '../writer.ts';
import { columnArrays, type Versions } from './table-writes.ts';
import { arrayOf, elementOf, type Element } from './wire/arrays.ts';
import type { Found, Statement } from './wire/flight.ts';

/** The columns of an account that the server moves. */
const moves: { readonly [column: string]: string } = {
  balance: 't.balance + u.amount',
  spent_day: 'case when t.spent_day_ends_at = u.spent_day_ends_at then t.spent_day + u.spent else u.spent_day end',
  spent_month:
    'case when t.spent_month_ends_at = u.spent_month_ends_at then t.spent_month + u.spent else u.spent_month end',
  last_entry: `u.last_entry + case when t.last_entry < u.first_entry then 0
    else ((t.last_entry - u.first_entry) / u.step + 1) * u.step end`,
  last_entry_at: 'greatest(t.last_entry_at, u.last_entry_at)',
  rate_full_at: `case when t.rate_full_at <= u.rate_latest then greatest(t.rate_full_at + u.rate_us, u.rate_least)
    else u.rate_full_at end`,
};
const movedColumns = Object.keys(moves);
const movedShape = accountTable.shape.only(movedColumns);

/** What the statement gets of an account beside the columns of its row. */
const extras: { readonly [name: string]: Element } = {
  id: 'bigint',
  version: 'xid',
  amount: 'bigint',
  spent: 'bigint',
  alert_floor: 'bigint',
  first_entry: 'bigint',
  first_at: 'bigint',
  has_refund: 'smallint',
  rate_us: 'bigint',
  rate_least: 'bigint',
  rate_latest: 'bigint',
  step: 'bigint',
};

/**
 * Whether the group would have decided the same with the stored row. Refusals are not written: the engine has them
 * decided again. Ids of refunds do not move, because rows of parts have them, too.
 */
const isSame = [
  ...accountTable.moving.names
    .filter((name) => !(name in moves))
    .map((name) => `t.${name} is not distinct from u.${name}`),
  '(u.spent = 0 or t.balance - u.spent >= greatest(-t.credit_limit, coalesce(u.alert_floor, -t.credit_limit)))',
  '(t.day_cap is null or t.spent_day + u.spent <= t.day_cap)',
  '(t.month_cap is null or t.spent_month + u.spent <= t.month_cap)',
  't.rate_full_at <= u.rate_latest',
  '(u.has_refund = 0 or t.last_entry < u.first_entry)',
  '(t.last_entry_at <= u.first_at or t.last_entry_at >= u.last_entry_at)',
].join(' and ');

const accountElements = [...elementsOf(accountTable.moving), ...Object.values(extras)];
const accountText = (() => {
  const { names } = accountTable.moving;
  const from = unnest(accountElements, [...names, ...Object.keys(extras)]);
  const set = names.map((name) => `${name} = ${moves[name] ?? `u.${name}`}`);
  const returned = ['id', ...movedColumns];
  return `with done as (update account as t set ${set.join(', ')} from ${from}
    where t.id = u.id and (t.xmin = u.version or (${isSame})) returning ${returned.map((name) => `t.${name}`).join(', ')})
    select morsel_expect(count(*), $${accountElements.length + 1}::bigint),
    string_agg(concat_ws(' ', ${returned.join(', ')}), ',') from done`;
})();

/** How columns of new rows follow the row of their account, which the server may have moved. */
const follows = {
  id: (name: string) => `u.${name} + a.last_entry - u.own_entry`,
  amount: (name: string) => `u.${name} + a.balance - u.own_balance`,
  time: (name: string) => `case when a.last_entry_at > u.own_at then a.last_entry_at else u.${name} end`,
};
const ownElements: readonly Element[] = ['bigint', 'bigint', 'bigint'];

const entryText = insertText('entry', entryTable.shape, { id: 'id', balance_after: 'amount', created_at: 'time' });
const messageText = insertText('message', messageTable.shape, { entry: 'id', balance_after: 'amount' });

const idsOfMs = nodeCount * sequenceCount;

/** The accounts that a group charged or refunded, and did not change otherwise. */
export class Charges {
  /** The rows that `statements` writes: accounts, their new entries and their new messages. */
  readonly rows: ReadonlySet<object>;
  readonly #rows: Rows;
  readonly #accounts = new Map<number, AccountRow>();
  readonly #entries: readonly EntryRow[];
  readonly #messages: readonly MessageRow[];

  constructor(rows: Rows) {
    this.#rows = rows;
    const made = rows.of(entryTable).filter(({ change }) => change === 'new');
    const charged = new Set(made.map(({ account }) => account));
    const accounts = rows.of(accountTable).filter(({ id, change }) => change === 'changed' && charged.has(id));
    // All nodes lock accounts in the order of their ids, so that two nodes never wait for each other.
    for (const each of accounts.toSorted((one, other) => one.id - other.id)) this.#accounts.set(each.id, each);
    this.#entries = made.filter(({ account }) => this.#accounts.has(account));
    this.#messages = [...rows.messages.values()].filter(
      ({ change, account }) => change === 'new' && this.#accounts.has(account),
    );
    this.rows = new Set<object>([...this.#accounts.values(), ...this.#entries, ...this.#messages]);
  }

  /** The answer of the first statement is for `settle`. */
  statements(versions: Versions): readonly Statement[] {
    if (this.#accounts.size === 0) return [];
    const entries = Map.groupBy(this.#entries, ({ account }) => account);
    const spans = this.#entries.map(({ id }) => Math.floor(id / idsOfMs));
    // Ids move by the whole span of the group's ids, so they stay different, and those of this node.
    const step = (Math.max(...spans) - Math.min(...spans) + 1) * idsOfMs;
    const written = [...this.#accounts.values()].map((account) => [
      ...accountTable.moving.write(account),
      account.id,
      Number(versions.get(account)),
      ...chargedOf(account, entries.get(account.id) ?? []),
      ...rateOf(this.#rows.rateUses.get(account.id)),
      step,
    ]);
    return [
      { text: accountText, values: [...columnArrays(accountElements, written), written.length] },
      this.#insert(entryText, entryTable.shape, this.#entries),
      ...(this.#messages.length > 0 ? [this.#insert(messageText, messageTable.shape, this.#messages)] : []),
    ];
  }

  #insert<Row extends { readonly account: number }>(text: string, shape: Shape<Row>, rows: readonly Row[]): Statement {
    const written = rows.map((row) => {
      const account = this.#accounts.get(row.account);
      return [...shape.write(row), account?.lastEntry ?? 0, account?.balance ?? 0, account?.lastEntryAt ?? 0];
    });
    return { text, values: columnArrays([...elementsOf(shape), ...ownElements], written) };
  }

  /** After the commit: moves the rows in memory, and the balances of the results, as the server moved the rows. */
  settle(found: Found, commands: readonly Command[], applied: Applied): Applied {
    const shifts = new Map<number, Shift>();
    const answer = String(found[0]?.[1] ?? '');
    for (const each of answer === '' ? [] : answer.split(',')) {
      const [id, ...values] = each.split(' ');
      const account = this.#accounts.get(Number(id));
      if (!account) continue;
      const { spent, ...stored } = movedShape.read(values);
      shifts.set(account.id, {
        ids: stored.lastEntry - account.lastEntry,
        amount: toMicros(stored.balance - account.balance),
      });
      Object.assign(account, stored, { spent: { ...account.spent, ...spent } });
    }
    return this.#shift(shifts, commands, applied);
  }

  /** The question whose answer `settleAgain` needs, after a commit without an answer. */
  question(): Statement {
    const ids = this.#messages.map(({ id }) => id);
    const text = 'select id, entry, balance_after from message where id = any ($1::bigint[])';
    return { text, values: [arrayOf('bigint', ids)] };
  }

  settleAgain(found: Found, commands: readonly Command[], applied: Applied): Applied {
    const shifts = new Map<number, Shift>();
    for (const [id, entry, balance] of found) {
      const message = this.#rows.messages.get(toMessageId(Number(id)));
      if (!message) continue;
      const amount = toMicros(BigInt(String(balance)) - message.balanceAfter);
      shifts.set(message.account, { ids: Number(entry) - message.entry, amount });
    }
    return this.#shift(shifts, commands, applied);
  }

  #shift(shifts: ReadonlyMap<number, Shift>, commands: readonly Command[], applied: Applied): Applied {
    if (![...shifts.values()].some(({ ids, amount }) => ids > 0 || amount !== zeroMicros)) return applied;
    const { node } = this.#rows;
    for (const message of this.#messages) {
      const { ids = 0, amount = zeroMicros } = shifts.get(message.account) ?? {};
      const entry = message.entry + ids;
      Object.assign(message, { entry, balanceAfter: toMicros(message.balanceAfter + amount) });
      // The next ids of this node must be higher.
      if (ids > 0) node.lastMessageId = Math.max(node.lastMessageId, entry);
    }
    return { ...applied, results: withBalances(this.#rows, commands, applied.results) };
  }
}

/** The `extras` of an account from the amount to `has_refund`. */
function chargedOf(account: AccountRow, entries: readonly EntryRow[]): readonly Stored[] {
  let [amount, spent] = [zeroMicros, zeroMicros];
  for (const entry of entries) {
    amount = toMicros(amount + entry.amount);
    if (entry.kind === 'charge') spent = toMicros(spent - entry.amount);
  }
  const floor = alertFloor(account.lowBalance, account.alertedBelow);
  const hasRefund = entries.some(({ kind }) => kind !== 'charge') ? 1 : 0;
  return [amount, spent, floor, entries[0]?.id ?? 0, entries[0]?.createdAt ?? 0, hasRefund];
}

function rateOf({ us, least, latest } = noUse): readonly Stored[] {
  return [us, least, latest];
}

/** How far the server moved the ids of an account's entries, and its balances. */
interface Shift {
  readonly ids: number;
  readonly amount: Micros;
}

/** The results of accepted messages with the balances that the messages have now (M6). */
function withBalances(rows: Rows, commands: readonly Command[], results: Applied['results']): Applied['results'] {
  return results.map((result, at) => {
    const command = commands[at];
    if (command?.kind !== 'accept' || !result.ok) return result;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind of the command is that of its result
    const accepted = result.value as Accepted;
    const { first } = accepted;
    const clientBalance = rows.messages.get(first?.message ?? command.id)?.balanceAfter ?? accepted.clientBalance;
    return ok({ ...accepted, clientBalance, ...(first && { first: { ...first, clientBalance } }) });
  });
}

function elementsOf(shape: Shape<unknown>): readonly Element[] {
  return shape.columns().map(([, { type }]) => elementOf[type]);
}

function unnest(elements: readonly Element[], names: readonly string[]): string {
  return `unnest(${elements.map((element, at) => `$${at + 1}::${element}[]`).join(', ')}) as u(${names.join(', ')})`;
}

function insertText(
  table: string,
  shape: Shape<unknown>,
  following: { readonly [column: string]: keyof typeof follows },
): string {
  const { names } = shape;
  const values = names.map((name) => {
    const how = following[name];
    return how === undefined ? `u.${name}` : follows[how](name);
  });
  const from = unnest([...elementsOf(shape), ...ownElements], [...names, 'own_entry', 'own_balance', 'own_at']);
  return `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from ${from} cross join lateral
    (select last_entry, last_entry_at, balance from account where id = u.account offset 0) as a`;
}
