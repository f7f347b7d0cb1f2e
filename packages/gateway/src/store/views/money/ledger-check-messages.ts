import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import { micros, integer, integerOrNull, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import { nowhere, placeInPercent } from './ledger-fault.ts';
import type { LedgerFault, StageChunk } from './ledger-fault.ts';
import type { Queries } from '../queries.ts';

/*
 * Checks messages: each message is charged by one entry, for the price of its parts, and the refunds of its parts
 * exist. ledger-check-entries.ts checks the other direction.
 */

/** The most messages that one chunk checks. */
const messagesMax = 2_000;

type Say = (
  fault: Pick<LedgerFault, 'fault'> & Partial<LedgerFault>,
  values: readonly [expected: string, found: string],
) => void;

export function checkMessages(queries: Queries, after: number, account: number | null): StageChunk {
  const rows = queries.all(
    `select message.id, message.account, num_parts, unit_price, total_cost, message.entry, account.name,
      charge.kind, charge.account as charge_account, charge.first_message, charge.last_message,
      message.price_list, message.price_version, priced.version as known_version
      from message left join entry as charge on charge.id = message.entry left join account on account.id = message.account
      left join price_list_version as priced
        on priced.price_list = message.price_list and priced.version = message.price_version
      where message.id > ? order by message.id limit ?`,
    after,
    messagesMax,
  );
  const last = rows.length === 0 ? null : integer(rows.at(-1) ?? {}, 'id');
  if (last === null) return { faults: [], looked: 0, last, percent: 100 };
  const parts = partsBetween(queries, after, last);
  const faults: LedgerFault[] = [];
  const wanted = account === null ? rows : rows.filter((row) => integer(row, 'account') === account);
  for (const row of wanted) {
    const id = integer(row, 'id');
    const say: Say = (fault, [expected, found]) =>
      faults.push({
        ...nowhere,
        promise: 'M3',
        account: textOrNull(row, 'name'),
        message: String(id),
        expected,
        found,
        ...fault,
      });
    checkCharged(row, say);
    if (integerOrNull(row, 'known_version') === null) {
      const found = `version ${integer(row, 'price_version')} of list ${integer(row, 'price_list')}`;
      say({ fault: 'the message was priced by a version that no price list has' }, ['a version of a list', found]);
    }
    checkParts(row, parts.get(id) ?? [], say);
  }
  return { faults, looked: wanted.length, last, percent: placeInPercent(queries, 'message', last) };
}

function partsBetween(queries: Queries, after: number, last: number): ReadonlyMap<number, Record[]> {
  const parts = new Map<number, Record[]>();
  const rows = queries.all(
    `select message, number, in_doubt, refund_entry, refund.kind, refund.first_message, refund.part as refunded_part
      from part left join entry as refund on refund.id = part.refund_entry
      where message > ? and message <= ? order by message, number`,
    after,
    last,
  );
  for (const row of rows) {
    const message = integer(row, 'message');
    const known = parts.get(message);
    if (known) known.push(row);
    else parts.set(message, [row]);
  }
  return parts;
}

function checkCharged(row: Record, say: Say): void {
  const entry = String(integer(row, 'entry'));
  const kind = textOrNull(row, 'kind');
  if (kind === null) {
    say({ fault: 'the entry that charged the message does not exist' }, [
      'a charge',
      `entry ${entry}, which does not exist`,
    ]);
  } else if (kind !== 'charge') {
    say({ fault: 'the message refers to an entry that is no charge', entry }, ['charge', kind]);
  } else if (integer(row, 'charge_account') !== integer(row, 'account')) {
    say({ fault: 'the message was charged to another account', entry }, [
      String(integer(row, 'account')),
      String(integer(row, 'charge_account')),
    ]);
  } else if (integer(row, 'id') < integer(row, 'first_message') || integer(row, 'id') > integer(row, 'last_message')) {
    const range = `${integer(row, 'first_message')} to ${integer(row, 'last_message')}`;
    say({ fault: 'the message is outside the range of messages of its charge', entry }, [
      range,
      String(integer(row, 'id')),
    ]);
  }
  const cost = toMicros(micros(row, 'unit_price') * BigInt(integer(row, 'num_parts')));
  if (cost !== micros(row, 'total_cost')) {
    say({ fault: 'the cost of the message is not the sum of its parts' }, [
      formatMicros(cost),
      formatMicros(micros(row, 'total_cost')),
    ]);
  }
}

function checkParts(row: Record, parts: readonly Record[], say: Say): void {
  const numParts = integer(row, 'num_parts');
  if (parts.length !== numParts) {
    say({ fault: 'the number of parts differs from the number that was charged' }, [
      String(numParts),
      String(parts.length),
    ]);
  }
  for (const part of parts) {
    const entry = integerOrNull(part, 'refund_entry');
    if (entry === null) continue;
    const number = integer(part, 'number');
    const at = { entry: String(entry), part: number };
    const kind = textOrNull(part, 'kind');
    const isItsOwn =
      kind === 'refund' &&
      integerOrNull(part, 'first_message') === integer(row, 'id') &&
      integerOrNull(part, 'refunded_part') === number;
    if (!isItsOwn) {
      const found =
        kind === null ? 'no entry' : kind === 'refund' ? 'a refund of another part' : `a ${text(part, 'kind')}`;
      say({ ...at, fault: 'the part refers to an entry that is not its refund' }, ['its refund', found]);
    }
    if (integer(part, 'in_doubt') > 0) {
      say({ ...at, fault: 'the part was refunded, but it was in doubt' }, ['no refund', `entry ${entry}`]);
    }
  }
}
