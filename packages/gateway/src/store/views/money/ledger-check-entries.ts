import { formatMicros, toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { micros, integer, integerOrNull, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import { nowhere, placeInPercent } from './ledger-fault.ts';
import type { LedgerFault, SayOfEntry, StageChunk } from './ledger-fault.ts';
import { checkCharge, chargedByAll, chargedByEach } from './ledger-check-charges.ts';
import type { Queries } from '../queries.ts';

/*
 * Checks ledger entries: each entry continues the entry before it, charges are the sum of their messages, and refunds
 * belong to their parts.
 */

/** The most entries, and about the most messages, that one chunk checks. A chunk takes some ten milliseconds. */
const entriesMax = 1_000;
const messagesMax = 4_000;
/**
 * The most entries of a chunk if only one account is checked, because its messages must be read with one query for each
 * charge.
 */
const entriesOfOneMax = 100;

export function checkEntries(queries: Queries, after: number, account: number | null): StageChunk {
  const rows = entriesBehind(queries, after, account);
  const faults: LedgerFault[] = [];
  const sayOf =
    (row: Record): SayOfEntry =>
    (fault, [expected, found]) =>
      faults.push({
        ...nowhere,
        account: textOrNull(row, 'name'),
        entry: String(integer(row, 'id')),
        expected,
        found,
        ...fault,
      });
  const chain = new Chain(queries, after);
  for (const row of rows) {
    const say = sayOf(row);
    // Ids are consecutive only over all accounts.
    if (account === null) chain.lookForGap(row, (fault) => faults.push(fault));
    chain.look(row, say);
    checkForm(row, say);
    if (text(row, 'kind') === 'refund') checkRefund(queries, row, say);
    if (text(row, 'kind') === 'charge') checkLimit(queries, row, say);
  }
  const charges = rows.filter((row) => text(row, 'kind') === 'charge');
  const charged = account === null ? chargedByAll(queries, charges) : chargedByEach(queries, charges);
  for (const row of charges)
    checkCharge(queries, row, { messages: charged.get(integer(row, 'id')) ?? [], say: sayOf(row) });
  const last = rows.length === 0 ? null : integer(rows.at(-1) ?? {}, 'id');
  return { faults, looked: rows.length, last, percent: last === null ? 100 : placeInPercent(queries, 'entry', last) };
}

function entriesBehind(queries: Queries, after: number, account: number | null): Record[] {
  const select = 'select entry.*, account.name from entry left join account on account.id = entry.account';
  const rows =
    account === null
      ? queries.all(`${select} where entry.id > ? order by entry.id limit ?`, after, entriesMax)
      : queries.all(
          `${select} where entry.account = ? and entry.id > ? order by entry.id limit ?`,
          account,
          after,
          entriesOfOneMax,
        );
  let messages = 0;
  const end = rows.findIndex((row) => (messages += integer(row, 'messages')) >= messagesMax);
  return end === -1 ? rows : rows.slice(0, end + 1);
}

/** Checks M1: the balance after an entry is the account's balance before the entry plus the amount of the entry. */
class Chain {
  readonly #queries: Queries;
  readonly #balances = new Map<number, Micros>();
  #last: number;
  #lastId: number;

  constructor(queries: Queries, after: number) {
    this.#queries = queries;
    this.#lastId = after;
    const row = queries.get('select created_at from entry where id <= ? order by id desc limit 1', after);
    this.#last = row ? integer(row, 'created_at') : 0;
  }

  /** Checks M4: ids of entries are consecutive. */
  lookForGap(row: Record, report: (fault: LedgerFault) => void): void {
    const id = integer(row, 'id');
    const missing = id - this.#lastId - 1;
    if (missing > 0) {
      const first = String(this.#lastId + 1);
      const fault = `${missing === 1 ? 'the entry is' : `${missing} entries from here on are`} missing: ids of entries must have no gap`;
      report({ ...nowhere, promise: 'M4', entry: first, fault, expected: `entry ${first}`, found: `entry ${id}` });
    }
    this.#lastId = id;
  }

  look(row: Record, say: SayOfEntry): void {
    const account = integer(row, 'account');
    const expected = toMicros((this.#balances.get(account) ?? this.#before(row)) + micros(row, 'amount'));
    const found = micros(row, 'balance_after');
    if (found !== expected) {
      const fault =
        'the balance after the entry is not the balance before the entry plus its amount: an entry is missing or was changed';
      say({ promise: 'M1', fault }, [formatMicros(expected), formatMicros(found)]);
    }
    this.#balances.set(account, found);
    const at = integer(row, 'created_at');
    if (at < this.#last) {
      const fault = 'the time of the entry is before the time of the previous entry';
      say({ promise: 'M4', fault }, [`${isoOf(this.#last)} or later`, isoOf(at)]);
    }
    this.#last = Math.max(this.#last, at);
  }

  #before(row: Record): Micros {
    const before = this.#queries.get(
      'select balance_after from entry where account = ? and id < ? order by id desc limit 1',
      integer(row, 'account'),
      integer(row, 'id'),
    );
    return before ? micros(before, 'balance_after') : zeroMicros;
  }
}

const isoOf = (at: number) => new Date(at).toISOString();

/** For each kind of entry, the check of its amount. */
const forms: { readonly [kind: string]: readonly [isGood: (amount: Micros) => boolean, expected: string] } = {
  'top-up': [(moved) => moved > 0n, 'more than 0'],
  charge: [(moved) => moved <= 0n, '0 or less'],
  refund: [(moved) => moved > 0n, 'more than 0'],
  adjustment: [(moved) => moved !== 0n, 'not 0'],
};

function checkForm(row: Record, say: SayOfEntry): void {
  if (textOrNull(row, 'name') === null) {
    say({ promise: 'M1', fault: 'the account of the entry does not exist' }, [
      'an account',
      String(integer(row, 'account')),
    ]);
  }
  const kind = text(row, 'kind');
  const form = forms[kind];
  const moved = micros(row, 'amount');
  if (!form) say({ promise: 'M4', fault: 'the entry has an unknown kind' }, [Object.keys(forms).join(', '), kind]);
  else if (!form[0](moved)) say({ promise: 'M4', fault: `wrong amount for a ${kind}` }, [form[1], formatMicros(moved)]);
}

/**
 * Checks M2: after a charge, the balance is not below the credit limit of that time. Limits that older versions did not
 * store are not checked.
 */
function checkLimit(queries: Queries, row: Record, say: SayOfEntry): void {
  const limit = queries.get(
    'select credit_limit from account_limit where account = ? and after_entry < ? order by after_entry desc limit 1',
    integer(row, 'account'),
    integer(row, 'id'),
  );
  if (!limit) return;
  const floor = toMicros(-micros(limit, 'credit_limit'));
  const found = micros(row, 'balance_after');
  // A charge of 0 is allowed with any balance.
  if (found >= floor || micros(row, 'amount') === 0n) return;
  const fault = 'a charge took the balance below its limit';
  say({ promise: 'M2', fault }, [`${formatMicros(floor)} or more`, formatMicros(found)]);
}

/** Checks M3: a refund returns the price of one part to the account that paid. Only this part refers to the refund. */
function checkRefund(queries: Queries, row: Record, say: SayOfEntry): void {
  const message = integerOrNull(row, 'first_message');
  const number = integerOrNull(row, 'part');
  const at = { promise: 'M3', message: message === null ? null : String(message), part: number } as const;
  const part = queries.get(
    `select message.account, unit_price, refund_entry from part join message on message.id = part.message
      where part.message = ? and part.number = ?`,
    message,
    number,
  );
  if (!part) {
    say({ ...at, fault: 'the part of the refund does not exist' }, ['a part', 'none']);
    return;
  }
  const named = integerOrNull(part, 'refund_entry');
  if (named !== integer(row, 'id')) {
    const fault = named === null ? 'the part does not refer to its refund' : 'the part is refunded a second time';
    say({ ...at, fault }, [
      named === null ? 'refunded' : `entry ${named} alone`,
      named === null ? 'not refunded' : `entry ${integer(row, 'id')} too`,
    ]);
  }
  const price = micros(part, 'unit_price');
  if (micros(row, 'amount') !== price) {
    say({ ...at, fault: 'the amount of the refund is not the price of its part' }, [
      formatMicros(price),
      formatMicros(micros(row, 'amount')),
    ]);
  }
  if (integer(part, 'account') !== integer(row, 'account')) {
    say({ ...at, fault: 'the refund goes to another account than the account that paid' }, [
      String(integer(part, 'account')),
      String(integer(row, 'account')),
    ]);
  }
}
