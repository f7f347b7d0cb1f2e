/* What no plan of a view's query may contain, in the words of both engines: a page costs the same wherever it stands. */

import type { ViewName } from '../../../src/store/views/views.ts';

/**
 * Views that read everything on purpose, all accounts every few minutes, all that is known of a person, all operators
 * for their entries in the audit log, an index that has only
 * the open alarms and the accounts with a low balance, or rows up to a limit to count them.
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
  'openAlarms',
  'present',
  'audit.verify',
]);
/**
 * Tables with few rows: as many as there are carriers, operators, price lists, kinds of alarms and their receivers, or tasks
 * under way.
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
/** Queries that sort few rows, whatever is stored. */
const sortsFew = [
  // As many rows of an account as there are rules.
  'from rule_hit',
  // As many sums as there are accounts and codes.
  'sum(refusals) as refusals',
  // The notes of one message.
  'from note where message = ?',
  // The prices of one carrier.
  'group by cost_amount',
  // The messages of one charge.
  'from message where id between ? and ? and entry = ?',
];
/** A query in the place of a table: the steps for its own tables are looked at, too. */
const inner = /^\(|^(named|valid|counted|waiting|open|doubt)$/;

/** The steps of a plan that read a whole table, or sort more than a page. */
export function faultsOfPlan(view: string, sql: string, steps: readonly string[]): string[] {
  if (whole.has(view)) return [];
  const mayFault = (step: string): boolean => {
    const table = /^SCAN (?!CONSTANT ROW)(\S+)|Seq Scan on (\S+)/.exec(step);
    if (table) return !small.has(table[1] ?? table[2] ?? '') && !inner.test(table[1] ?? '');
    // Sorting within equal first columns is no sort of everything: SQLite calls it "LAST TERMS", PostgreSQL "Incremental".
    return /^USE TEMP B-TREE FOR ORDER BY$|^[-> ]*Sort  \(/.test(step) && !sortsFew.some((each) => sql.includes(each));
  };
  return steps.filter(mayFault).map((step) => `${step}: ${sql}`);
}
