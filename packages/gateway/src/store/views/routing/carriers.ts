/* The view of carriers, with their waiting parts and unmatched receipts. */

import { eachOf } from '../page.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { carrierTable } from '../../../state/tables/route.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import { carrierCost } from '../money/carrier-costs.ts';
import { learnedOfCarrier, readLearnedSummary, type LearnedSummary } from './learned.ts';
import type { Queries } from '../queries.ts';

const { secrets: _secrets, ...openMembers } = carrierTable.members;

const carrierShape = shape({
  ...openMembers,
  costListName: nullable(text),
  costCurrency: nullable(text),
});

/** A carrier without its secrets. */
export interface CarrierView extends ShapeOf<typeof carrierShape>, LearnedSummary {
  readonly waiting: number;
  readonly inDoubtParts: number;
  /** How many attempts are in doubt on each link. */
  readonly inDoubtByLink: ReadonlyMap<number, number>;
}

export const carrierViews = { 'carrier.cost': carrierCost, 'carrier.learned': learnedOfCarrier };

/** Rows are counted up to this number, which then means this many or more. */
const countMax = 1_000_000;

const carrierQuery = `select carrier.*, price_list.name as cost_list_name, price_list.currency as cost_currency
  from carrier left join price_list on price_list.id = carrier.cost_list where carrier.status <> 'removed'`;

/** Reads all carriers, or the carrier with this name. */
export async function readCarriers(queries: Queries, name?: string): Promise<CarrierView[]> {
  const found =
    name === undefined
      ? await queries.rows(carrierShape, `${carrierQuery} order by carrier.name`)
      : await queries.rows(carrierShape, `${carrierQuery} and carrier.name = ?`, name);
  return eachOf(found, async (carrier) => ({
    ...carrier,
    ...(await readLearnedSummary(queries, carrier.id)),
    waiting: await countWaiting(queries, carrier.id),
    inDoubtParts: await countDoubts(queries, carrier.id),
    inDoubtByLink: await readDoubtsByLink(queries, carrier.id),
  }));
}

async function countWaiting(queries: Queries, carrier: number): Promise<number> {
  const sql = `select count(*) from (select 1 from queue where route in
    (select route from route_carrier where carrier = ? and removed_at is null) limit ?) as waiting`;
  return (await queries.value(integer, sql, carrier, countMax)) ?? 0;
}

/** The table `doubt` also has accepted parts without an id, so the state is checked, too. */
export async function countDoubts(queries: Queries, carrier: number, max = countMax): Promise<number> {
  const sql = `select count(*) from (select distinct message, part from doubt where carrier = ? limit ${max}) as open
    join part on part.message = open.message and part.number = open.part where part.state = 'in_doubt'`;
  return (await queries.value(integer, sql, carrier)) ?? 0;
}

const doubtShape = shape({ link: integer, doubts: integer });

async function readDoubtsByLink(queries: Queries, carrier: number): Promise<ReadonlyMap<number, number>> {
  const found = await queries.rows(
    doubtShape,
    `select attempt.link, count(*) as doubts
      from (select distinct message, part, attempt from doubt where carrier = ? limit ?) as doubt join attempt
        on attempt.message = doubt.message and attempt.part = doubt.part and attempt.number = doubt.attempt
      where attempt.outcome = 'in_doubt' group by attempt.link`,
    carrier,
    countMax,
  );
  return new Map(found.map(({ link, doubts }) => [link, doubts]));
}
