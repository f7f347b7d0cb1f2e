import type { InboundPartRow, InboundRow, InboundRows, JoinedRow, NumberRow } from '../../tables/inbound.ts';
import { writeRepeats } from '../tables/inbound-repeats.ts';
import { writeKeywords, writeRemovedKeywords } from '../tables/keyword-table.ts';
import type { Statements } from '../statements.ts';

/** Writes a group's changes of inbound messages and numbers. */
export function writeInbound(rows: InboundRows, statements: Statements): void {
  for (const part of rows.left) {
    if (!part.isNew) statements.run('delete from inbound_part where id = ?', part.id);
  }
  for (const waiting of rows.waiting.values()) {
    for (const part of waiting) if (part.isNew) writePart(part, statements);
  }
  for (const message of rows.made) writeMessage(message, statements);
  for (const joined of rows.joined.values()) {
    for (const row of joined.values()) if (row.isNew) writeJoined(row, statements);
  }
  writeRepeats(rows, statements);
  for (const message of rows.rerouted) writeRoute(message, statements);
  writeRemovedKeywords(rows, statements);
  for (const { digits, kind } of rows.removedNumbers) {
    statements.run('delete from number where digits = ? and kind = ?', digits, kind);
  }
  for (const number of rows.numbers.values()) {
    if (number.isNew) writeNumber(number, statements);
    else if (number.isChanged === true) writeOwner(number, statements);
  }
  writeKeywords(rows, statements);
}

/** Deletes at most `max` records of parts that were joined before `before`. */
export function sweepInbound(statements: Statements, before: number, max: number): void {
  statements.run(
    `delete from inbound_joined where (carrier, sender, receiver, concatenation, reference, total, number) in
      (select carrier, sender, receiver, concatenation, reference, total, number from inbound_joined
        where joined_at < ? order by joined_at limit ?)`,
    before,
    max,
  );
}

function writePart(row: InboundPartRow, statements: Statements): void {
  const { concatenation, ports } = row;
  statements.run(
    `insert into inbound_part (id, carrier, sender, receiver, data_coding, esm_class, octets, received_at,
      coding, concatenation, reference, total, number, destination_port, source_port)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.carrier,
    row.sender,
    row.receiver,
    row.dataCoding,
    row.esmClass,
    row.octets,
    row.receivedAt,
    row.coding,
    concatenation?.kind ?? null,
    concatenation?.reference ?? null,
    concatenation?.total ?? null,
    concatenation?.number ?? null,
    ports?.destination ?? null,
    ports?.source ?? null,
  );
}

function writeMessage(row: InboundRow, statements: Statements): void {
  statements.run(
    `insert into inbound (id, account, carrier, sender, receiver, dcs, text, octets, num_parts, complete, received_at,
      data_coding, header, parts_received, matched_by, keyword)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.account,
    row.carrier,
    row.sender,
    row.receiver,
    row.dcs,
    row.text,
    row.octets,
    row.numParts,
    row.complete ? 1 : 0,
    row.receivedAt,
    row.dataCoding,
    row.header,
    row.partsReceived,
    row.matchedBy,
    row.keyword,
  );
}

/** Writes the account of a message and how it was found. */
function writeRoute({ id, account, matchedBy, keyword }: InboundRow, statements: Statements): void {
  const set = 'update inbound set account = ?, matched_by = ?, keyword = ? where id = ?';
  statements.run(set, account, matchedBy, keyword, id);
}

function writeJoined(row: JoinedRow, statements: Statements): void {
  const { kind, reference, total, number } = row.concatenation;
  statements.run(
    'insert or replace into inbound_joined values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    row.carrier,
    row.sender,
    row.receiver,
    kind,
    reference,
    total,
    number,
    row.digest,
    row.joinedAt,
  );
}

function writeNumber(row: NumberRow, statements: Statements): void {
  statements.run(
    'insert into number values (?, ?, ?, ?, ?)',
    row.digits,
    row.kind,
    row.number,
    row.account,
    row.createdAt,
  );
}

function writeOwner({ digits, kind, account }: NumberRow, statements: Statements): void {
  statements.run('update number set account = ? where digits = ? and kind = ?', account, digits, kind);
}
