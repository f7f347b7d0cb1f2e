/* The view of the store's figures for metrics. Each is counted up to a limit by an index, so a scrape is cheap. */

import type { Instant } from '@morsel/api/values/time.ts';
import { integer, nullable } from '../../../state/tables/column.ts';
import { shape } from '../../../state/tables/table.ts';
import { countDoubts } from '../routing/carriers.ts';
import { eachOf } from '../page.ts';
import type { Queries } from '../queries.ts';

/**
 * Rows are counted up to these numbers, which then mean this many or more. They are part of the SQL, because SQLite plans
 * a statement again at each use of a bound limit.
 */
const partsMax = 100_000;
const receiptsMax = 100_000;
const notificationsMax = 1_000;

interface FiguresInput {
  readonly carriers: readonly number[];
  readonly webhooks: readonly number[];
  /** Accounts whose sessions may get notifications. */
  readonly sessions: readonly number[];
  /** Accounts whose messages may have a callback. */
  readonly callbacks: readonly number[];
}

/** `oldest` is null if no notification waits. */
export interface WaitingFigure {
  readonly id: number;
  readonly waiting: number;
  readonly oldest: Instant | null;
}

export interface StoreFigures {
  readonly carriers: readonly (WaitingFigure & { readonly inDoubt: number; readonly unmatched: number })[];
  readonly webhooks: readonly WaitingFigure[];
  readonly sessions: readonly WaitingFigure[];
  readonly callbacks: readonly WaitingFigure[];
}

const waitingShape = shape({ waiting: integer, oldest: nullable(integer) });

export async function readFigures(queries: Queries, asked: FiguresInput): Promise<StoreFigures> {
  return {
    carriers: await eachOf(asked.carriers, async (id) => ({
      ...(await read(queries, id, queued, id)),
      inDoubt: await countDoubts(queries, id, receiptsMax),
      unmatched: (await queries.value(integer, unmatched, id)) ?? 0,
    })),
    webhooks: await eachOf(asked.webhooks, (id) => read(queries, id, ofWebhook, id)),
    sessions: await eachOf(asked.sessions, (id) => read(queries, id, ofSessions, id)),
    callbacks: await eachOf(asked.callbacks, (id) => read(queries, id, ofCallbacks, id)),
  };
}

const queued = `select count(*) as waiting, min(due) as oldest from (select due from queue where route in
  (select route from route_carrier where carrier = ? and removed_at is null) limit ${partsMax}) as waiting`;
const unmatched = `select count(*) from (select 1 from unmatched_receipt where carrier = ? limit ${receiptsMax}) as waiting`;
const oldestOf = (where: string) => `select count(*) as waiting, min(created_at) as oldest from
  (select created_at from notification where due is not null and ${where} limit ${notificationsMax}) as waiting`;
const ofWebhook = oldestOf('webhook = ?');
const ofSessions = oldestOf('by_session = 1 and account = ?');
const ofCallbacks = oldestOf('is_callback = 1 and account = ?');

async function read(queries: Queries, id: number, sql: string, ...values: readonly number[]): Promise<WaitingFigure> {
  const found = await queries.row(waitingShape, sql, ...values);
  return { id, waiting: found?.waiting ?? 0, oldest: found?.oldest ?? null };
}
