import { firstIdAt } from '../../../core/base/message-id.ts';
import { formatMicros, toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import { micros, nullable, text } from '../../../state/tables/column.ts';
import { entryTable } from '../../../state/tables/ledger.ts';
import { messageTable, partTable } from '../../../state/tables/message.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { placeInPercent, sayOf, type LedgerFault, type Say, type StageChunk } from './ledger-fault.ts';
import { checkCharge, removedOf, chargedByAll, chargedByEach } from './ledger-check-charges.ts';
import type { Queries } from '../queries.ts';

/* Each entry continues the one before it, charges are the sums of their messages, and refunds belong to parts. */

/** The most entries, and about the most messages, that one chunk checks. A chunk takes some ten milliseconds. */
const entriesMax = 1_000;
const messagesMax = 4_000;
/** The most entries in a chunk for one account, whose messages are read with one query for each charge. */
const entriesOfOneMax = 100;

/** An entry may have an unknown kind, or an account that is missing. */
const entryShape = shape({ ...entryTable.members, kind: text, name: nullable(text) });
type Entry = ShapeOf<typeof entryShape>;

export async function checkEntries(queries: Queries, after: number, account: number | null): Promise<StageChunk> {
  const rows = await entriesBehind(queries, after, account);
  const faults: LedgerFault[] = [];
  const sayAt = ({ name, id }: Entry): Say => sayOf(faults, { account: name, entry: String(id) });
  const chain = new Chain(queries, after);
  for (const row of rows) {
    const say = sayAt(row);
    // Only the ids of all accounts together are consecutive.
    if (account === null) chain.lookForGap(row, sayOf(faults, {}));
    await chain.look(row, say);
    checkForm(row, say);
    if (row.kind === 'refund') await checkRefund(queries, row, say);
    if (row.kind === 'charge') await checkLimit(queries, row, say);
  }
  const charges = rows.filter((row) => row.kind === 'charge');
  const charged = account === null ? await chargedByAll(queries, charges) : await chargedByEach(queries, charges);
  for (const row of charges) await checkCharge(queries, row, { messages: charged.get(row.id) ?? [], say: sayAt(row) });
  const last = rows.at(-1)?.id ?? null;
  return {
    faults,
    looked: rows.length,
    last,
    percent: last === null ? 100 : await placeInPercent(queries, 'entry', last),
  };
}

async function entriesBehind(queries: Queries, after: number, account: number | null): Promise<Entry[]> {
  const select = 'select entry.*, account.name from entry left join account on account.id = entry.account';
  const ofAccount = 'where entry.account = ? and entry.id > ? order by entry.id limit ?';
  const rows =
    account === null
      ? await queries.rows(entryShape, `${select} where entry.id > ? order by entry.id limit ?`, after, entriesMax)
      : await queries.rows(entryShape, `${select} ${ofAccount}`, account, after, entriesOfOneMax);
  let messages = 0;
  const end = rows.findIndex((row) => (messages += row.messages) >= messagesMax);
  return end === -1 ? rows : rows.slice(0, end + 1);
}

/** Entry ids below this were counted up. Higher ids are times of nodes, or were counted after such ids. */
const countedBelow = firstIdAt(Date.UTC(2020, 0, 1));

type Place = Pick<Entry, 'balanceAfter' | 'createdAt'>;

/** Checks M1: the balance after an entry is the account's balance before the entry plus the amount of the entry. */
class Chain {
  readonly #queries: Queries;
  readonly #last = new Map<number, Place>();
  #lastId: number;

  constructor(queries: Queries, after: number) {
    this.#queries = queries;
    this.#lastId = after;
  }

  /** Checks M4: entry ids that were counted up have no gaps. */
  lookForGap({ id }: Entry, say: Say): void {
    const missing = id - this.#lastId - 1;
    if (missing > 0 && id < countedBelow) {
      const first = String(this.#lastId + 1);
      const fault = `${missing === 1 ? 'the entry is' : `${missing} entries from here on are`} missing: ids of entries must have no gap`;
      say({ promise: 'M4', entry: first, fault }, [`entry ${first}`, `entry ${id}`]);
    }
    this.#lastId = id;
  }

  async look(row: Entry, say: Say): Promise<void> {
    const { account, balanceAfter: found, createdAt: at } = row;
    const before = this.#last.get(account) ?? (await this.#before(row));
    const expected = toMicros(before.balanceAfter + row.amount);
    if (found !== expected) {
      const fault =
        'the balance after the entry is not the balance before the entry plus its amount: an entry is missing or was changed';
      say({ promise: 'M1', fault }, [formatMicros(expected), formatMicros(found)]);
    }
    if (at < before.createdAt) {
      const fault = 'the time of the entry is before the time of the previous entry';
      say({ promise: 'M4', fault }, [`${isoOf(before.createdAt)} or later`, isoOf(at)]);
    }
    this.#last.set(account, { balanceAfter: found, createdAt: Math.max(before.createdAt, at) });
  }

  async #before({ account, id }: Entry): Promise<Place> {
    const before = 'where account = ? and id < ? order by id desc limit 1';
    return (await this.#queries.first(entryTable, before, account, id)) ?? { balanceAfter: zeroMicros, createdAt: 0 };
  }
}

const isoOf = (at: number) => new Date(at).toISOString();

const forms: { readonly [kind: string]: readonly [isGood: (amount: Micros) => boolean, expected: string] } = {
  'top-up': [(moved) => moved > 0n, 'more than 0'],
  charge: [(moved) => moved <= 0n, '0 or less'],
  refund: [(moved) => moved > 0n, 'more than 0'],
  adjustment: [(moved) => moved !== 0n, 'not 0'],
};

function checkForm({ name, account, kind, amount: moved }: Entry, say: Say): void {
  if (name === null) {
    say({ promise: 'M1', fault: 'the account of the entry does not exist' }, ['an account', String(account)]);
  }
  const form = forms[kind];
  if (!form) say({ promise: 'M4', fault: 'the entry has an unknown kind' }, [Object.keys(forms).join(', '), kind]);
  else if (!form[0](moved)) say({ promise: 'M4', fault: `wrong amount for a ${kind}` }, [form[1], formatMicros(moved)]);
}

/**
 * M2: the balance after a charge is not below the credit limit of that time. Limits that older versions did not store
 * are not checked.
 */
async function checkLimit(queries: Queries, row: Entry, say: Say): Promise<void> {
  const limit = await queries.value(
    micros,
    'select credit_limit from account_limit where account = ? and after_entry < ? order by after_entry desc limit 1',
    row.account,
    row.id,
  );
  if (limit === undefined) return;
  const floor = toMicros(-limit);
  const found = row.balanceAfter;
  // A charge of 0 is allowed with any balance.
  if (found >= floor || row.amount === 0n) return;
  const fault = 'a charge took the balance below its limit';
  say({ promise: 'M2', fault }, [`${formatMicros(floor)} or more`, formatMicros(found)]);
}

const refundedShape = shape({ ...pick(messageTable, 'account', 'unitPrice'), ...pick(partTable, 'refundEntry') });

/** Checks M3: a refund returns the price of one part to the account that paid. Only this part refers to the refund. */
async function checkRefund(queries: Queries, row: Entry, say: Say): Promise<void> {
  const { id, firstMessage: message, part: number, amount, account } = row;
  const at = { message: message === null ? null : String(message), part: number };
  const part = await queries.row(
    refundedShape,
    `select message.account, unit_price, refund_entry from part join message on message.id = part.message
      where part.message = ? and part.number = ?`,
    message,
    number,
  );
  const removed = part ? undefined : await removedOf(queries, id);
  if (removed) {
    if (removed.amount === amount) return;
    const fault = 'the amount of the refund is not the price of its part, which was removed as too old';
    say({ ...at, fault }, [formatMicros(removed.amount), formatMicros(amount)]);
    return;
  }
  if (!part) {
    say({ ...at, fault: 'the part of the refund does not exist' }, ['a part', 'none']);
    return;
  }
  const { refundEntry: named, unitPrice: price } = part;
  if (named === null) {
    say({ ...at, fault: 'the part does not refer to its refund' }, ['refunded', 'not refunded']);
  } else if (named !== id) {
    say({ ...at, fault: 'the part is refunded a second time' }, [`entry ${named} alone`, `entry ${id} too`]);
  }
  if (amount !== price) {
    const fault = 'the amount of the refund is not the price of its part';
    say({ ...at, fault }, [formatMicros(price), formatMicros(amount)]);
  }
  if (part.account !== account) {
    const fault = 'the refund goes to another account than the account that paid';
    say({ ...at, fault }, [String(part.account), String(account)]);
  }
}
