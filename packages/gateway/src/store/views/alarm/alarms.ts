/* Views of alarms, and of the figures that open and close them. */

import type { AlarmFigures, CarrierSums } from '../../../core/alarm/figures.ts';
import { kindWith } from '../../../core/alarm/findings.ts';
import {
  alarmNoticeTable,
  alarmQuietTable,
  alarmReportTable,
  alarmSettingTable,
  alarmTable,
  type AlarmRow,
} from '../../../state/tables/alarm/alarm.ts';
import { alarmKindNames, alarmKinds, alarmTitle } from '@morsel/api/admin/alarm/kinds.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { dayMs, hourMs, type Instant } from '@morsel/api/values/time.ts';
import { firstIdAt } from '../../../core/base/message-id.ts';
import { integer, micros, nullable, text, word } from '../../../state/tables/column.ts';
import { slotMs } from '../../../state/tables/route.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import { spentAt } from '../../../core/money/ledger.ts';
import { accountTable } from '../../../state/tables/account.ts';
import { webhookTable } from '../../../state/tables/webhook.ts';
import { failingMaxMs } from '../../../core/notification/webhook.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';
import { readReceivers } from './receivers.ts';

/**
 * The most open alarms, and accounts with a low balance, that one check reads. It is part of the SQL, because SQLite plans
 * a statement again at each use of a bound limit.
 */
const openMax = 1_000;

/** Lists open alarms, critical ones first, then the oldest; or all alarms, the newest first. */
const list: View<'alarm.list'> = async (queries, { after, limit, all }) => {
  const where = all
    ? new Where('id < ?', after === undefined ? beforeNewest : Number(after))
    : new Where('closed_at is null');
  if (!all && after !== undefined)
    where.and('(severity, id) > (select severity, id from alarm where id = ?)', Number(after));
  const order = all ? 'id desc' : 'severity, id';
  const rows = await queries.find(alarmTable, `${where.sql} order by ${order} limit ?`, ...where.values, limit + 1);
  return ok(pageOf(rows.map(shown), limit, ({ alarm }) => String(alarm)));
};

const show: View<'alarm.show'> = async (queries, { alarm: id }) => {
  const alarm = await queries.first(alarmTable, 'where id = ?', id);
  if (!alarm) return refused({ code: 'does_not_exist', detail: `there is no alarm ${id}` });
  const notices = await queries.find(alarmNoticeTable, 'where alarm = ? order by receiver, turn desc', id);
  return ok({ ...shown(alarm), notices });
};

function shown({ id, ...row }: AlarmRow) {
  const { closedAt, acknowledgedAt } = row;
  const state = closedAt !== null ? 'closed' : acknowledgedAt === null ? 'open' : 'acknowledged';
  return { ...row, alarm: id, title: alarmTitle(row.kind, row.subject), state } as const;
}

/** Lists all kinds of alarms on one page, because there are few. */
const kinds: View<'alarm.kinds'> = async (queries) => {
  const settings = await queries.find(alarmSettingTable, '');
  const settingOf = new Map(settings.map((each) => [each.kind, each]));
  return ok({ items: alarmKindNames.map((kind) => kindWith(kind, settingOf.get(kind))), next: null });
};

export const alarmViews = { 'alarm.list': list, 'alarm.show': show, 'alarm.kinds': kinds };

export async function countOpenAlarms(queries: Queries): Promise<number> {
  return (await queries.value(integer, 'select count(*) from alarm where closed_at is null')) ?? 0;
}

const notifiedShape = shape({ alarm: integer, receiver: text });
const notified = `select alarm, receiver from alarm_notice where turn = 'opened' and alarm in
  (select id from alarm where closed_at is null order by id limit ${openMax})`;
const lowShape = shape({ name: text, balance: micros, alertedBelow: micros, currency: text });
const stoppedShape = shape({
  ...pick(webhookTable, 'id', 'failure'),
  status: word<'paused' | 'off'>(),
  failingSince: integer,
  account: text,
});
const reportShape = shape(pick(alarmReportTable, 'kind', 'subject', 'evidence'));
const refusalShape = shape({ account: text, code: text, now: integer, earlier: integer, lastAt: integer });
/** Codes of refusals that are the gateway's fault, and say nothing about the account. */
const ourFaults = "('unavailable', 'internal_error')";
const brokenShape = shape({ account: text, rule: text, broken: integer, refused: integer });
const capShape = shape({
  ...pick(accountTable, 'name', 'currency', 'timeZone', 'dayCap', 'monthCap', 'spent', 'lastEntryAt'),
});
/** `unread`: inbound messages that look like unmarked receipts, if one came in the last day. */
const shownShape = shape({ carrier: integer, rule: nullable(text), unread: nullable(integer) });
const shownSql = `select id as carrier,
  (select learned from learning where learning.carrier = carrier.id) as rule,
  (select seen from dialect where dialect.carrier = carrier.id and trait = 'unread' and last_at > ?) as unread
  from carrier`;
const sums = { accepted: integer, refused: integer, delivered: integer, failed: integer };
const sumsShape = shape({ carrier: integer, ...sums });
const dayHours = 24;
const weekSlots = (7 * dayMs) / slotMs;
/** The present slot, and the one before. */
const recentSlots = 2;
const noSums = { accepted: 0, refused: 0, delivered: 0, failed: 0 };

export async function readAlarmState(queries: Queries, now: Instant) {
  const hour = Math.floor(now / hourMs);
  const slot = Math.floor(now / slotMs) - recentSlots + 1;
  const refusals = await queries.rows(
    refusalShape,
    `select account, code, sum(case when hour = ? then refusals else 0 end) as now,
      sum(case when hour < ? then refusals else 0 end) as earlier, max(last_at) as last_at
      from refusal_hour where hour >= ? and account <> '' and code not in ${ourFaults}
      group by account, code order by account, code`,
    hour,
    hour,
    hour - dayHours,
  );
  const settings = await queries.find(alarmSettingTable, 'order by kind');
  const recent = await sumsBetween(queries, slot, slot + recentSlots);
  const week = await sumsBetween(queries, slot - weekSlots, slot);
  return {
    open: await queries.find(alarmTable, `where closed_at is null order by id limit ${openMax}`),
    settings,
    quiet: await queries.find(alarmQuietTable, 'order by kind, subject'),
    receivers: await readReceivers(queries),
    // Receivers that were or will be notified that an open alarm opened.
    notified: await queries.rows(notifiedShape, notified),
    low: await queries.rows(
      lowShape,
      `select name, balance, alerted_below, currency from account
        where alerted_below is not null order by id limit ${openMax}`,
    ),
    // If an operator paused a webhook, no alarm is needed. Only the gateway pauses one that has failed for so long.
    stoppedWebhooks: await queries.rows(
      stoppedShape,
      `select webhook.id, account.name as account, webhook.status, failing_since, failure
        from webhook join account on account.id = webhook.account
        where removed_at is null and failing_since is not null
          and (webhook.status = 'off' or webhook.status = 'paused' and failed_at - failing_since >= ?)
        order by webhook.id limit ${openMax}`,
      failingMaxMs,
    ),
    reports: await queries.rows(
      reportShape,
      `select kind, subject, evidence from alarm_report where until > ? order by kind, subject, what limit ${openMax}`,
      now,
    ),
    refusals: refusals.map(({ earlier, lastAt: _lastAt, ...its }) => ({
      ...its,
      usual: Math.ceil(earlier / dayHours),
    })),
    brokenRules: await queries.rows(
      brokenShape,
      `select account.name as account, rule, sum(broken) as broken, sum(refused) as refused
        from rule_slot join account on account.id = rule_slot.account
        where slot >= ? group by account.name, rule order by account.name, rule limit ${openMax}`,
      slot,
    ),
    caps: await readCaps(queries, now, {
      percent: settings.find(({ kind }) => kind === 'cap-near')?.threshold ?? alarmKinds['cap-near'].threshold.value,
      refusedAt: new Map(
        refusals
          .filter(({ code, lastAt }) => code === 'spend_cap_reached' && lastAt > now - capRefusedMs)
          .map(({ account, lastAt }) => [account, lastAt]),
      ),
    }),
    inboundUnmatched:
      (await queries.value(
        integer,
        `select count(*) from (select 1 from inbound where account is null and id > ? limit ${openMax}) as unmatched`,
        firstIdAt(now - hourMs),
      )) ?? 0,
    shown: new Map((await queries.rows(shownShape, shownSql, now - dayMs)).map((each) => [each.carrier, each])),
    sums: new Map(
      [...new Set([...recent.keys(), ...week.keys()])].map((carrier) => [
        carrier,
        { recent: recent.get(carrier) ?? noSums, week: week.get(carrier) ?? noSums },
      ]),
    ),
  };
}

/** For this long after a refusal for a cap, the cap counts as reached, unless the account was charged since. */
const capRefusedMs = hourMs;

/** Reads accounts that have spent the set share of a cap, or whose messages were refused for it. */
async function readCaps(
  queries: Queries,
  now: Instant,
  { percent, refusedAt }: { readonly percent: number; readonly refusedAt: ReadonlyMap<string, Instant> },
): Promise<AlarmFigures['caps']> {
  // The list has at least an empty name, because PostgreSQL allows no empty list.
  const names = ['', ...refusedAt.keys()].slice(0, openMax);
  const rows = await queries.rows(
    capShape,
    `select ${capShape.names.join(', ')} from account
      where (day_cap is not null or month_cap is not null) and status = 'active'
        and (spent_day >= day_cap / 100 * ? or spent_month >= month_cap / 100 * ?
          or name in (${names.map(() => '?').join(', ')}))
      order by id limit ${openMax}`,
    percent,
    percent,
    ...names,
  );
  return rows.flatMap(({ name: account, currency, dayCap, monthCap, lastEntryAt, ...row }) => {
    const { day, dayEndsAt, month, monthEndsAt } = spentAt(row.spent, row, now);
    const at = refusedAt.get(account);
    const isRefused = at !== undefined && at >= lastEntryAt;
    const caps = [
      { period: 'day', cap: dayCap, spent: day, endsAt: dayEndsAt },
      { period: 'month', cap: monthCap, spent: month, endsAt: monthEndsAt },
    ] as const;
    return caps.flatMap(({ cap, ...its }) => (cap === null ? [] : [{ account, currency, isRefused, cap, ...its }]));
  });
}

/** The sums of each carrier in the slots from `from` to before `to`. */
async function sumsBetween(queries: Queries, from: number, to: number): Promise<ReadonlyMap<number, CarrierSums>> {
  const names = Object.keys(sums).map((name) => `sum(${name}) as ${name}`);
  const sql = `select carrier, ${names.join(', ')} from carrier_slot where slot >= ? and slot < ? group by carrier`;
  const rows = await queries.rows(sumsShape, sql, from, to);
  return new Map(rows.map(({ carrier, ...its }) => [carrier, its]));
}
