import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { allTables } from './all.ts';
import type { Personal } from './column.ts';

/*
 * Columns with a text or octets, but without data about a sender or a receiver. A new column is marked as personal
 * (column.ts), or added here. docs/privacy.md says how long each marked column is kept.
 */
const impersonalText = `
  operator: name role; operator_key: id operator hash allowed_from kind agent; operator_request: operator;
  operator_sign_in: operator password_hash password_salt code_secret;
  audit_entry: operator role operator_key request_id operation account carrier reason hash; audit_head: hash;
  price_list: name currency; price: prefix; price_import: id name currency;
  account: name currency refund_policy time_zone low_balance rules allowed_from margin_min below_margin default_coding smpp_long store_text callback_allow callback_secret status;
  encryption_key: wrapped; job: operation operator reason given place state outcomes refunds; config_state: actor config; change_set: name config roles created_by state applied_by undo; limit_count: rule slices; rule_hit: rule;
  rule_slot: rule;
  alarm: kind subject severity evidence help acknowledged_by; alarm_setting: kind; alarm_quiet: kind subject;
  alarm_receiver: name kind address server user_name sender account severity quiet time_zone allowed secret outcome tries;
  alarm_notice: receiver turn outcome; refusal: account code request_id operation field rule;
  refusal_hour: account code request_id; traffic_slot: currency; total: what word;
  token: id hash scopes allowed_from; token_day: token;
  login: user_name password_hash password_salt allowed_from;
  webhook: url method kinds number_kind number_digits keyword template allowed status failure;
  webhook_secret: secret; carrier: name settings secrets throughput in_doubt id_rule status;
  alarm_report: kind subject what evidence; route: prefix sender encoding rank_order; route_to_follow: forgets;
  learning: learned; learning_evidence: rule; dialect: trait value; entry: kind reason actor key;
  message: source dcs encoding wanted_receipts;
  part: state carrier_state error_code eligible report_event report_error_code;
  attempt: outcome code cost_currency; cdr: event error_code; queue: eligible;
  unmatched_receipt: carrier_state error_code why; note: kind; number: digits kind number;
  keyword: digits kind word; inbound: dcs matched_by keyword; inbound_part: concatenation_kind coding;
  inbound_joined: concatenation_kind; opt_out_event: wish actor; opt_out_handling: scope;
  opt_out_word: word means; notification: kind event error_code state tried_by; notification_try: tried_by;
  retention: what; left_behind: what; number_key: key; erasure: actor reason code phase left_in`;
const impersonal = new Map(
  impersonalText.split(';').map((row) => {
    const [table = '', columns = ''] = row.split(': ');
    return [table.trim(), new Set(columns.trim().split(/\s+/))];
  }),
);

it('each column with a text or octets is marked as personal, or in the list of impersonal columns', () => {
  const wrong = allTables.flatMap(({ name, shape }) => {
    const known = impersonal.get(name);
    return shape
      .columns()
      .filter(([column, { type, personal }]) => {
        const isAsked = type === 'text' || type === 'blob';
        return isAsked && (personal === undefined) !== (known?.has(column) ?? false);
      })
      .map(([column]) => `${name}.${column}`);
  });
  assert.deepEqual(wrong, []);
});

/** How the guide describes the columns with each mark. */
const saidOfMark: { readonly [mark in Personal]: RegExp } = {
  text: /^the days for texts/,
  number: /^the days for numbers/,
  extra: /^the days for numbers/,
  row: /the days for records|those for records/,
};

it('docs/privacy.md names every column with personal data, and no other, with the time that its mark says', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../../docs/privacy.md'), 'utf8');
  const [, section = ''] = guide.split('### Each table');
  const rows = [...section.matchAll(/^\| ([a-z_]+) +\| ([a-z_, ]+?) +\| (.+?) +\|$/gm)].slice(1);
  const times = new Map(
    rows.flatMap(([, table = '', columns = '', time = '']) =>
      columns.split(', ').map((column): [string, string] => [`${table}.${column}`, time]),
    ),
  );
  const marked = allTables.flatMap(({ name, shape, about }) =>
    shape
      .columns()
      .flatMap(([column, { personal }]) => (personal ? [{ name: `${name}.${column}`, personal, about }] : [])),
  );
  assert.deepEqual([...times.keys()].toSorted(), marked.map(({ name }) => name).toSorted());
  for (const { name, personal, about } of marked)
    if (about) assert.match(times.get(name) ?? '', saidOfMark[personal], name);
});
