/* All rows with one phone number, for a person who asks what is stored about them (GDPR, Article 15). */

import type { MessageId } from '../../../core/base/message-id.ts';
import { readCdrsOfMessage } from '../message/cdrs.ts';
import { readInbound } from '../message/inbound.ts';
import { readMessage } from '../message/messages.ts';
import { eachOf } from '../page.ts';
import { erasedTables, markedColumns } from '../../lookups/marks.ts';
import type { Queries } from '../queries.ts';
import { lookForNumber, namesOfNumber } from './erasures.ts';

export interface RowOfNumber {
  readonly table: string;
  readonly row: object;
}

export interface RowsOfNumber {
  readonly rows: readonly RowOfNumber[];
  /** Where the next page begins; null after the last page. */
  readonly next: string | null;
}

/** The most messages that a page reads. It takes some tens of milliseconds. */
const lookedMax = 20_000;

/** The most messages on a page. A page must end early, because a number of ours may be the sender of all. */
const foundMax = 500;
/** The most rows of each other table on a page. */
const restMax = 1_000;

const stages = ['message', 'inbound', 'rest'] as const;

/** Reads a page. An empty page may still have a next one. `after` is a stage and the last id, such as `message/0`. */
export async function readNumberRows(
  queries: Queries,
  { receiver, after }: { readonly receiver: string; readonly after: string },
): Promise<RowsOfNumber> {
  const [word = '', id = '0'] = after.split('/');
  const stage = stages.find((each) => each === word) ?? 'message';
  if (stage === 'rest') return restOf(queries, { receiver, passed: Number(id) });
  const look = await lookForNumber(queries, { of: stage, receiver, after: Number(id), max: lookedMax });
  const rowsOf = stage === 'message' ? rowsOfMessage : rowsOfInbound;
  const found = look.found.slice(0, foundMax);
  const rows = (await eachOf(found, (each) => rowsOf(queries, each))).flat();
  if (found.length < look.found.length) return { rows, next: `${stage}/${found.at(-1)}` };
  const following = stage === 'message' ? 'inbound/0' : 'rest/0';
  return { rows, next: look.isEnd ? following : `${stage}/${look.through}` };
}

async function rowsOfMessage(queries: Queries, id: MessageId): Promise<RowOfNumber[]> {
  const row = (await readMessage(queries, id)) ?? { id };
  const records = await readCdrsOfMessage(queries, id);
  return [{ table: 'message', row }, ...records.map((record) => ({ table: 'cdr', row: record }))];
}

async function rowsOfInbound(queries: Queries, id: MessageId): Promise<RowOfNumber[]> {
  return [{ table: 'inbound', row: (await readInbound(queries, id)) ?? { id } }];
}

/** The next rows of each other table. They are limited, because a number of ours may be in very many. */
async function restOf(
  queries: Queries,
  { receiver, passed }: { readonly receiver: string; readonly passed: number },
): Promise<RowsOfNumber> {
  const names = await namesOfNumber(queries, receiver);
  const places = names.map(() => '?').join(', ');
  const found = await eachOf(erasedTables, async (table) => {
    const columns = markedColumns(table, 'number');
    const where = columns.map((column) => `${column} in (${places})`).join(' or ');
    const tail = `where ${where} order by ${table.key.names.join(', ')} limit ? offset ?`;
    const rows = await queries.find(table, tail, ...columns.flatMap(() => names), restMax, passed);
    return rows.map((row) => ({ table: table.name, row: withoutChange(row) }));
  });
  const isMore = found.some((rows) => rows.length === restMax);
  return { rows: found.flat(), next: isMore ? `rest/${passed + restMax}` : null };
}

function withoutChange(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([member]) => member !== 'change'));
}
