/* The SQL of lookups and effects about prices, accounts, and counts of them. */

/** Names some users of a price list; one is enough to refuse the list's removal. */
const namesIn = (from: string) => `select name from ${from} order by name limit 5`;
const anyIn = (table: string) => `exists (select 1 from ${table} where account = ?1) as ${table}`;
const countIn = (table: string, where = 'true') =>
  `(select count(*) from ${table} where ${where} and account = ?1) as ${table}`;
const isThere = 'removed_at is null';

export const accountTexts = {
  'price_list_version.from': `where price_list = ?1 and place >= coalesce(
    (select max(place) from price_list_version where price_list = ?1 and effective_at <= ?2), 0) order by place`,
  'price.at': 'where price_list = ? and prefix = ? and place <= ? order by place desc limit 1',
  'price.prefixes': 'select prefix from price where price_list = ? and place = ? limit ?',
  'price_list.current': `where ${isThere}`,
  'price_list.with-base': namesIn(`price_list where ${isThere} and base = ?`),
  'price_list_base.last': 'where price_list = ? order by since desc limit 1',
  'account.of-price-list': namesIn("account where status <> 'removed' and price_list = ?"),
  'carrier.of-price-list': namesIn("carrier where status <> 'removed' and cost_list = ?"),

  'account.uses': `select ${anyIn('entry')}, ${anyIn('inbound')}, ${anyIn('opt_out_event')},
    ${countIn('token', 'revoked_at is null and (expires_at is null or expires_at > ?2)')},
    ${countIn('login', isThere)}, ${countIn('number')}, ${countIn('keyword')}, ${countIn('webhook', isThere)},
    ${countIn('route', isThere)}`,
  'encryption_key.all': 'order by account, version',
  'retention.delete': 'delete from retention where what in (?, ?) and days = ?',

  'job.delete-old': 'delete from job where ended_at < ?',

  'token_day.delete-old': 'delete from token_day where token = ? and day < ?',
  'limit_count.expired': 'where expires_at < ? order by expires_at limit ?',
  'rule_slot.delete-old': 'delete from rule_slot where slot < ?',
  'refusal.delete-old': `delete from refusal where account = ?1
    and id <= (select id from refusal where account = ?1 order by id desc limit 1 offset ?2)`,
  'refusal_hour.delete-old': 'delete from refusal_hour where hour < ?',
  'carrier_slot.delete-old': 'delete from carrier_slot where carrier = ? and slot < ?',
  'traffic_slot.delete-old': 'delete from traffic_slot where span = ? and slot < ?',
} as const;
