/* All rows with one phone number, for a person who asks what is stored about them (GDPR, Article 15). */

import type { MessageId } from '../../../core/base/message-id.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import { readInbound } from '../message/inbound.ts';
import { readMessage } from '../message/messages.ts';
import { eachOf } from '../page.ts';
import { optOutEventTable, optOutTable } from '../../tables/opt-out.ts';
import { unmatchedReceiptTable } from '../../tables/receipt.ts';
import { ruleHitTable } from '../../tables/account.ts';
import { joinedTable, repeatTable } from '../../tables/inbound.ts';
import { referenceTable } from '../../tables/message.ts';
import type { Table } from '../../tables/table.ts';
import type { Queries } from '../queries.ts';
import { lookForNumber, namesOfNumber } from './erasures.ts';

/** A row of a table, with its members. */
export interface RowOfNumber {
  readonly table: string;
  readonly row: object;
}

export interface RowsOfNumber {
  readonly rows: readonly RowOfNumber[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
}

/** Messages that a page looks at. It takes some tens of milliseconds. */
const lookedMax = 20_000;

const stages = ['message', 'inbound', 'rest'] as const;

/** Reads a page. It may be empty although others follow. `after` is a stage and the last id, such as `message/0`. */
export async function readNumberRows(
  queries: Queries,
  { receiver, after }: { readonly receiver: string; readonly after: string },
): Promise<RowsOfNumber> {
  const [word = '', id = '0'] = after.split('/');
  const stage = stages.find((each) => each === word) ?? 'message';
  if (stage === 'rest') return { rows: await restOf(queries, receiver), next: null };
  const look = await lookForNumber(queries, { of: stage, receiver, after: Number(id), max: lookedMax });
  const rows = await eachOf(look.found, async (each) => ({ table: stage, row: await rowOf(queries, stage, each) }));
  const following = stage === 'message' ? 'inbound/0' : 'rest/0';
  return { rows, next: look.isEnd ? following : `${stage}/${look.through}` };
}

async function rowOf(queries: Queries, stage: 'message' | 'inbound', id: MessageId): Promise<object> {
  return (stage === 'message' ? await readMessage(queries, id) : await readInbound(queries, toMessageId(id))) ?? { id };
}

interface Named {
  readonly table: Table<object>;
  readonly columns: readonly string[];
}

const others: readonly Named[] = [
  { table: optOutTable, columns: ['receiver'] },
  { table: optOutEventTable, columns: ['receiver'] },
  { table: unmatchedReceiptTable, columns: ['receiver', 'sender'] },
  { table: ruleHitTable, columns: ['receiver', 'sender'] },
  { table: referenceTable, columns: ['receiver', 'sender'] },
  { table: joinedTable, columns: ['sender', 'receiver'] },
  { table: repeatTable, columns: ['sender', 'receiver'] },
];

async function restOf(queries: Queries, receiver: string): Promise<RowOfNumber[]> {
  const names = await namesOfNumber(queries, receiver);
  const places = names.map(() => '?').join(', ');
  const found = await eachOf(others, async ({ table, columns }) => {
    const where = columns.map((column) => `${column} in (${places})`).join(' or ');
    const rows = await queries.find(table, `where ${where} limit 1000`, ...columns.flatMap(() => names));
    return rows.map((row) => ({ table: table.name, row: withoutChange(row) }));
  });
  return found.flat();
}

function withoutChange(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([member]) => member !== 'change'));
}
