import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import { micros, integer, integerOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import type { SayOfEntry } from './ledger-fault.ts';
import type { Queries } from '../queries.ts';

/* Checks that each charge is the sum of its messages. */

const messageColumns = 'id, account, entry, entry_place, num_parts, total_cost, balance_after';

/** Reads the messages of consecutive charges with one query. Messages of one commit have neighbouring ids. */
export function chargedByAll(queries: Queries, charges: readonly Record[]): ReadonlyMap<number, Record[]> {
  const wanted = new Map(
    charges.map((row) => [integer(row, 'id'), { ...boundsOf(row), messages: new Array<Record>() }]),
  );
  const bounded = charges.filter((row) => isBounded(queries, row)).map(boundsOf);
  if (bounded.length === 0) return new Map();
  const first = Math.min(...bounded.map((bounds) => bounds.first));
  const last = Math.max(...bounded.map((bounds) => bounds.last));
  for (const message of queries.all(`select ${messageColumns} from message where id between ? and ?`, first, last)) {
    const charge = wanted.get(integer(message, 'entry'));
    const id = integer(message, 'id');
    if (charge && id >= charge.first && id <= charge.last) charge.messages.push(message);
  }
  return new Map([...wanted].map(([entry, { messages }]) => [entry, messages]));
}

function boundsOf(charge: Record): { readonly first: number; readonly last: number } {
  return { first: integer(charge, 'first_message'), last: integer(charge, 'last_message') };
}

/** Reads the messages of each charge with one query. Used for a single account, whose messages have ids far apart. */
export function chargedByEach(queries: Queries, charges: readonly Record[]): ReadonlyMap<number, Record[]> {
  const bounded = charges.filter((row) => isBounded(queries, row));
  return new Map(
    bounded.map((row) => {
      const { first, last } = boundsOf(row);
      const messages = queries.all(
        `select ${messageColumns} from message where id between ? and ? and entry = ?`,
        first,
        last,
        integer(row, 'id'),
      );
      return [integer(row, 'id'), messages];
    }),
  );
}

/**
 * Whether the first and last message of the charge belong to it. If not, a query between them could read years of
 * messages.
 */
function isBounded(queries: Queries, charge: Record): boolean {
  return ['first_message', 'last_message'].every((bound) => {
    const row = queries.get('select entry from message where id = ?', integerOrNull(charge, bound));
    return row !== undefined && integer(row, 'entry') === integer(charge, 'id');
  });
}

/**
 * Checks M3 and M6: a charge is the sum of its messages, and each message has the balance right after its own charge.
 */
export function checkCharge(
  queries: Queries,
  row: Record,
  { messages, say }: { messages: Record[]; say: SayOfEntry },
): void {
  if (!isBounded(queries, row)) {
    const found = `${integerOrNull(row, 'first_message') ?? 'none'} and ${integerOrNull(row, 'last_message') ?? 'none'}`;
    say(
      { promise: 'M3', fault: 'the first or the last message of the charge is missing, or charged by another entry' },
      ['two messages of this charge', found],
    );
    return;
  }
  const sorted = messages.toSorted((one, other) => integer(one, 'entry_place') - integer(other, 'entry_place'));
  const cost = sorted.reduce((sum, message) => sum + micros(message, 'total_cost'), 0n);
  const parts = sorted.reduce((sum, message) => sum + integer(message, 'num_parts'), 0);
  const moved = micros(row, 'amount');
  if (cost !== -moved) {
    say({ promise: 'M3', fault: 'the amount of the charge is not the sum of its messages' }, [
      formatMicros(toMicros(-cost)),
      formatMicros(moved),
    ]);
  }
  const counts: readonly (readonly [what: string, expected: number, found: number])[] = [
    ['messages', sorted.length, integer(row, 'messages')],
    ['parts', parts, integer(row, 'parts')],
  ];
  for (const [what, expected, found] of counts) {
    if (expected !== found)
      say({ promise: 'M3', fault: `the charge has a wrong number of ${what}` }, [String(expected), String(found)]);
  }
  let balance = micros(row, 'balance_after') - moved;
  for (const [place, message] of sorted.entries()) {
    const at = { message: String(integer(message, 'id')) };
    if (integer(message, 'entry_place') !== place) {
      say({ promise: 'M3', fault: 'two messages have the same place in the charge, or a place is missing', ...at }, [
        String(place),
        String(integer(message, 'entry_place')),
      ]);
    }
    balance -= micros(message, 'total_cost');
    const after = micros(message, 'balance_after');
    if (after !== balance) {
      say(
        {
          promise: 'M6',
          fault: 'the balance that was answered to the client is not the balance after this message',
          ...at,
        },
        [formatMicros(toMicros(balance)), formatMicros(after)],
      );
    }
  }
}
