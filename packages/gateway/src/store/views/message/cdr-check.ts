/*
 * Compares the CDRs of a period with the ledger, in chunks. Together with `ledger check`, which checks the charges,
 * this shows that CDRs and ledger agree.
 */

import type { cdr } from '@morsel/api/admin/message/cdr.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { firstIdAt } from '../../../core/base/message-id.ts';
import { isFinal, type FinalEvent } from '../../../core/base/message.ts';
import { type CdrRow, cdrTable, messageTable, partTable } from '../../../state/tables/message.ts';
import { integer, micros, nullable, text, word } from '../../../state/tables/column.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { columnsOf } from '../../table-sql.ts';
import { accountIdOf } from '../account/ids-of-names.ts';
import { beforeNewest } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';
import { amountOf, listCdrs } from './cdrs.ts';

type Check = typeof cdr.operations.check;
export type Chunk = AnswerOf<Check>;
type Sums = { -readonly [K in keyof Chunk['sums'][number]]: Chunk['sums'][number][K] };
type Faults = Chunk['faults'][number][];

/** The most messages or CDRs in a chunk, which takes some tens of milliseconds. */
const chunkMax = 2_000;
/** The most corrections of a part: a text that looks like a receipt, a receipt, and a late receipt. */
const correctionsMax = 4;

/** Checks one chunk: first that each part has its CDRs, then that each CDR belongs to its part. */
const check: View<'cdr.check'> = async (queries, input) => {
  const account = await accountIdOf(queries, input.account);
  if (!account.ok) return account;
  const [stage, place = '0'] = (input.after ?? 'messages/0').split('/');
  const step = stage === 'messages' ? checkMessages : checkRecords;
  return ok(await step(queries, input, Number(place)));
};

export const cdrViews = { 'cdr.list': listCdrs, 'cdr.check': check };

const messageMembers = pick(messageTable, 'id', 'numParts', 'unitPrice', 'totalCost');
const messageShape = shape({ ...messageMembers, currency: text });
const partMembers = pick(partTable, 'message', 'number', 'state', 'refundEntry', 'cdr');
const newestMembers = {
  recordEvent: nullable(word<FinalEvent>()),
  recordRefund: nullable(integer),
  recordCorrects: nullable(integer),
};
const partShape = shape({ ...partMembers, ...newestMembers, refunded: nullable(micros) });
type Part = ShapeOf<typeof partShape>;

async function checkMessages(queries: Queries, { account, from, to }: InputOf<Check>, after: number): Promise<Chunk> {
  const first = Math.max(after, from === undefined ? 0 : firstIdAt(from) - 1);
  const end = to === undefined ? beforeNewest : firstIdAt(to);
  const where = new Where('message.id > ? and message.id < ?', first, end).given('account.name = ?', account);
  const rows = await queries.rows(
    messageShape,
    `select ${columnsOf('message', messageMembers)}, account.currency
      from message join account on account.id = message.account ${where.sql} order by message.id limit ?`,
    ...where.values,
    chunkMax,
  );
  const last = rows.at(-1)?.id;
  const parts = last === undefined ? [] : await partsBetween(queries, first, last);
  const ofMessage = Map.groupBy(parts, ({ message }) => message);
  const sums = new Map<string, Sums>();
  const faults: Faults = [];
  for (const { id, currency, numParts, unitPrice, totalCost } of rows) {
    const sum = sums.get(currency) ?? noSums(currency);
    sums.set(currency, sum);
    sum.messages += 1;
    sum.charged = toMicros(sum.charged + totalCost);
    const own = ofMessage.get(id) ?? [];
    if (own.length !== numParts) faults.push({ msgId: id, part: 0, fault: 'the message does not have all its parts' });
    for (const part of own) {
      const { records, fault } = await chainOf(queries, part);
      if (fault !== undefined) faults.push({ msgId: id, part: part.number, fault });
      sum.refunded = toMicros(sum.refunded + (part.refunded ?? 0n));
      if (!isFinal(part.state)) sum.open = toMicros(sum.open + unitPrice);
      for (const each of records) sum.recorded = toMicros(sum.recorded + amountOf({ ...each, unitPrice }));
    }
  }
  const next = rows.length < chunkMax ? 'records/0' : `messages/${last}`;
  return { sums: [...sums.values()], faults, looked: rows.length, next };
}

function noSums(currency: string): Sums {
  const [charged, refunded, recorded, open] = [zeroMicros, zeroMicros, zeroMicros, zeroMicros];
  return { currency, messages: 0, charged, refunded, recorded, open };
}

async function partsBetween(queries: Queries, after: number, last: number): Promise<readonly Part[]> {
  return queries.rows(
    partShape,
    `select ${columnsOf('part', partMembers)}, newest.event as record_event, newest.refund_entry as record_refund,
        newest.corrects as record_corrects, refund.amount as refunded
      from part left join entry as refund on refund.id = part.refund_entry
      left join cdr as newest on newest.id = part.cdr
        and newest.message = part.message and newest.part = part.number
      where part.message > ? and part.message <= ? order by part.message, part.number`,
    after,
    last,
  );
}

type Kept = Pick<CdrRow, 'event' | 'refundEntry' | 'corrects'>;

interface Chain {
  /** The CDR of the part's end and its corrections, newest first. */
  readonly records: readonly Kept[];
  readonly fault?: string;
}

/** Reads the CDRs of a part. Each correction names the CDR before it. */
async function chainOf(queries: Queries, part: Part): Promise<Chain> {
  const hasEnded = isFinal(part.state);
  if (part.cdr === null) return { records: [], ...(hasEnded && { fault: 'the part has ended, but it has no record' }) };
  const { recordEvent: event, recordRefund: refundEntry, recordCorrects: corrects } = part;
  if (event === null) return { records: [], fault: `record ${part.cdr} of the part does not exist` };
  const records: Kept[] = [{ event, refundEntry, corrects }];
  for (let id = corrects; id !== null && records.length <= correctionsMax;) {
    const found: CdrRow | undefined = await recordOf(queries, id);
    if (found?.message !== part.message || found.part !== part.number)
      return { records, fault: `record ${id} of the part does not exist` };
    records.push(found);
    id = found.corrects;
  }
  const refunds = records.flatMap((each) => each.refundEntry ?? []);
  const isRight = refunds.length === (part.refundEntry === null ? 0 : 1) && (refunds[0] ?? null) === part.refundEntry;
  if (!hasEnded) return { records, fault: 'the part has a record, but it has not ended' };
  if (event !== part.state) return { records, fault: `the newest record is not of the end ${part.state}` };
  return isRight ? { records } : { records, fault: 'the records have another refund than the part' };
}

async function recordOf(queries: Queries, id: number): Promise<CdrRow | undefined> {
  return queries.first(cdrTable, 'where id = ?', id);
}

const recordMembers = pick(cdrTable, 'id', 'message', 'part');
const recordShape = shape({ ...recordMembers, account: text, newest: nullable(integer) });

/** Checks CDRs whose part does not have them, because they would make exports too large. */
async function checkRecords(queries: Queries, input: InputOf<Check>, after: number): Promise<Chunk> {
  // CDRs come after the acceptance of their messages. CDRs of messages outside the period are skipped below.
  const begin = input.from === undefined ? 0 : firstIdAt(input.from);
  const end = input.to === undefined ? beforeNewest : firstIdAt(input.to);
  const first = Math.max(after, begin - 1);
  const where = new Where('cdr.id > ?', first);
  const rows = await queries.rows(
    recordShape,
    `select ${columnsOf('cdr', recordMembers)}, account.name as account, part.cdr as newest
      from cdr join account on account.id = cdr.account left join part on part.message = cdr.message and part.number = cdr.part
      ${where.sql} order by cdr.id limit ?`,
    ...where.values,
    chunkMax,
  );
  const faults: Faults = [];
  for (const { id, account, message, part, newest } of rows) {
    const isMeant = message >= begin && message < end && (input.account === undefined || account === input.account);
    if (!isMeant || newest === id || (await isCorrected(queries, newest, id))) continue;
    faults.push({ msgId: message, part, fault: `record ${id} belongs to no end of the part` });
  }
  const next = rows.length < chunkMax ? null : `records/${rows.at(-1)?.id}`;
  return { sums: [], faults, looked: rows.length, next };
}

async function isCorrected(queries: Queries, newest: number | null, wanted: number): Promise<boolean> {
  let id = newest;
  for (let step = 0; id !== null && step <= correctionsMax; step++) {
    if (id === wanted) return true;
    id = (await recordOf(queries, id))?.corrects ?? null;
  }
  return false;
}
