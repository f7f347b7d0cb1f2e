/* The changes of a group of commands as statements: one for each table and way of writing. */

import { allTables } from '../../state/tables/all.ts';
import {
  attemptTable,
  keepReport,
  messageTable,
  partTable,
  queueTable,
  type MessageRow,
  type PartRow,
} from '../../state/tables/message.ts';
import type { Rows } from '../../state/rows/rows.ts';
import type { Change, Table, WriteWay } from '../../state/tables/table.ts';
import { statementsOf } from '../lookups/texts.ts';
import { arrayOf } from './wire/arrays.ts';
import type { Statement } from './wire/flight.ts';
import { toPostgres } from './schema.ts';
import { Charges } from './charges.ts';
import { changeOf, deletionOf, insertOf, type Versions } from './table-writes.ts';

const early = allTables.filter(({ isShared }) => isShared !== true);
const late = allTables.filter(({ isShared }) => isShared === true);

interface Changed {
  readonly change: Change;
}

export interface WritesOfGroup {
  /** The statements, in order. */
  readonly statements: readonly Statement[];
  /** Statements that compare rows that were only read, because another node may have changed them since. */
  readonly checks: readonly Statement[];
  readonly rows: readonly object[];
  /** The charges that are written as differences, and their first statement. */
  readonly charges: { readonly of: Charges; readonly first: Statement } | undefined;
}

/**
 * Makes the statements of a group. Each changed row must still have the version with which it was loaded, but with
 * `mayMove`, other nodes may have charged the accounts.
 */
export function writesOf(rows: Rows, versions: Versions, mayMove: boolean): WritesOfGroup {
  const writes = new Writes(versions);
  const charges = mayMove ? new Charges(rows) : undefined;
  prepareMessages(rows.messages.values());
  for (const table of early.toReversed()) writes.add(table, 'gone', rowsOf(rows, table));
  for (const table of early) {
    const all = rowsOf(rows, table).filter((row) => charges?.rows.has(row) !== true);
    // Stored rows come first, because a new row may take the name that a stored row had.
    for (const way of ['changed', 'rewritten', 'new', 'add'] as const) writes.add(table, way, all);
  }
  writes.addQueue(rows);
  // Other nodes write the same accounts and counts. Their locks are held from here to the commit. A group that is
  // decided again has locked its accounts before, so they come first.
  const charged = charges?.statements(versions) ?? [];
  writes.statements.push(...charged);
  writes.rows.push(...(charges?.rows ?? []));
  for (const way of ['gone', 'changed', 'new'] as const)
    for (const table of late) writes.add(table, way, rows.of(table));
  for (const table of early) writes.add(table, 'put', rowsOf(rows, table));
  for (const effect of rows.effects) {
    for (const sql of statementsOf(effect)) writes.statements.push({ text: toPostgres(sql), values: effect.values });
  }
  const [first] = charged;
  return {
    statements: writes.statements,
    rows: writes.rows,
    checks: checksOf(rows, versions),
    charges: charges && first && { of: charges, first },
  };
}

/** Raises `MV001` if a message was only read, and another node has changed it. */
function checksOf(rows: Rows, versions: Versions): Statement[] {
  const read = [...rows.messages.values()].flatMap(({ parts: [first] }) => (first?.change === 'none' ? [first] : []));
  const known = read.flatMap((part) => {
    const version = versions.get(part);
    return version === undefined ? [] : [{ message: part.message, version: Number(version) }];
  });
  if (known.length === 0) return [];
  const found = `select count(*) from unnest($1::bigint[], $2::xid[]) as u(message, version) cross join lateral
    (select 1 from part as t where t.message = u.message and t.number = 1 and t.xmin = u.version offset 0) as same`;
  const ids = arrayOf(
    'bigint',
    known.map(({ message }) => message),
  );
  const xmins = arrayOf(
    'xid',
    known.map(({ version }) => version),
  );
  return [{ text: `select morsel_expect((${found}), $3::bigint)`, values: [ids, xmins, known.length] }];
}

/** The version of a message is that of its part 1, so a change of another part writes part 1, too. */
function prepareMessages(messages: Iterable<MessageRow>): void {
  for (const message of messages) {
    const [first, ...others] = message.parts;
    if (message.change !== 'none') keepReport(message);
    if (first?.change === 'none' && others.some(({ change }) => change !== 'none')) first.change = 'changed';
  }
}

function rowsOf(rows: Rows, table: Table<Changed>): readonly Changed[] {
  switch (table.name) {
    case messageTable.name:
      // The changing members of a message are in the rows of its parts.
      return [...rows.messages.values()].filter(({ change }) => change !== 'changed');
    case partTable.name:
      return partsOf(rows);
    case attemptTable.name:
      return partsOf(rows).flatMap(({ loaded }) => loaded.filter(({ outcome }) => outcome !== null));
    default:
      return rows.of(table);
  }
}

function partsOf(rows: Rows): readonly PartRow[] {
  return [...rows.messages.values()].flatMap(({ parts }) => parts);
}

class Writes {
  readonly statements: Statement[] = [];
  readonly rows: object[] = [];
  readonly #versions: Versions;

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  add<Row extends Changed>(table: Table<Row>, way: WriteWay, rows: readonly Row[]): void {
    const written = rows.filter(({ change }) => change === way);
    if (written.length === 0) return;
    for (const row of written) this.rows.push(row);
    if (way === 'new' || way === 'put' || way === 'add') {
      this.statements.push(insertOf(table, way, written));
      return;
    }
    const known = written.filter((row) => this.#versions.get(row) !== undefined);
    if (known.length > 0) this.statements.push(changeOf(table, way, { rows: known, versions: this.#versions }));
    if (known.length === written.length) return;
    if (way !== 'gone') throw new Error(`a row of ${table.name} was changed without being loaded`);
    // Rows that nobody loaded have no version, so they are deleted without a check.
    const rest = written.filter((row) => this.#versions.get(row) === undefined);
    this.statements.push(deletionOf(table, rest));
  }

  /** Rows that left the queue come first, because a part may leave it and return to the same place in one group. */
  addQueue(rows: Rows): void {
    if (rows.dequeued.length > 0) this.statements.push(deletionOf(queueTable, rows.dequeued));
    const waiting = rows.placesTaken();
    if (waiting.length > 0) this.statements.push(insertOf(queueTable, 'add', waiting));
  }
}
