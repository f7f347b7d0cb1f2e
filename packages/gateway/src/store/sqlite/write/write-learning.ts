import type { Evidence, LearningRow } from '../../tables/learning.ts';
import type { Rows } from '../../tables/rows.ts';
import type { Statements } from '../statements.ts';

/** Writes what a group learned of carriers, and deletes the oldest unmatched receipts beyond the limit. */
export function writeLearning(rows: Rows, statements: Statements): void {
  for (const [carrier, count] of rows.unmatchedDropped) dropOldest(statements, carrier, count);
  for (const row of rows.learning.values()) if (row.change === 'changed') writeRow(row, statements);
  for (const seen of rows.traitsSeen) {
    statements.run(
      `insert into dialect values (?, ?, ?, 1, ?, ?, ?) on conflict do update
        set seen = seen + 1, last_at = excluded.last_at, example = excluded.example`,
      seen.carrier,
      seen.trait,
      seen.value,
      seen.at,
      seen.at,
      seen.example,
    );
  }
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
  statements.run(
    'insert or replace into learning values (?, ?, ?, ?, ?, ?, ?, ?)',
    row.carrier,
    row.learned,
    row.learnedAt,
    row.rematchFrom,
    row.dropped,
    row.droppedAt,
    row.hasTextReceipts ? 1 : 0,
    row.markedAt,
  );
  statements.run('delete from learning_evidence where carrier = ?', row.carrier);
  writeEvidence(row, { countsFor: 'rule', evidence: row.taught }, statements);
  writeEvidence(row, { countsFor: 'run', evidence: row.run }, statements);
}

function writeEvidence(
  row: LearningRow,
  { countsFor, evidence }: { countsFor: 'rule' | 'run'; evidence: readonly Evidence[] },
  statements: Statements,
): void {
  for (const [place, each] of evidence.entries()) {
    statements.run(
      'insert into learning_evidence values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      row.carrier,
      countsFor,
      place,
      each.rule,
      each.message,
      each.part,
      each.answerId,
      each.receiptId,
      each.at,
    );
  }
}
