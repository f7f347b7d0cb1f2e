/* The SQL of lookups and effects about carriers, routes, nodes, and the actions of operators. */

import { afterRecordMaxMs } from '../../core/base/clock.ts';
import { instantOf, nodeCount, sequenceCount, toMessageId } from '../../core/base/message-id.ts';

export const routingTexts = {
  'route.by-match': `where prefix = ? and coalesce(sender, '') = ? and coalesce(account, 0) = ? and coalesce(encoding, '') = ?
    and removed_at is null`,
  'route_carrier.places': `select rank_order, carrier, rank, weight, cost, wait_ms, route_carrier.removed_at
    from route_carrier join route on route.id = route_carrier.route where route_carrier.route = ?`,
  'route_carrier.current': `join route on route.id = route_carrier.route
    where route_carrier.carrier = ? and route_carrier.removed_at is null and route.removed_at is null
    order by route_carrier.route`,
  // If a carrier has left a route, only the parts that it holds on this route count.
  'carrier.work': `select 1 as found where exists (select 1 from part where tried_by = ?1 and claim_link is not null)
    or exists (select 1 from doubt where carrier = ?1)
    or exists (select 1 from part where deadline is not null and carrier = ?1)
    or exists (select 1 from route_carrier where carrier = ?1 and removed_at is null
      and exists (select 1 from queue where queue.route = route_carrier.route))
    or exists (select 1 from route_carrier where carrier = ?1 and removed_at is not null
      and exists (select 1 from queue where queue.route = route_carrier.route and eligible >= '=' and eligible < '>'))`,
  'learning.to-look-at': `select carrier, rematch_from from learning where rematch_from is not null
    and carrier in (select id from carrier where status <> 'removed') order by carrier`,

  'node.newest-dates': `select seen_at,
    (select max(created_at) from price_list_version where created_at <= seen_at + ${afterRecordMaxMs}) as priced_at,
    (select max(since) from price_list_base where since <= seen_at + ${afterRecordMaxMs}) as based_at,
    (select max(id) from message where id <= (seen_at - ${instantOf(toMessageId(0))} + ${afterRecordMaxMs}) * ${nodeCount * sequenceCount}) as id
   from (select max(seen_at) as seen_at from node where seen_at <= ? or id = ?) as record`,
  'change_set.all': 'order by id',
  'config_state.newest': 'where number >= ? order by number desc limit 1',
  'config_state.delete-old': 'delete from config_state where number <= ?',
  'operator_request.delete-of-operator': 'delete from operator_request where operator = ?',
  'alarm_receiver.all': 'order by id',
  'alarm_report.delete-old': 'delete from alarm_report where until < ?',
  'alarm.delete-old': [
    'delete from alarm where closed_at < ?',
    'delete from alarm_notice where due is null and told_at < ?',
  ],
} as const;
