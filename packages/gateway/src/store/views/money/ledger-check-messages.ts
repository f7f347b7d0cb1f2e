import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { entryTable } from '../../../state/tables/ledger.ts';
import { messageTable, partTable } from '../../../state/tables/message.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { placeInPercent, sayOf, type LedgerFault, type Say, type StageChunk } from './ledger-fault.ts';
import type { Queries } from '../queries.ts';

/*
 * Checks messages: one entry charges each message for the price of its parts, and refunds of its parts exist.
 * ledger-check-entries.ts checks the entries.
 */

const messagesMax = 2_000;

const messageShape = shape({
  ...pick(messageTable, 'id', 'account', 'numParts', 'unitPrice', 'totalCost', 'entry', 'priceList', 'priceVersion'),
  name: nullable(text),
  chargeKind: nullable(text),
  chargeAccount: nullable(integer),
  firstMessage: entryTable.members.firstMessage,
  lastMessage: entryTable.members.lastMessage,
  knownVersion: nullable(integer),
});
type Message = ShapeOf<typeof messageShape>;

export async function checkMessages(queries: Queries, after: number, account: number | null): Promise<StageChunk> {
  const rows = await queries.rows(
    messageShape,
    `select message.id, message.account, num_parts, unit_price, total_cost, message.entry, account.name,
      charge.kind as charge_kind, charge.account as charge_account, charge.first_message, charge.last_message,
      message.price_list, message.price_version, priced.version as known_version
      from message left join entry as charge on charge.id = message.entry left join account on account.id = message.account
      left join price_list_version as priced
        on priced.price_list = message.price_list and priced.version = message.price_version
      where message.id > ? order by message.id limit ?`,
    after,
    messagesMax,
  );
  const last = rows.at(-1)?.id;
  if (last === undefined) return { faults: [], looked: 0, last: null, percent: 100 };
  const parts = await partsBetween(queries, after, last);
  const faults: LedgerFault[] = [];
  const wanted = account === null ? rows : rows.filter((row) => row.account === account);
  for (const row of wanted) {
    const say = sayOf(faults, { account: row.name, message: String(row.id) });
    checkCharged(row, say);
    if (row.knownVersion === null) {
      const found = `version ${row.priceVersion} of list ${row.priceList}`;
      say({ fault: 'the message was priced by a version that no price list has' }, ['a version of a list', found]);
    }
    checkParts(row, parts.get(row.id) ?? [], say);
  }
  return { faults, looked: wanted.length, last, percent: await placeInPercent(queries, 'message', last) };
}

const partShape = shape({
  ...pick(partTable, 'message', 'number', 'inDoubt', 'refundEntry'),
  refundKind: nullable(text),
  refundedMessage: nullable(integer),
  refundedPart: nullable(integer),
});
type Part = ShapeOf<typeof partShape>;

async function partsBetween(
  queries: Queries,
  after: number,
  last: number,
): Promise<ReadonlyMap<number, readonly Part[]>> {
  const rows = await queries.rows(
    partShape,
    `select message, number, in_doubt, refund_entry, refund.kind as refund_kind,
        refund.first_message as refunded_message, refund.part as refunded_part
      from part left join entry as refund on refund.id = part.refund_entry
      where message > ? and message <= ? order by message, number`,
    after,
    last,
  );
  return Map.groupBy(rows, ({ message }) => message);
}

function checkCharged(row: Message, say: Say): void {
  const { id, account, chargeKind: kind, chargeAccount, firstMessage, lastMessage, totalCost } = row;
  const entry = String(row.entry);
  if (kind === null) {
    const found = `entry ${entry}, which does not exist`;
    say({ fault: 'the entry that charged the message does not exist' }, ['a charge', found]);
  } else if (kind !== 'charge') {
    say({ fault: 'the message refers to an entry that is no charge', entry }, ['charge', kind]);
  } else if (chargeAccount !== account) {
    say({ fault: 'the message was charged to another account', entry }, [String(account), String(chargeAccount)]);
  } else if (id < (firstMessage ?? 0) || id > (lastMessage ?? 0)) {
    const range = `${firstMessage ?? 0} to ${lastMessage ?? 0}`;
    say({ fault: 'the message is outside the range of messages of its charge', entry }, [range, String(id)]);
  }
  const cost = toMicros(row.unitPrice * BigInt(row.numParts));
  if (cost !== totalCost) {
    const fault = 'the cost of the message is not the sum of its parts';
    say({ fault }, [formatMicros(cost), formatMicros(totalCost)]);
  }
}

function checkParts(row: Message, parts: readonly Part[], say: Say): void {
  if (parts.length !== row.numParts) {
    const fault = 'the number of parts differs from the number that was charged';
    say({ fault }, [String(row.numParts), String(parts.length)]);
  }
  for (const { number, refundEntry: entry, refundKind: kind, refundedMessage, refundedPart, inDoubt } of parts) {
    if (entry === null) continue;
    const at = { entry: String(entry), part: number };
    const isItsOwn = kind === 'refund' && refundedMessage === row.id && refundedPart === number;
    if (!isItsOwn) {
      const found = kind === null ? 'no entry' : kind === 'refund' ? 'a refund of another part' : `a ${kind}`;
      say({ ...at, fault: 'the part refers to an entry that is not its refund' }, ['its refund', found]);
    }
    if (inDoubt > 0) {
      say({ ...at, fault: 'the part was refunded, but it was in doubt' }, ['no refund', `entry ${entry}`]);
    }
  }
}
