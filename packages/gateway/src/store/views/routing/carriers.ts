/* View of carriers, with their waiting parts and unmatched receipts. */

import type { Carrier } from '../../../core/routing/carrier.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { carrierFrom } from '../../sqlite/row-readers.ts';
import { integer, textOrNull } from '../../sqlite/columns.ts';
import { readLearnedSummary } from './learned.ts';
import type { LearnedSummary } from './learned.ts';
import type { Queries } from '../queries.ts';

/** A carrier as the operator sees it, without its secrets. */
export interface CarrierView extends Omit<Carrier, 'password' | 'receiverPassword' | 'tlsKey'>, LearnedSummary {
  readonly createdAt: Instant;
  /** The name of the price list with the carrier's costs. */
  readonly costListName: string | null;
  readonly costCurrency: string | null;
  readonly waiting: number;
  readonly inDoubtParts: number;
  /** For each link, how many attempts are in doubt. */
  readonly inDoubtByLink: ReadonlyMap<number, number>;
}

/** The highest number to which parts are counted. An answer with this number means this many or more. */
const countMax = 1_000_000;

const carrierQuery = `select carrier.*, price_list.name as cost_list_name, price_list.currency as cost_currency
  from carrier left join price_list on price_list.id = carrier.cost_list where carrier.status <> 'removed' order by carrier.name`;

export function readCarriers(queries: Queries): CarrierView[] {
  return queries.all(carrierQuery).map((row) => {
    const { password: _password, receiverPassword: _receiver, tlsKey: _key, ...carrier } = carrierFrom(row);
    const waiting = queries.get(
      `select count(*) as n from (select 1 from queue where route in
        (select route from route_carrier where carrier = ? and removed_at is null) limit ?)`,
      carrier.id,
      countMax,
    );
    // Counts parts in doubt. The table `doubt` also has accepted parts without an id, so the state is checked.
    const doubts = queries.get(
      `select count(*) as n from (select distinct message, part from doubt where carrier = ? limit ?) as open
        join part on part.message = open.message and part.number = open.part where part.state = 'in_doubt'`,
      carrier.id,
      countMax,
    );
    return {
      ...carrier,
      ...readLearnedSummary(queries, carrier.id),
      createdAt: integer(row, 'created_at'),
      costListName: textOrNull(row, 'cost_list_name'),
      costCurrency: textOrNull(row, 'cost_currency'),
      waiting: integer(waiting ?? {}, 'n'),
      inDoubtParts: integer(doubts ?? {}, 'n'),
      inDoubtByLink: readDoubtsByLink(queries, carrier.id),
    };
  });
}

function readDoubtsByLink(queries: Queries, carrier: number): ReadonlyMap<number, number> {
  const found = queries.all(
    `select attempt.link, count(*) as n
      from (select distinct message, part, attempt from doubt where carrier = ? limit ?) as doubt join attempt
        on attempt.message = doubt.message and attempt.part = doubt.part and attempt.number = doubt.attempt
      where attempt.outcome = 'in_doubt' group by attempt.link`,
    carrier,
    countMax,
  );
  return new Map(found.map((row) => [integer(row, 'link'), integer(row, 'n')]));
}
