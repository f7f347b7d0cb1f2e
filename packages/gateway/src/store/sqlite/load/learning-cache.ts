/* What is known of each carrier's ids and unmatched receipts, in memory. */

import { flag, integer } from '../../tables/column.ts';
import { evidenceTable, learningTable, newLearning } from '../../tables/learning.ts';
import type { LearningRow } from '../../tables/learning.ts';
import { carrierTable } from '../../tables/route.ts';
import type { Rows } from '../../tables/rows.ts';
import { pick, shape } from '../../tables/table.ts';
import type { Statements } from '../statements.ts';

const carrierShape = shape({ ...pick(carrierTable, 'id', 'idRule', 'profile'), mayDoubt: flag });
const unmatchedShape = shape({ carrier: integer, unmatched: integer });

/**
 * No receipt or answer causes a query for the rule of its carrier. With one writing connection, the memory equals the
 * database.
 */
export class LearningCache {
  readonly #statements: Statements;
  #rows = new Map<number, LearningRow>();

  constructor(statements: Statements) {
    this.#statements = statements;
    this.#read();
  }

  get rows(): ReadonlyMap<number, LearningRow> {
    return this.#rows;
  }

  /** After the commit: carriers may be new or changed, and a sweep deletes unmatched receipts. */
  committed(rows: Rows): void {
    let isChanged = rows.effects.some(({ sql }) => sql.includes('unmatched_receipt'));
    for (const carrier of rows.of(carrierTable)) if (carrier.change !== 'none') isChanged = true;
    if (isChanged) {
      this.#read();
      return;
    }
    for (const row of this.#rows.values()) row.change = 'none';
    for (const { carrier } of rows.doubts) {
      const row = this.#rows.get(carrier);
      if (row) row.mayDoubt = true;
    }
  }

  /** After a rollback: drops what the group changed. */
  rolledBack(): void {
    this.#read();
  }

  #read(): void {
    const before = this.#rows;
    const carriers = this.#statements.rows(
      carrierShape,
      `select id, id_rule, profile, exists (select 1 from doubt where doubt.carrier = carrier.id) as may_doubt
        from carrier where status <> 'removed'`,
    );
    this.#rows = new Map(
      carriers.map(({ id, idRule, profile: { textReceipts }, mayDoubt }) => {
        const news = before.get(id)?.news ?? null;
        return [id, { ...newLearning(id, idRule), textReceipts, mayDoubt, news }];
      }),
    );
    for (const row of this.#statements.find(learningTable, '')) this.#add(row);
    for (const each of this.#statements.find(evidenceTable, 'order by carrier, counts_for, place')) {
      const row = this.#rows.get(each.carrier);
      if (each.countsFor === 'rule') this.#add({ carrier: each.carrier, taught: [...(row?.taught ?? []), each] });
      else this.#add({ carrier: each.carrier, run: [...(row?.run ?? []), each] });
    }
    const unmatched = 'select carrier, count(*) as unmatched from unmatched_receipt group by carrier';
    for (const row of this.#statements.rows(unmatchedShape, unmatched)) this.#add(row);
  }

  /** Removed carriers are left out. */
  #add(members: Partial<LearningRow> & Pick<LearningRow, 'carrier'>): void {
    const row = this.#rows.get(members.carrier);
    if (row) Object.assign(row, members);
  }
}
