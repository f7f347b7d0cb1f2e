/* Views of erasures: their progress, and the messages to erase. */

import type { Page } from '@morsel/api/admin/resource.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { namesOf } from '../../../core/privacy/erased.ts';
import { allTables } from '../../../state/tables/all.ts';
import { integer, messageId } from '../../../state/tables/column.ts';
import { erasureTable, type ErasureRow } from '../../../state/tables/privacy/erasure.ts';
import { numberKeyId, numberKeyTable } from '../../../state/tables/privacy/removal.ts';
import { beforeNewest, eachOf, pageOf, type ListInput } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';

/** Erasures, the newest first. */
export async function readErasures(queries: Queries, { after, limit }: ListInput): Promise<Page<ErasureRow>> {
  const before = after === undefined ? beforeNewest : Number(after);
  const rows = await queries.find(erasureTable, 'where id < ? order by id desc limit ?', before, limit + 1);
  return pageOf(rows, limit, ({ id }) => String(id));
}

const list: View<'privacy.list'> = async (queries, input) => {
  const { items, next } = await readErasures(queries, input);
  return ok({ items: items.map(({ leftIn, ...row }) => ({ ...row, leftIn: wordsIn(leftIn) })), next });
};

function wordsIn(text: string | null): readonly string[] | null {
  return text === null ? null : text.split(' ').filter((word) => word !== '');
}

export const privacyViews = { 'privacy.list': list };

/** The oldest erasure that has not ended. */
export async function readOpenErasure(queries: Queries): Promise<ErasureRow | undefined> {
  return queries.first(erasureTable, "where phase <> 'done' order by phase, id limit 1");
}

export interface LookInput {
  readonly of: 'message' | 'inbound';
  readonly receiver: string;
  readonly after: number;
  readonly max: number;
}

export interface Looked {
  readonly found: readonly MessageId[];
  readonly through: number;
  readonly isEnd: boolean;
}

/** Finds messages with a number in any stored form. */
export async function lookForNumber(queries: Queries, { of, receiver, after, max }: LookInput): Promise<Looked> {
  const bound = await queries.value(
    integer,
    `select id from ${of} where id > ? order by id limit 1 offset ?`,
    after,
    max - 1,
  );
  const through = bound ?? beforeNewest;
  const names = await namesOfNumber(queries, receiver);
  const places = names.map(() => '?').join(', ');
  const found = await queries.values(
    messageId,
    `select id from ${of} where id > ? and id <= ? and (receiver in (${places}) or sender in (${places})) order by id`,
    after,
    through,
    ...names,
    ...names,
  );
  return { found, through: bound ?? found.at(-1) ?? after, isEnd: bound === undefined };
}

/** The columns, separated by spaces, that still have a number, alone or within a text. Reads all tables. */
export async function readNumberLeft(queries: Queries, receiver: string): Promise<string> {
  const pattern = `%${receiver.replace(/^\+/, '')}%`;
  const found = await eachOf(allTables, async ({ name, shape }) => {
    const columns = shape.columns().flatMap(([column, { type }]) => (type === 'text' ? [column] : []));
    const has = (some: readonly string[]) =>
      queries.value(
        integer,
        `select 1 from ${name} where ${some.map((column) => `${column} like ?`).join(' or ')} limit 1`,
        ...some.map(() => pattern),
      );
    if (columns.length === 0 || (await has(columns)) === undefined) return [];
    const each = await eachOf(columns, async (column) =>
      (await has([column])) === undefined ? [] : [`${name}.${column}`],
    );
    return each.flat();
  });
  return found.flat().join(' ');
}

export async function namesOfNumber(queries: Queries, receiver: string): Promise<readonly string[]> {
  return namesOf(receiver, (await queries.first(numberKeyTable, 'where id = ?', numberKeyId))?.key);
}
