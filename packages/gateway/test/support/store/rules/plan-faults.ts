/* Finds steps that no query plan of a view may have, on both engines: each page of a list must cost the same. */

import type { ViewName } from '../../../../src/store/views/views.ts';

/**
 * Views that read a whole table or index on purpose: all accounts every few minutes, all data of a person, all
 * operators for the audit log, a small index of open alarms or low balances, or rows up to a limit to count them.
 */
const whole: ReadonlySet<string> = new Set<ViewName>([
  'settings',
  'gateway.totals',
  'retention',
  'retention.list',
  'openErasure',
  'numberRows',
  'numberLeft',
  'alarmState',
  'alarm.list',
  'openAlarms',
  'present',
  'audit.verify',
]);
/**
 * Tables with few rows: a row for each carrier, operator, price list, kind or receiver of alarms, or running task.
 */
const small = new Set([
  'carrier',
  'operator',
  'operator_sign_in',
  'price_list',
  'price_import',
  'route_to_follow',
  'alarm_receiver',
  'alarm_setting',
  'sqlite_schema',
]);
/** Queries that sort only a few rows, however many rows the store has. */
const sortsFew = [
  // An account has one row for each rule.
  'from rule_hit',
  // There is one sum for each account and code.
  'sum(refusals) as refusals',
  // The notes of one message.
  'from note where message = ?',
  // The prices of one carrier.
  'group by cost_amount',
  // The messages of one charge.
  'from message where id between ? and ? and entry = ?',
];
/** Names of subqueries: reading one whole is no fault, because the plan has further steps for its tables. */
const inner = /^\(|^(named|valid|counted|waiting|open|doubt)$/;

/** The steps of a plan that read a whole table, or sort more than a page. */
export function faultsOfPlan(view: string, sql: string, steps: readonly string[]): string[] {
  if (whole.has(view)) return [];
  const mayFault = (step: string): boolean => {
    const table = /^SCAN (?!CONSTANT ROW)(\S+)|Seq Scan on (\S+)/.exec(step);
    if (table) return !small.has(table[1] ?? table[2] ?? '') && !inner.test(table[1] ?? '');
    // A sort within equal first columns only sorts few rows: SQLite calls it "LAST TERMS", PostgreSQL "Incremental".
    return /^USE TEMP B-TREE FOR ORDER BY$|^[-> ]*Sort  \(/.test(step) && !sortsFew.some((each) => sql.includes(each));
  };
  return steps.filter(mayFault).map((step) => `${step}: ${sql}`);
}
