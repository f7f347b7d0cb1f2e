import { dialectTable, evidenceTable, learningTable } from '../../tables/learning.ts';
import type { LearningRow } from '../../tables/learning.ts';
import type { Rows } from '../../tables/rows.ts';
import type { Statements } from '../statements.ts';

/** Writes what a group learned of carriers, and deletes the oldest unmatched receipts beyond the limit. */
export function writeLearning(rows: Rows, statements: Statements): void {
  for (const [carrier, count] of rows.unmatchedDropped) dropOldest(statements, carrier, count);
  for (const row of rows.learning.values()) if (row.change !== 'none') writeRow(row, statements);
  for (const seen of rows.traitsSeen) statements.put(dialectTable, seen);
}

/** Unknown ids first, then others if that does not make enough room. */
function dropOldest(statements: Statements, carrier: number, count: number): void {
  let left = count;
  for (const why of ['unknown', 'undecided', 'unreadable']) {
    if (left === 0) return;
    left -= statements.change(
      'delete from unmatched_receipt where id in (select id from unmatched_receipt where carrier = ? and why = ? order by id limit ?)',
      carrier,
      why,
      left,
    );
  }
}

function writeRow(row: LearningRow, statements: Statements): void {
  const { carrier, taught, run } = row;
  statements.put(learningTable, row);
  statements.run('delete from learning_evidence where carrier = ?', carrier);
  for (const [place, each] of taught.entries()) {
    statements.insert(evidenceTable, { ...each, carrier, countsFor: 'rule', place });
  }
  for (const [place, each] of run.entries()) {
    statements.insert(evidenceTable, { ...each, carrier, countsFor: 'run', place });
  }
}
