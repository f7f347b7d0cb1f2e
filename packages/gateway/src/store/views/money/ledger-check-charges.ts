import { eachOf } from '../page.ts';
import { formatMicros, toMicros, type Micros } from '@morsel/api/values/money.ts';
import { integer } from '../../../state/tables/column.ts';
import type { EntryRow } from '../../../state/tables/ledger.ts';
import { messageTable } from '../../../state/tables/message.ts';
import { removedChargeTable } from '../../../state/tables/privacy/removal.ts';
import { pick, shape, type RowOf, type ShapeOf } from '../../../state/tables/table.ts';
import type { Say } from './ledger-fault.ts';
import type { Queries } from '../queries.ts';

/* Checks that each charge is the sum of its messages. */

const chargedShape = shape(pick(messageTable, 'id', 'entry', 'entryPlace', 'numParts', 'totalCost', 'balanceAfter'));
type Charged = ShapeOf<typeof chargedShape>;
const chargedMessages = 'select id, entry, entry_place, num_parts, total_cost, balance_after from message';

type Charge = Pick<EntryRow, 'id' | 'amount' | 'balanceAfter' | 'messages' | 'parts' | 'firstMessage' | 'lastMessage'>;

/** Reads the messages of consecutive charges with one query, because those of one commit have neighbouring ids. */
export async function chargedByAll(
  queries: Queries,
  charges: readonly Charge[],
): Promise<ReadonlyMap<number, Charged[]>> {
  const wanted = new Map(charges.map((row) => [row.id, { ...boundsOf(row), messages: new Array<Charged>() }]));
  const bounded = (await boundedOf(queries, charges)).map(boundsOf);
  if (bounded.length === 0) return new Map();
  const first = Math.min(...bounded.map((bounds) => bounds.first));
  const last = Math.max(...bounded.map((bounds) => bounds.last));
  for (const message of await queries.rows(chargedShape, `${chargedMessages} where id between ? and ?`, first, last)) {
    const charge = wanted.get(message.entry);
    if (charge && message.id >= charge.first && message.id <= charge.last) charge.messages.push(message);
  }
  return new Map([...wanted].map(([entry, { messages }]) => [entry, messages]));
}

function boundsOf({ firstMessage, lastMessage }: Charge): { readonly first: number; readonly last: number } {
  return { first: firstMessage ?? 0, last: lastMessage ?? 0 };
}

/** Reads the messages of a single account with one query for each charge, because their ids are far apart. */
export async function chargedByEach(
  queries: Queries,
  charges: readonly Charge[],
): Promise<ReadonlyMap<number, Charged[]>> {
  const bounded = await boundedOf(queries, charges);
  return new Map(
    await eachOf(bounded, async (row) => {
      const { first, last } = boundsOf(row);
      const sql = `${chargedMessages} where id between ? and ? and entry = ?`;
      return [row.id, await queries.rows(chargedShape, sql, first, last, row.id)] as const;
    }),
  );
}

async function boundedOf(queries: Queries, charges: readonly Charge[]): Promise<readonly Charge[]> {
  const is = await eachOf(charges, (row) => isBounded(queries, row));
  return charges.filter((_, at) => is[at]);
}

/** The first and last message must belong to the charge, or a query between them could read years of messages. */
async function isBounded(queries: Queries, { id, firstMessage, lastMessage }: Charge): Promise<boolean> {
  const sql = 'select entry from message where id = ?';
  const entries = await eachOf([firstMessage, lastMessage], (bound) => queries.value(integer, sql, bound));
  return entries.every((entry) => entry === id);
}

/** M3 and M6: a charge is the sum of its messages, and each has the balance right after its own charge. */
export async function checkCharge(
  queries: Queries,
  row: Charge,
  { messages, say }: { readonly messages: readonly Charged[]; readonly say: Say },
): Promise<void> {
  const removed = await removedOf(queries, row.id);
  if (removed) {
    await checkRemovedCharge(queries, row, { removed, say });
    return;
  }
  if (!(await isBounded(queries, row))) {
    say({ fault: 'the first or the last message of the charge is missing, or charged by another entry' }, [
      'two messages of this charge',
      `${row.firstMessage ?? 'none'} and ${row.lastMessage ?? 'none'}`,
    ]);
    return;
  }
  const sorted = messages.toSorted((one, other) => one.entryPlace - other.entryPlace);
  const cost = toMicros(sorted.reduce((sum, message) => sum + message.totalCost, 0n));
  const parts = sorted.reduce((sum, message) => sum + message.numParts, 0);
  checkSums(row, { cost, messages: sorted.length, parts, say });
  checkPlaces(sorted, toMicros(row.balanceAfter - row.amount), say);
}

interface Sums {
  readonly cost: Micros;
  readonly messages: number;
  readonly parts: number;
  readonly say: Say;
}

function checkSums(row: Charge, { cost, messages, parts, say }: Sums): void {
  if (cost !== -row.amount) {
    say({ fault: 'the amount of the charge is not the sum of its messages' }, [
      formatMicros(toMicros(-cost)),
      formatMicros(row.amount),
    ]);
  }
  const counts: readonly (readonly [what: string, expected: number, found: number])[] = [
    ['messages', messages, row.messages],
    ['parts', parts, row.parts],
  ];
  for (const [what, expected, found] of counts) {
    if (expected !== found)
      say({ fault: `the charge has a wrong number of ${what}` }, [String(expected), String(found)]);
  }
}

/** The removed messages of a charge, or the removed part of a refund; undefined if none was removed. */
export async function removedOf(queries: Queries, entry: number): Promise<Removed | undefined> {
  return queries.first(removedChargeTable, 'where entry = ?', entry);
}

type Removed = Omit<RowOf<typeof removedChargeTable>, 'change'>;

/** M3 after old messages were removed: the charge is the sum of the removed and the remaining messages. */
async function checkRemovedCharge(
  queries: Queries,
  row: Charge,
  { removed, say }: { readonly removed: Removed; readonly say: Say },
): Promise<void> {
  const { first, last } = boundsOf(row);
  const sql = `${chargedMessages} where id between ? and ? and entry = ?`;
  const isPartly = removed.messages < row.messages;
  const left = isPartly ? await queries.rows(chargedShape, sql, first, last, row.id) : [];
  checkSums(row, {
    cost: toMicros(left.reduce((sum, message) => sum + message.totalCost, 0n) - removed.amount),
    messages: left.length + removed.messages,
    parts: left.reduce((sum, message) => sum + message.numParts, 0) + removed.parts,
    say,
  });
}

/** Checks the balances after each message, starting from the balance before the charge. */
function checkPlaces(sorted: readonly Charged[], opening: Micros, say: Say): void {
  let balance = opening;
  for (const [place, { id, entryPlace, totalCost, balanceAfter }] of sorted.entries()) {
    const at = { message: String(id) };
    if (entryPlace !== place) {
      say({ fault: 'two messages have the same place in the charge, or a place is missing', ...at }, [
        String(place),
        String(entryPlace),
      ]);
    }
    balance = toMicros(balance - totalCost);
    if (balanceAfter !== balance) {
      const fault = 'the balance that was answered to the client is not the balance after this message';
      say({ promise: 'M6', fault, ...at }, [formatMicros(balance), formatMicros(balanceAfter)]);
    }
  }
}
