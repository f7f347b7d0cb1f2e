import { newLearning } from '../../tables/learning.ts';
import type { Evidence, LearningRow } from '../../tables/learning.ts';
import type { Rows } from '../../tables/rows.ts';
import { evidenceFrom, knownRuleFrom, profileFrom, ruleFrom } from '../row-readers.ts';
import { integer, integerOrNull } from '../columns.ts';
import type { Statements } from '../statements.ts';

/**
 * What is known of each carrier's ids and unmatched receipts, in memory, so no receipt or answer causes a query. With
 * one writing connection, the memory equals the database.
 */
export class Learning {
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
    let isChanged = rows.sweep !== undefined;
    for (const carrier of rows.carriers.values()) if (carrier.change !== 'none') isChanged = true;
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
    this.#rows = new Map();
    for (const found of this.#statements.all(
      `select carrier.id, carrier.id_rule as rule, carrier.profile, learning.*,
        exists (select 1 from doubt where doubt.carrier = carrier.id) as may_doubt from carrier left join learning on learning.carrier = carrier.id
        where carrier.status <> 'removed'`,
    )) {
      const id = integer(found, 'id');
      const row = newLearning(id, ruleFrom(found, 'rule'));
      row.learned = knownRuleFrom(found, 'id_rule');
      row.learnedAt = integerOrNull(found, 'learned_at');
      row.rematchFrom = integerOrNull(found, 'rematch_from');
      row.hasTextReceipts = integerOrNull(found, 'text_receipts') === 1;
      row.textReceipts = profileFrom(found).textReceipts;
      row.markedAt = integerOrNull(found, 'marked_at');
      row.dropped = integerOrNull(found, 'dropped') ?? 0;
      row.droppedAt = integerOrNull(found, 'dropped_at');
      row.mayDoubt = integer(found, 'may_doubt') === 1;
      row.news = before.get(id)?.news ?? null;
      this.#rows.set(id, row);
    }
    this.#readEvidence();
    for (const found of this.#statements.all('select carrier, count(*) as n from unmatched_receipt group by carrier')) {
      const row = this.#rows.get(integer(found, 'carrier'));
      if (row) row.unmatched = integer(found, 'n');
    }
  }

  #readEvidence(): void {
    for (const found of this.#statements.all('select * from learning_evidence order by carrier, counts_for, place')) {
      const row = this.#rows.get(integer(found, 'carrier'));
      if (!row) continue;
      const evidence: Evidence = evidenceFrom(found);
      if (found['counts_for'] === 'rule') row.taught = [...row.taught, evidence];
      else row.run = [...row.run, evidence];
    }
  }
}
